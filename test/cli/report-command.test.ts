import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { expectValidReport } from '../report/expect-valid-report.ts'
import { type CliOutcome, type CliSurroundings, readReportLines, runCli } from './run-cli.ts'
import {
  chainSpans,
  spanId,
  type TestSpan,
  toLine,
  traceId,
  writeChains,
  writeLines,
} from './write-traces.ts'

const cwd = mkdtempSync(join(tmpdir(), 'report-command-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

beforeAll(() => {
  writeChains(join(cwd, 'one.jsonl'), [chainSpans(1)])
  writeChains(join(cwd, 'many.jsonl'), [
    chainSpans(1),
    chainSpans(2, 'error_result'),
    chainSpans(3, 'root_failed'),
    chainSpans(4),
    chainSpans(5, 'plain'),
  ])
  writeChains(join(cwd, 'plain.jsonl'), [chainSpans(5, 'plain')])
  writeLines(join(cwd, 'damaged.jsonl'), [
    toLine(chainSpans(1)),
    '{"resourceSpans":[{',
    toLine(chainSpans(4)),
  ])
  writeFileSync(join(cwd, 'torn.jsonl'), `${toLine(chainSpans(1))}\n${toLine(chainSpans(4)).slice(0, 60)}`)
})

function report(...argv: readonly string[]): Promise<CliOutcome> {
  return runCli(['report', ...argv], { cwd })
}

function reportWith(surroundings: CliSurroundings, ...argv: readonly string[]): Promise<CliOutcome> {
  return runCli(['report', ...argv], { cwd, ...surroundings })
}

async function isBarDrawn(...argv: readonly string[]): Promise<boolean> {
  const { stderr } = await reportWith({ isTTY: true }, 'padded.jsonl', ...argv)
  return stderr.includes('reading ')
}

async function reportsOf(...argv: readonly string[]): Promise<readonly ChainReport[]> {
  const { stdout, code } = await report(...argv, '--format', 'json')
  expect(code).toBe(0)
  return readReportLines(stdout)
}

function digests(reports: readonly ChainReport[]): readonly string[] {
  return reports.map(({ trace_id, digest }) => `${trace_id} ${digest}`).toSorted()
}

describe('agent-reach report', () => {
  it('shows a single chain at a glance, and on standard error what was read', async () => {
    const { code, stdout, stderr } = await report('one.jsonl')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^✓ success {2}task-1 {2}support /u)
    expect(stdout).toContain('order_query')
    expect(stderr).toBe('1 input, 3 spans, 1 chain (1 success)\n')
  })

  it('shows several chains as a table, and at a glance those that are no success', async () => {
    const { code, stdout, stderr } = await report('many.jsonl')
    expect(code).toBe(0)
    const lines = stdout.split('\n')
    const rows = lines.slice(1, 5)
    expect(rows.map((row) => /task-\d/u.exec(row)?.[0])).toEqual(['task-3', 'task-2', 'task-1', 'task-4'])
    expect(stdout).toMatch(/^✗ failed {2}task-3 /mu)
    expect(stdout).toMatch(/^✗ partial_failed {2}task-2 /mu)
    expect(stdout).not.toMatch(/^✓ success {2}task-1 {2}support .*ms$/mu)
    expect(stdout.indexOf('✗ failed  task-3  support')).toBeLessThan(
      stdout.lastIndexOf('✗ partial_failed  task-2'),
    )
    expect(stderr).toBe(
      '1 input, 13 spans, 4 chains (1 failed, 1 partial_failed, 2 success), 1 trace without an agent step\n',
    )
  })

  it('shows no more than three chains at a glance, the worst', async () => {
    const chains = [6, 7, 8].map((number) => chainSpans(number, 'error_result'))
    writeChains(join(cwd, 'worst.jsonl'), [...chains, chainSpans(9, 'root_failed')])
    const { stdout } = await report('worst.jsonl')
    const glances = stdout.split(/\n\n/u).filter((part) => part.startsWith('✗'))
    expect(glances.map((glance) => /task-\d/u.exec(glance)?.[0])).toEqual(['task-9', 'task-6', 'task-7'])
  })

  it('writes one report a line as JSON, in the order of their starts, those without agent steps too', async () => {
    const reports = await reportsOf('many.jsonl')
    expect(reports.map(({ trace_id }) => trace_id)).toEqual([1, 2, 3, 4, 5].map(traceId))
    expect(reports.map(({ step_count }) => step_count)).toEqual([3, 3, 3, 3, 0])
    for (const each of reports) expectValidReport(each)
  })

  it('writes one line also for one chain', async () => {
    const { stdout } = await report('one.jsonl', '--format', 'json')
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  })

  it('joins Markdown with rules', async () => {
    const { stdout } = await report('many.jsonl', '--format', 'markdown')
    expect(stdout.split('\n---\n')).toHaveLength(4)
    for (const task of ['task-1', 'task-2', 'task-3', 'task-4']) expect(stdout).toContain(task)
  })

  it('reads files, globs, directories and standard input alike', async () => {
    mkdirSync(join(cwd, 'split/deep'), { recursive: true })
    writeChains(join(cwd, 'split/a.jsonl'), [chainSpans(1)])
    writeChains(join(cwd, 'split/b.json.gz'), [chainSpans(2, 'error_result')])
    writeChains(join(cwd, 'split/deep/c.jsonl'), [
      chainSpans(3, 'root_failed'),
      chainSpans(4),
      chainSpans(5, 'plain'),
    ])
    const expected = digests(await reportsOf('many.jsonl'))
    expect(digests(await reportsOf('split'))).toEqual(expected)
    expect(digests(await reportsOf('split/**/*.json*'))).toEqual(expected)
    expect(digests(await reportsOf('split/deep', 'split/b.json.gz', 'split/a.jsonl', 'split'))).toEqual(
      expected,
    )
    const stdin = readFileSync(join(cwd, 'many.jsonl'))
    const { stdout } = await reportWith({ stdin }, '-', '--format', 'json')
    expect(digests(readReportLines(stdout))).toEqual(expected)
  })

  it('makes one report of a trace that two inputs share', async () => {
    const [model, tool, root] = chainSpans(1).map((span) => toLine([span]))
    writeLines(join(cwd, 'first.jsonl'), [root ?? '', model ?? ''])
    writeLines(join(cwd, 'second.jsonl'), [tool ?? ''])
    const expected = digests(await reportsOf('one.jsonl'))
    expect(digests(await reportsOf('first.jsonl', 'second.jsonl'))).toEqual(expected)
    expect(digests(await reportsOf('second.jsonl', 'first.jsonl'))).toEqual(expected)
  })

  it('reads a file once that is named twice', async () => {
    const [only] = await reportsOf('one.jsonl', './one.jsonl')
    expect(only?.dropped.duplicate_spans).toBe(0)
  })

  it('tells a bad line with file, line, expected and found, counts it, and reads on', async () => {
    const { code, stdout, stderr } = await report('damaged.jsonl')
    expect(code).toBe(0)
    expect(stdout).toContain('task-4')
    expect(stderr).toBe(
      'Cannot read damaged.jsonl:2: expected a JSON document, found {"resourceSpans":[{\n' +
        '1 input, 6 spans, 2 chains (2 success), 1 line not read\n',
    )
  })

  it('fails for a bad line with --strict', async () => {
    expect((await report('damaged.jsonl', '--strict')).code).toBe(2)
    expect((await report('torn.jsonl', '--strict')).code).toBe(2)
    expect((await report('one.jsonl', '--strict')).code).toBe(0)
  })

  it('only notes a last line that is torn', async () => {
    const { code, stderr } = await report('torn.jsonl')
    expect(code).toBe(0)
    expect(stderr).toMatch(/^note: Cannot read torn\.jsonl:2: expected a JSON document, found /u)
    expect(stderr).toMatch(/, 1 chain \(1 success\), 1 line not read\n$/u)
  })

  it('tells a span that it leaves out with its path, and counts it', async () => {
    const [model, ...rest] = chainSpans(1)
    writeLines(join(cwd, 'rejected.jsonl'), [
      toLine([{ ...(model as never as object), spanId: 'xyz' } as never, ...rest]),
    ])
    const { code, stderr } = await report('rejected.jsonl')
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^Cannot read rejected\.jsonl:1 at resourceSpans\[0\]\.scopeSpans\[0\]\.spans\[0\]\.spanId: expected .*, found xyz$/mu,
    )
    expect(stderr).toMatch(/, 1 span left out\n$/u)
    expect((await report('rejected.jsonl', '--strict')).code).toBe(2)
  })

  it('tells 20 problems at most', async () => {
    writeLines(join(cwd, 'noise.jsonl'), [
      ...Array.from({ length: 30 }, () => 'noise'),
      toLine(chainSpans(1)),
    ])
    const { stderr } = await report('noise.jsonl')
    expect(stderr.match(/^Cannot read/gmu)).toHaveLength(20)
    expect(stderr).toContain('… and 10 more\n')
    expect(stderr).toMatch(/, 30 lines not read\n$/u)
  })

  it.each([
    [
      'a file that is missing',
      'missing.jsonl',
      /Cannot read missing\.jsonl: expected a file, .* found no such file/u,
    ],
    ['a glob without a match', '*.nothing', /Cannot read \*\.nothing: expected .* found nothing/u],
  ])('reads on after %s, and fails in the end', async (_, name, message) => {
    const { code, stdout, stderr } = await report(name, 'one.jsonl')
    expect(code).toBe(2)
    expect(stdout).toContain('task-1')
    expect(stderr).toMatch(message)
  })

  it('fails for gzip that is damaged, and reads what it can unpack', async () => {
    writeChains(
      join(cwd, 'damaged.jsonl.gz'),
      Array.from({ length: 300 }, (_, at) => chainSpans(1 + (at % 200))),
    )
    const bytes = readFileSync(join(cwd, 'damaged.jsonl.gz'))
    // The checksum.
    bytes.fill(0xff, bytes.length - 8, bytes.length - 4)
    writeFileSync(join(cwd, 'damaged.jsonl.gz'), bytes)
    const { code, stdout, stderr } = await report('damaged.jsonl.gz')
    expect(code).toBe(2)
    expect(stdout).toContain('task-1 ')
    expect(stderr).toMatch(/Cannot read damaged\.jsonl\.gz: expected a gzip stream/u)
  })

  it('notes a directory without anything to read', async () => {
    mkdirSync(join(cwd, 'empty'), { recursive: true })
    const { code, stdout, stderr } = await report('empty')
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(
      /^note: empty has no \*\.jsonl, \*\.json, \*\.binpb, \*\.pb, \*\.proto or \*\.zst file/u,
    )
  })

  it('notes documents that hold no spans by design', async () => {
    writeLines(join(cwd, 'signals.jsonl'), [
      '{"resourceLogs":[]}',
      '{"resourceMetrics":[]}',
      toLine(chainSpans(1)),
    ])
    const { code, stderr } = await report('signals.jsonl', '--strict')
    expect(code).toBe(0)
    expect(stderr).toContain('note: passed over 2 documents of metrics, logs or profiles\n')
  })

  it('notes an input without any agent chain, and shows nothing', async () => {
    const { code, stdout, stderr } = await report('plain.jsonl')
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toBe(
      'note: no agent chain in the input\n1 input, 1 span, 0 chains, 1 trace without an agent step\n',
    )
  })
})

describe('agent-reach report --out', () => {
  it('writes one JSON file per chain, and Markdown beside it where that is asked for', async () => {
    const { code, stdout, stderr } = await report('many.jsonl', '--out', 'out', '--markdown')
    expect(code).toBe(0)
    const names = readdirSync(join(cwd, 'out'), { recursive: true, encoding: 'utf8' })
    const written = names.filter((name) => name.endsWith('.json'))
    expect(written).toHaveLength(5)
    expect(names.filter((name) => name.endsWith('.md'))).toHaveLength(5)
    const reports = written.map(
      (name) => JSON.parse(readFileSync(join(cwd, 'out', name), 'utf8')) as ChainReport,
    )
    expect(digests(reports)).toEqual(digests(await reportsOf('many.jsonl')))
    expect(stdout).toMatch(/^ {2}file {2}out\/\d{4}-\d\d-\d\d\/03030303.*\.json$/mu)
    expect(stderr).toMatch(/; 5 written to out\n$/u)
  })

  it('writes no Markdown unless it is asked for', async () => {
    await report('one.jsonl', '--out', 'json-only')
    const names = readdirSync(join(cwd, 'json-only'), { recursive: true, encoding: 'utf8' })
    expect(names.filter((name) => name.endsWith('.md'))).toEqual([])
  })

  it('does not read what it wrote before into a directory inside its input', async () => {
    mkdirSync(join(cwd, 'nested'), { recursive: true })
    writeChains(join(cwd, 'nested/a.jsonl'), [chainSpans(1)])
    const first = await report('nested', '--out', 'nested/chain-reports')
    const second = await report('nested', '--out', 'nested/chain-reports')
    expect(second).toEqual(first)
    const third = await report('nested')
    expect(third.code).toBe(0)
    expect(third.stderr).toContain('note: passed over 1 chain report in the input\n')
  })

  it('may write into the very directory that it reads', async () => {
    mkdirSync(join(cwd, 'same'), { recursive: true })
    writeChains(join(cwd, 'same/a.jsonl'), [chainSpans(1)])
    await report('same', '--out', 'same')
    const { code, stdout, stderr } = await report('same', '--out', 'same')
    expect(code).toBe(0)
    expect(stdout).toContain('task-1')
    expect(stderr).toContain('note: passed over 1 chain report in the input\n')
  })

  it('fails in one line where it cannot write', async () => {
    writeFileSync(join(cwd, 'occupied'), 'a file')
    const { code, stderr } = await report('one.jsonl', '--out', 'occupied')
    expect(code).toBe(2)
    expect(stderr).toMatch(/^agent-reach: Cannot [^\n]+\n$/u)
  })
})

describe('agent-reach report --trace', () => {
  it('reads one trace only, by its id in either case', async () => {
    const id = 'ab'.repeat(16)
    writeChains(join(cwd, 'cased.jsonl'), [chainSpans(1), chainSpans(0xab)])
    expect(
      (await reportsOf('cased.jsonl', '--trace', id.toUpperCase())).map(({ trace_id }) => trace_id),
    ).toEqual([id])
    const { stdout } = await report('cased.jsonl', '--trace', id)
    expect(stdout).toContain('task-171')
    expect(stdout).not.toContain('task-1 ')
  })

  it('notes an id that is not there', async () => {
    const { code, stdout, stderr } = await report('many.jsonl', '--trace', 'f'.repeat(32))
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toContain(`note: no agent chain of trace ${'f'.repeat(32)} in the input\n`)
  })
})

describe('agent-reach report --node', () => {
  it('shows the state, the steps and the findings of that node alone', async () => {
    const { stdout } = await report('many.jsonl', '--node', 'order_query')
    expect(stdout.match(/^order_query /gmu)).toHaveLength(4)
    expect(stdout).toMatch(/^order_query {2}reached_invalid {3}800 ms/mu)
    expect(stdout).toContain(`step     ${spanId(2, 2)}  attempt 1  reached_invalid`)
    expect(stdout).toMatch(
      /^ {4}finding {2}error error_in_result, blamed on span 0000000200000001\n {13}the result is an error: no such order$/mu,
    )
    expect(stdout).not.toContain('intent_router')
    expect(stdout).toContain('task     task-2')
  })

  it('tells how often a call was made again', async () => {
    const spans = chainSpans(1, 'error_result')
    const again = chainSpans(1).flatMap((span): readonly TestSpan[] => {
      if (span.name !== 'execute_tool order_query') return []
      return [{ ...span, spanId: spanId(1, 9), startMs: span.startMs + 1_000, endMs: span.endMs + 1_000 }]
    })
    writeChains(join(cwd, 'again.jsonl'), [[...spans, ...again]])
    const { stdout } = await report('again.jsonl', '--node', 'order_query')
    expect(stdout).toMatch(/^order_query {2}reached {3}1,600 ms {3}– {3}2 attempts in 1 call$/mu)
    expect(stdout).toMatch(/^ {4}finding {2}warn error_in_result, recovered/mu)
  })

  it('leaves out steps beyond the 20th that have nothing to tell', async () => {
    const { spans, root } = { spans: chainSpans(1), root: spanId(1, 0) }
    const tool = spans.find(({ name }) => name === 'execute_tool order_query')
    const calls = Array.from({ length: 30 }, (_, at): TestSpan => {
      const attributes = { ...tool?.attributes, 'gen_ai.tool.call.arguments': `{"order_id":"${at}"}` }
      const failed = at === 27 ? { 'gen_ai.tool.call.result': '{"error":"no such order"}' } : {}
      return {
        ...(tool as TestSpan),
        spanId: spanId(1, 100 + at),
        parentSpanId: root,
        startMs: 11_000 + at,
        endMs: 11_001 + at,
        attributes: { ...attributes, ...failed },
      }
    })
    writeChains(join(cwd, 'calls.jsonl'), [[...calls, ...spans.filter((span) => span !== tool)]])
    const { stdout } = await report('calls.jsonl', '--node', 'order_query')
    expect(stdout.match(/^ {2}step /gmu)).toHaveLength(21)
    expect(stdout).toContain(`step     ${spanId(1, 127)}`)
    expect(stdout).toMatch(/^ {2}… 9 more steps reached$/mu)
  })

  it('keeps whole reports in the other forms, of the chains that have the node', async () => {
    writeChains(join(cwd, 'other.jsonl'), [chainSpans(1), chainSpans(2).slice(2)])
    const reports = await reportsOf('other.jsonl', '--node', 'order_query')
    expect(reports.map(({ trace_id, nodes }) => [trace_id, nodes.length])).toEqual([[traceId(1), 3]])
  })

  it('notes a name that no chain has', async () => {
    const { code, stdout, stderr } = await report('many.jsonl', '--node', 'nobody')
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toContain('note: no chain with a node named nobody in the input\n')
  })

  it('stays within ASCII where that is asked for', async () => {
    const { stdout } = await report('many.jsonl', '--node', 'order_query', '--ascii')
    expect(stdout).toMatch(/^[\x20-\x7e\n]+$/u)
  })
})

describe('agent-reach report, what it looks like', () => {
  it('is coloured where standard output is a terminal, and not where NO_COLOR is set', async () => {
    const escape = '\u001b['
    expect((await reportWith({ isTTY: true }, 'one.jsonl')).stdout).toContain(escape)
    expect((await reportWith({ isTTY: true, env: { NO_COLOR: '1' } }, 'one.jsonl')).stdout).not.toContain(
      escape,
    )
    expect((await report('one.jsonl')).stdout).not.toContain(escape)
    expect((await reportWith({ env: { FORCE_COLOR: '1' } }, 'one.jsonl')).stdout).toContain(escape)
    expect((await report('one.jsonl', '--color', 'always')).stdout).toContain(escape)
  })

  it('fits the terminal', async () => {
    const { stdout } = await reportWith({ isTTY: true, columns: 60 }, 'many.jsonl', '--color', 'never')
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60)
  })

  it('stays within ASCII where that is asked for', async () => {
    const { stdout } = await report('many.jsonl', '--ascii')
    expect(stdout).toMatch(/^[\x20-\x7e\n]+$/u)
  })

  it('is a line for each chain that is not well where it is to be quiet', async () => {
    const { code, stdout, stderr } = await report('many.jsonl', '--quiet')
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(/^partial_failed\t(?:02){16}\ttask-2\t\S/u)
    expect(lines[1]).toMatch(/^failed\t(?:03){16}\ttask-3\t\S/u)
    expect(stderr).toBe('')
  })

  it("draws a progress bar only where it is in nobody's way", async () => {
    const padded = chainSpans(1).map((span) => ({ ...span, name: 'x'.repeat(3 * 1024 * 1024) }))
    writeChains(join(cwd, 'padded.jsonl'), [padded])
    expect(await isBarDrawn()).toBe(true)
    expect(await isBarDrawn('--quiet')).toBe(false)
    expect(await isBarDrawn('--format', 'json')).toBe(false)
    expect(await isBarDrawn('--node', 'order_query')).toBe(false)
  })

  it('tells problems also where it is to be quiet', async () => {
    const { stdout, stderr } = await report('damaged.jsonl', '--quiet')
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^Cannot read [^\n]*\n$/u)
  })

  it('ends quietly when its reader goes away', async () => {
    const { code, stdout, stderr } = await reportWith(
      { stdoutEndsAfter: 1 },
      'many.jsonl',
      '--format',
      'json',
    )
    expect(code).toBe(0)
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
    expect(stderr).toBe('')
  })

  it('writes and judges everything also when its reader goes away', async () => {
    const argv = ['many.jsonl', '--format', 'json', '--out', 'unread', '--fail-on', 'failed']
    const { code } = await reportWith({ stdoutEndsAfter: 1 }, ...argv)
    expect(code).toBe(1)
    const names = readdirSync(join(cwd, 'unread'), { recursive: true, encoding: 'utf8' })
    expect(names.filter((name) => name.endsWith('.json'))).toHaveLength(5)
  })
})
