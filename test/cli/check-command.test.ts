import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliOutcome, runCli } from './run-cli.ts'
import { chainSpans, type TestFault, toLine, writeChains, writeLines } from './write-traces.ts'

const cwd = mkdtempSync(join(tmpdir(), 'check-command-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const FAULTS: readonly TestFault[] = [
  'none',
  'error_result',
  'root_failed',
  'warned_loop',
  'missing_parent',
  'plain',
]

beforeAll(() => {
  for (const fault of FAULTS) writeChains(join(cwd, `${fault}.jsonl`), [chainSpans(1, fault)])
  writeLines(join(cwd, 'damaged.jsonl'), ['oops', toLine(chainSpans(1, 'root_failed'))])
  mkdirSync(join(cwd, 'empty'))
})

function cli(...argv: readonly string[]): Promise<CliOutcome> {
  return runCli(argv, { cwd })
}

describe('--fail-on', () => {
  it.each<[TestFault, number, number, number]>([
    ['none', 0, 0, 0],
    ['warned_loop', 0, 0, 1],
    ['error_result', 0, 1, 1],
    ['root_failed', 1, 1, 1],
    ['missing_parent', 1, 1, 1],
    ['plain', 2, 2, 2],
  ])(
    'for a chain with %s gives %d with failed, %d with partial_failed, %d with alert',
    async (fault, ...codes) => {
      const bars = ['failed', 'partial_failed', 'alert']
      const found = await Promise.all(bars.map((bar) => cli('report', `${fault}.jsonl`, '--fail-on', bar)))
      expect(found.map(({ code }) => code)).toEqual(codes)
      expect((await cli('report', `${fault}.jsonl`)).code).toBe(0)
    },
  )

  it('lets a partial report pass with --allow-partial, unless it is bad besides', async () => {
    expect((await cli('check', 'missing_parent.jsonl')).code).toBe(1)
    expect((await cli('check', 'missing_parent.jsonl', '--allow-partial')).code).toBe(0)
    expect((await cli('check', 'error_result.jsonl', '--allow-partial')).code).toBe(1)
  })

  it('tells how many chains fail, and why', async () => {
    writeChains(join(cwd, 'mixed.jsonl'), [
      chainSpans(1),
      chainSpans(2, 'error_result'),
      chainSpans(3, 'missing_parent'),
      chainSpans(4, 'warned_loop'),
      chainSpans(5, 'error_result'),
    ])
    const { stderr } = await cli('report', 'mixed.jsonl', '--fail-on', 'alert')
    expect(stderr).toMatch(/\n4 of 5 chains below the bar: 2 partial_failed, 1 partial_report, 1 alert\n$/u)
    const { stdout } = await cli('report', 'mixed.jsonl', '--fail-on', 'alert', '--quiet')
    expect(stdout.split('\n').map((line) => line.split('\t')[0])).toEqual([
      'partial_failed',
      'partial_report',
      'alert',
      'partial_failed',
      '',
    ])
  })
})

describe('agent-reach check', () => {
  it('is report with the bar partial_failed', async () => {
    for (const fault of FAULTS) {
      const check = await cli('check', `${fault}.jsonl`)
      expect(check).toEqual(await cli('report', `${fault}.jsonl`, '--fail-on', 'partial_failed'))
    }
  })

  it('takes another bar', async () => {
    expect((await cli('check', 'error_result.jsonl', '--fail-on', 'failed')).code).toBe(0)
  })

  it('fails where there is no agent chain, and says so even where it is to be quiet', async () => {
    for (const name of ['plain.jsonl', 'empty']) {
      const { code, stderr } = await cli('check', name, '--quiet')
      expect(code).toBe(2)
      expect(stderr).toBe(
        'agent-reach: Cannot judge the input: expected an agent chain, found no agent chain\n',
      )
    }
  })

  it('takes no trace without an agent step for a chain', async () => {
    expect((await cli('check', 'none.jsonl', 'plain.jsonl')).code).toBe(0)
  })

  it('fails where the trace or the node that is asked for is not there', async () => {
    const trace = await cli('check', 'none.jsonl', '--trace', 'f'.repeat(32))
    expect(trace.code).toBe(2)
    expect(trace.stderr).toContain(`found no agent chain of trace ${'f'.repeat(32)}`)
    expect((await cli('check', 'none.jsonl', '--node', 'nobody')).code).toBe(2)
  })

  it('judges only what is chosen', async () => {
    writeChains(join(cwd, 'two.jsonl'), [chainSpans(1), chainSpans(2, 'root_failed')])
    expect((await cli('check', 'two.jsonl')).code).toBe(1)
    expect((await cli('check', 'two.jsonl', '--trace', '01'.repeat(16))).code).toBe(0)
  })

  it.each([
    ['a file that is missing', ['root_failed.jsonl', 'missing.jsonl']],
    ['a bad line with --strict', ['damaged.jsonl', '--strict']],
  ])('gives 2 for %s, although a chain fails too', async (_, argv) => {
    expect((await cli('check', ...argv)).code).toBe(2)
  })

  it('gives 1 for a chain that fails beside a bad line without --strict', async () => {
    expect((await cli('check', 'damaged.jsonl')).code).toBe(1)
  })
})
