import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { expectValidReport } from '../report/expect-valid-report.ts'
import { preparePrograms } from './run-program.ts'

const folder = mkdtempSync(join(tmpdir(), 'program-end-'))
const runProgram = preparePrograms()
let folders = 0

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const newFolder = (): string => join(folder, String(folders++))

const readReports = (directory: string): readonly ChainReport[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json'))
    .map((path) => JSON.parse(readFileSync(join(directory, path), 'utf8')) as ChainReport)

describe('a program that just ends', () => {
  it('leaves its reports behind, what is open as partial', async () => {
    const directory = newFolder()
    const end = await runProgram(`
      const { tracer } = record({ reports: ${JSON.stringify(directory)} })
      runAgent(tracer).end()
      runAgent(tracer)`)
    expect(end.code).toBe(0)
    expect(end.millis).toBeLessThan(20_000)
    const reports = readReports(directory)
    reports.forEach(expectValidReport)
    const told = reports.map(({ completeness, completeness_reason: reason }) => `${completeness} ${reason}`)
    expect(told.toSorted()).toEqual(['complete null', 'partial shutdown'])
  })

  it('does so with an exporter, too', async () => {
    const directory = newFolder()
    const end = await runProgram(`
      const exporter = new reach.ChainReportExporter({ directory: ${JSON.stringify(directory)} })
      const provider = new sdk.BasicTracerProvider({ spanProcessors: [new sdk.SimpleSpanProcessor(exporter)] })
      runAgent(provider.getTracer('test'))`)
    expect(end.code).toBe(0)
    expect(readReports(directory)).toMatchObject([{ completeness: 'partial', step_count: 1 }])
  })

  it('leaves all of them behind, however many are open and however quick the sink is', async () => {
    const end = await runProgram(`
      let written = 0
      const sink = { write: async () => { written++ }, flush: async () => {}, close: async () => {} }
      const { tracer } = record({ reports: sink })
      for (let n = 0; n < 1_500; n++) tracer.startSpan('run', { attributes: agent })
      process.on('exit', () => console.log(written))`)
    expect(end).toMatchObject({ code: 0, output: '1500\n' })
  })

  it('is held by none of our timers, whatever is open', async () => {
    const end = await runProgram(`
      const { tracer } = record({ reports: false, limits: { settleMillis: 600000 } })
      runAgent(tracer)
      runAgent(tracer).end()
      setTimeout(() => console.log('done'), 50)`)
    expect(end).toMatchObject({ code: 0, output: 'done\n' })
    expect(end.millis).toBeLessThan(20_000)
  })

  it('is held once by a sink that hangs, no longer than the time to flush', async () => {
    const end = await runProgram(`
      const hang = () => new Promise(() => {})
      const { tracer } = record({ reports: { write: hang, flush: hang, close: hang }, flushTimeoutMillis: 200 })
      runAgent(tracer).end()
      const timer = setTimeout(() => { console.log('hangs'); process.exit(1) }, 10_000)
      timer.unref()
      setTimeout(() => {}, 100)`)
    expect({ code: end.code, hangs: end.output.includes('hangs') }).toEqual({ code: 0, hangs: false })
    expect(end.millis).toBeLessThan(10_000)
  })

  it('waits for a shutdown that is awaited in a handler of a signal', async () => {
    const directory = newFolder()
    const end = await runProgram(`
      const { provider, tracer } = record({ reports: ${JSON.stringify(directory)} })
      process.on('SIGTERM', () => void provider.shutdown().then(() => process.exit(0)))
      runAgent(tracer).end()
      setInterval(() => {}, 1_000)
      process.kill(process.pid, 'SIGTERM')`)
    expect(end.code).toBe(0)
    expect(readReports(directory)).toHaveLength(1)
  })
})

describe('a program that is killed while it writes', () => {
  it('leaves whole reports behind and nothing else that counts as one', async () => {
    const directory = newFolder()
    const program = `
      const { processor, tracer } = record({ reports: ${JSON.stringify(directory)} })
      const results = Array.from({ length: 40 }, (_, n) => ({ n, status: 'shipped' }))
      for (;;) {
        for (let n = 0; n < 20; n++) runAgent(tracer, results).end()
        await processor.forceFlush()
        console.log('ready')
      }`
    const ends = []
    for (const killAfterMillis of [0, 10, 30, 70]) ends.push(await runProgram(program, { killAfterMillis }))
    expect(ends.map(({ code }) => code)).toEqual([null, null, null, null])
    const reports = readReports(directory)
    expect(reports.length).toBeGreaterThanOrEqual(4 * 20)
    reports.forEach(expectValidReport)
    expect(new Set(reports.map(({ step_count: steps }) => steps))).toEqual(new Set([41]))
  })
})
