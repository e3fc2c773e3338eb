import { spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildDist, command } from '../build-dist.ts'
import { readReportLines } from './run-cli.ts'
import { chainSpans, traceId, writeChains } from './write-traces.ts'

const cwd = mkdtempSync(join(tmpdir(), 'cli-main-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

beforeAll(async () => {
  await buildDist()
  writeChains(join(cwd, 'good.jsonl'), [chainSpans(1)])
  writeChains(join(cwd, 'bad.jsonl'), [chainSpans(1), chainSpans(2, 'error_result')])
  writeChains(
    join(cwd, 'many.jsonl'),
    Array.from({ length: 250 }, (_, at) => chainSpans(at + 1)),
  )
})

function start(...argv: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [command, ...argv], { cwd, encoding: 'utf8' })
}

describe('the built command', () => {
  it('ends with the exit code', () => {
    expect(start('check', 'good.jsonl').status).toBe(0)
    expect(start('check', 'bad.jsonl').status).toBe(1)
    expect(start('check', 'missing.jsonl').status).toBe(2)
    expect(start('check').status).toBe(2)
  })

  it('writes everything into a pipe before it ends', () => {
    const reports = readReportLines(start('report', 'many.jsonl', '--format', 'json').stdout)
    expect(reports).toHaveLength(250)
  })

  it('reads standard input', async () => {
    const line = `cat bad.jsonl | '${process.execPath}' '${command}' report - --format json`
    const { status, stdout } = spawnSync('sh', ['-c', line], { cwd, encoding: 'utf8' })
    expect(status).toBe(0)
    expect(readReportLines(stdout).map(({ trace_id }) => trace_id)).toEqual([traceId(1), traceId(2)])
  })

  it('reads a pipe by its path', () => {
    const line = `cat bad.jsonl | '${process.execPath}' '${command}' report /dev/stdin --format json`
    const { status, stdout } = spawnSync('sh', ['-c', line], { cwd, encoding: 'utf8' })
    expect(status).toBe(0)
    expect(readReportLines(stdout)).toHaveLength(2)
  })

  it('ends quietly when the reader of its output goes away', async () => {
    const child = spawn(process.execPath, [command, 'report', 'many.jsonl', '--format', 'json'], { cwd })
    let stderr = ''
    child.stderr.on('data', (chunk) => (stderr += String(chunk)))
    child.stdout.once('data', () => child.stdout.destroy())
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect([code, stderr]).toEqual([0, ''])
  })

  it('is a file that can be started', () => {
    expect(statSync(command).mode & 0o111).not.toBe(0)
  })
})
