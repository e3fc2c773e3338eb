import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliOutcome, readReportLines, runCli } from './run-cli.ts'
import { chainSpans, spanId, writeChains } from './write-traces.ts'

const cwd = mkdtempSync(join(tmpdir(), 'cli-rules-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

beforeAll(() => {
  writeChains(join(cwd, 'good.jsonl'), [chainSpans(1), chainSpans(2)])
  writeFileSync(join(cwd, 'strict.yaml'), 'version: 1\nnodes: { order_query: { timeout: 1ms } }\n')
  writeFileSync(join(cwd, 'nothing.yaml'), 'version: 1\n')
  writeFileSync(join(cwd, 'wrong.yaml'), 'version: 2\nnodes:\n  a:\n    timeout: soon\n')
  const schema = '{ type: string, pattern: "(a+)+$" }'
  writeFileSync(join(cwd, 'unsafe.yaml'), `version: 1\nnodes:\n  a:\n    result: { schema: ${schema} }\n`)
})

function cli(...argv: readonly string[]): Promise<CliOutcome> {
  return runCli(argv, { cwd })
}

describe('--rules', () => {
  it('judges the runs by the file', async () => {
    expect((await cli('check', 'good.jsonl')).code).toBe(0)
    expect((await cli('check', 'good.jsonl', '--rules', 'strict.yaml')).code).toBe(1)
    expect((await cli('check', 'good.jsonl', '--rules', join(cwd, 'strict.yaml'))).code).toBe(1)
    const { stdout, code } = await cli('report', 'good.jsonl', '--rules', 'strict.yaml', '--format', 'json')
    const reports = readReportLines(stdout)
    expect(reports.map(({ root_cause }) => root_cause?.code)).toEqual(['timeout', 'timeout'])
    expect(code).toBe(0)
  })

  it('changes nothing where the file asks for nothing', async () => {
    const without = await cli('report', 'good.jsonl', '--format', 'json')
    expect(await cli('report', 'good.jsonl', '--format', 'json', '--rules', 'nothing.yaml')).toEqual(without)
  })

  it('holds for --explain', async () => {
    const { stdout } = await cli('report', 'good.jsonl', '--explain', spanId(1, 2), '--rules', 'strict.yaml')
    expect(stdout).toContain('timed out')
  })

  it.each([
    [
      'wrong.yaml',
      [
        'agent-reach: Cannot use wrong.yaml:1 at version: expected 1, found 2',
        'agent-reach: Cannot use wrong.yaml:4 at nodes.a.timeout: expected a duration such as 250ms, 5s, 2m or 1h, found soon',
      ],
    ],
    [
      'absent.yaml',
      ['agent-reach: Cannot use absent.yaml: expected a file that can be read, found no such file'],
    ],
  ])('ends with 2 where %s cannot be used, and tells each problem in a line', async (name, lines) => {
    for (const command of ['report', 'check']) {
      const { code, stdout, stderr } = await cli(command, 'good.jsonl', '--rules', name)
      expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `${lines.join('\n')}\n` })
    }
  })

  it('ends with 2 where a schema cannot be checked as it is written', async () => {
    const { code, stderr } = await cli('check', 'good.jsonl', '--rules', 'unsafe.yaml')
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^agent-reach: Cannot use unsafe\.yaml:4 at nodes\.a\.result\.schema: expected .*\n$/u,
    )
  })

  it('needs a file', async () => {
    const { code, stderr } = await cli('check', 'good.jsonl', '--rules')
    expect(code).toBe(2)
    expect(stderr).toContain('Cannot read --rules: expected a value (FILE), found nothing')
  })
})
