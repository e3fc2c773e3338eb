import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SpanExplanation } from '../../src/cli/explain-span.ts'
import { type CliOutcome, runCli } from './run-cli.ts'
import { chainSpans, spanId, type TestSpan, traceId, writeChains } from './write-traces.ts'

const cwd = mkdtempSync(join(tmpdir(), 'explain-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

beforeAll(() => {
  writeChains(join(cwd, 'traces.jsonl'), [
    chainSpans(1),
    chainSpans(2, 'error_result'),
    chainSpans(5, 'plain'),
  ])
})

function explain(id: string, ...more: readonly string[]): Promise<CliOutcome> {
  return runCli(['report', 'traces.jsonl', '--explain', id, ...more], { cwd })
}

async function explanationsOf(name: string, id: string): Promise<readonly SpanExplanation[]> {
  const argv = ['report', name, '--explain', id, '--format', 'json']
  const { code, stdout } = await runCli(argv, { cwd })
  expect(code).toBe(0)
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as SpanExplanation)
}

describe('agent-reach report --explain', () => {
  it('shows kind, node, where each field came from, what is known of the content, and the findings', async () => {
    const { code, stdout } = await explain(spanId(2, 2))
    expect(code).toBe(0)
    expect(stdout).toMatch(/^span {4}0000000200000002\nname {4}execute_tool order_query\n/u)
    expect(stdout).toMatch(/^kind {4}tool$/mu)
    expect(stdout).toMatch(/^node {4}order_query$/mu)
    expect(stdout).toMatch(/^input {3}seen$/mu)
    expect(stdout).toMatch(/^output {2}seen$/mu)
    expect(stdout).toMatch(/^call\.result +gen_ai\.tool\.call\.result +gen-ai +v0\.1\.0$/mu)
    expect(stdout).toMatch(/^kind +gen_ai\.operation\.name +gen-ai/mu)
    expect(stdout).toMatch(/^error +error_in_result +\S/mu)
  })

  it('never shows content', async () => {
    const { stdout } = await explain(spanId(1, 2))
    expect(stdout).not.toContain('ORD-1')
    expect(stdout).toContain('no findings')
  })

  it('does not let a name steer the terminal, and stays within ASCII where that is asked for', async () => {
    const spans = chainSpans(1).map((span) => ({ ...span, name: 'order\u001b[2J\u8ba2' }))
    writeChains(join(cwd, 'steering.jsonl'), [spans])
    const argv = ['report', 'steering.jsonl', '--explain', spanId(1, 2)]
    const { stdout } = await runCli(argv, { cwd })
    expect(stdout).toContain('order\\x1b[2J\u8ba2\n')
    const { stdout: ascii } = await runCli([...argv, '--ascii'], { cwd })
    expect(ascii).toContain('order\\x1b[2J\\u8ba2\n')
  })

  it('says the same as a line of JSON', async () => {
    const [only, ...others] = await explanationsOf('traces.jsonl', spanId(2, 2))
    expect(others).toEqual([])
    expect(only).toMatchObject({
      trace_id: traceId(2),
      span_id: spanId(2, 2),
      span_name: 'execute_tool order_query',
      kind: 'tool',
      node_name: 'order_query',
      evidence: { input: 'seen', output: 'seen' },
      findings: [{ code: 'error_in_result', severity: 'error', span_id: spanId(2, 2) }],
    })
    expect(only?.fields).toContainEqual({
      field: 'tool.name',
      key: 'gen_ai.tool.name',
      dialect: 'gen-ai',
      version: 'v0.1.0',
    })
  })

  it('reads the answer of a model, and tells what is absent', async () => {
    const [model] = await explanationsOf('traces.jsonl', spanId(1, 1))
    expect(model?.evidence).toEqual({ input: 'absent', output: 'seen' })
  })

  it.each([
    ['redacted', '[REDACTED]'],
    ['truncated', '{"order_id":"ORD-'],
    ['partial', JSON.stringify({ text: 'x'.repeat(70_000) })],
  ])('tells that an output is %s', async (state, result) => {
    const spans = chainSpans(1).map((span): TestSpan => {
      if (span.spanId !== spanId(1, 2)) return span
      return { ...span, attributes: { ...span.attributes, 'gen_ai.tool.call.result': result } }
    })
    writeChains(join(cwd, 'states.jsonl'), [spans])
    const [tool] = await explanationsOf('states.jsonl', spanId(1, 2))
    expect(tool?.evidence.output).toBe(state)
  })

  it('says of a plain span that it is no step', async () => {
    const { code, stdout } = await explain(spanId(5, 0))
    expect(code).toBe(0)
    expect(stdout).toMatch(/^kind {4}other, no step of an agent/mu)
    expect(stdout).toContain('no field is recorded under a key that is known')
  })

  it('explains the span of each trace that has the id, or of the trace that is asked for', async () => {
    const copy = chainSpans(1).map((span) => ({ ...span, traceId: traceId(7) }))
    writeChains(join(cwd, 'twins.jsonl'), [copy, chainSpans(1)])
    const twins = await explanationsOf('twins.jsonl', spanId(1, 2))
    expect(twins.map(({ trace_id }) => trace_id)).toEqual([traceId(1), traceId(7)])
    const argv = ['report', 'twins.jsonl', '--explain', spanId(1, 2), '--trace', traceId(7)]
    const { stdout } = await runCli(argv, { cwd })
    expect(stdout.match(/^trace .*$/gmu)).toEqual([`trace   ${traceId(7)}`])
  })

  it('explains of two copies the one that is judged', async () => {
    const spans = chainSpans(1)
    const grown = spans.map((span) => ({ ...span, endMs: span.endMs + 1, name: `${span.name} again` }))
    writeChains(join(cwd, 'copies.jsonl'), [grown, spans])
    const [only] = await explanationsOf('copies.jsonl', spanId(1, 2))
    expect(only?.span_name).toBe('execute_tool order_query again')
  })

  it('fails where no span has the id', async () => {
    const { code, stdout, stderr } = await explain('f'.repeat(16))
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe(
      `agent-reach: Cannot explain span ${'f'.repeat(16)}: expected a span of that id, found none in the input\n`,
    )
  })

  it('fails where an input cannot be read', async () => {
    const argv = ['report', 'traces.jsonl', 'missing.jsonl', '--explain', spanId(1, 2)]
    const { code, stdout } = await runCli(argv, { cwd })
    expect(code).toBe(2)
    expect(stdout).toContain('order_query')
  })
})
