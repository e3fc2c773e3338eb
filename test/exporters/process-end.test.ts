import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildDist } from '../build-dist.ts'
import { createReport } from '../report/create-report.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'process-end-'))

beforeAll(buildDist)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface End {
  readonly code: number | null
  readonly output: string
  readonly millis: number
}

/** Runs a program of the package in a process of its own until it ends, or kills it as soon as it says so. */
async function runProgram(text: string): Promise<End> {
  const program = `
    import * as reach from 'agent-reach'
    const report = ${JSON.stringify(createReport())}
    const path = ${JSON.stringify(join(folder, 'reports.jsonl'))}
    const started = performance.now()
    process.on('exit', () => console.log(Math.round(performance.now() - started)))
    ${text}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { cwd: root })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      if (output.includes('kill me')) child.kill('SIGKILL')
    })
  }
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve)
  })
  const [millis = ''] = /\d+\n$/u.exec(output) ?? []
  return { code, output: output.slice(0, output.length - millis.length), millis: Number(millis) }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('a process with sinks', () => {
  test('ends although reports wait in a queue and nobody closes it', async () => {
    const { code, output, millis } = await runProgram(`
      const http = reach.createHttpSink({ url: 'http://127.0.0.1:9/', timeoutMillis: 60_000 })
      const sink = reach.queued(reach.retrying(http), { flushIntervalMillis: 60_000 })
      await sink.write(report)`)
    expect({ code, output }).toEqual({ code: 0, output: '' })
    expect(millis).toBeLessThan(20_000)
  })

  test('ends by itself after an answered request', async () => {
    const { code, output, millis } = await runProgram(`
      import { createServer } from 'node:http'
      const server = createServer((request, response) => request.resume().on('end', () => response.end()))
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
      const url = 'http://127.0.0.1:' + server.address().port
      await reach.createHttpSink({ url, timeoutMillis: 60_000 }).write(report)
      server.close()
      server.closeAllConnections()`)
    expect({ code, output }).toEqual({ code: 0, output: '' })
    expect(millis).toBeLessThan(20_000)
  })

  test('waits for a close() that is awaited, even of a sink that hangs', async () => {
    const { code, output } = await runProgram(`
      const hang = () => new Promise(() => {})
      const onError = ({ message }) => console.log(message)
      const sink = reach.queued({ write: hang, flush: hang, close: hang }, { closeTimeoutMillis: 100, onError })
      await sink.write(report)
      await sink.close()
      console.log('closed')`)
    expect({ code, output }).toEqual({
      code: 0,
      output:
        'Cannot write 1 of 1 reports: expected the sink to take them, found 0 refused, 0 dropped from a full queue, 1 not written after 100 ms\nclosed\n',
    })
  })

  test('writes standard output and leaves it open', async () => {
    const { code, output } = await runProgram(`
      const sink = reach.createJsonLinesSink({ stream: process.stdout })
      await sink.write(report)
      await sink.close()
      console.log('after')`)
    expect({ code, output }).toEqual({ code: 0, output: `${JSON.stringify(createReport())}\nafter\n` })
  })

  test('leaves whole lines behind when it is killed, all but the last', async () => {
    const kill = `
      const sink = reach.createJsonLinesSink({ path })
      const write = () => sink.write({ ...report, summary: 'x'.repeat(20_000) })
      for (let at = 0; at < 20; at++) await write()
      console.log('kill me')
      for (;;) await write()`
    for (let round = 0; round < 3; round++) expect((await runProgram(kill)).code).toBe(null)
    await runProgram(`
      const sink = reach.createJsonLinesSink({ path })
      await sink.write(report)
      await sink.close()`)
    const lines = readFileSync(join(folder, 'reports.jsonl'), 'utf8').split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.at(-1)).toBe(JSON.stringify(createReport()))
    const torn = lines.filter((line) => !isJson(line))
    expect(torn.length).toBeLessThanOrEqual(3)
    expect(lines.length).toBeGreaterThan(60)
  })
})
