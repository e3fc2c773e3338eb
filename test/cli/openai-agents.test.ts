import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectValidReport } from '../report/expect-valid-report.ts'
import { type CliOutcome, readReportLines, runCli } from './run-cli.ts'

const cwd = mkdtempSync(join(tmpdir(), 'openai-agents-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const TRACE = 'trace_0af7651916cd43dd8448eb211c80319c'
const AGENT = 'span_000000000000000a00000000'

/** A span of one second that starts `at` seconds after noon. */
function span(id: string, at: number, data: object, more: object = {}): object {
  const toTime = (seconds: number): string => `2026-11-30T12:00:0${seconds}.000Z`
  return {
    object: 'trace.span',
    id,
    trace_id: TRACE,
    parent_id: id === AGENT ? null : AGENT,
    started_at: toTime(at),
    ended_at: toTime(at + 1),
    span_data: data,
    error: null,
    ...more,
  }
}

function generation(message: object, input: number, output: number): object {
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', ...message } }]
  const usage = { input_tokens: input, output_tokens: output }
  return { type: 'generation', model: 'gpt-4o', output: [{ id: `c${input}`, choices }], usage }
}

const asks = {
  content: null,
  tool_calls: [
    { id: 'call_1', type: 'function', function: { name: 'forecast', arguments: '{"city":"Paris"}' } },
  ],
}

/** The lines of a run in the order in which the SDK exports them: the trace first, spans as they end. */
function lines(output: string, error: object | null = null): readonly object[] {
  const call = { type: 'function', name: 'forecast', input: '{"city":"Paris"}', output }
  return [
    { object: 'trace', id: TRACE, workflow_name: 'Agent workflow', group_id: 'thread-7', metadata: {} },
    span('span_000000000000000b00000000', 1, generation(asks, 100, 10)),
    span('span_000000000000000c00000000', 2, call, { error }),
    span('span_000000000000000d00000000', 3, generation({ content: 'Rain in Paris.' }, 200, 20)),
    span(AGENT, 0, { type: 'agent', name: 'support', tools: ['forecast'] }),
  ]
}

function write(name: string, objects: readonly object[]): void {
  writeFileSync(join(cwd, name), objects.map((object) => `${JSON.stringify(object)}\n`).join(''))
}

beforeAll(() => {
  write('good.jsonl', lines('rain'))
  write('batch.json', [{ data: lines('rain') }])
  write(
    'failed.jsonl',
    lines('', {
      message: 'Error running tool',
      data: { tool_name: 'forecast', error: 'TimeoutError: 30 s' },
    }),
  )
  write('torn.jsonl', [...lines('rain'), { ...lines('rain')[1], id: 'span_1', ended_at: null }])
})

function report(...argv: readonly string[]): Promise<CliOutcome> {
  return runCli(['report', ...argv, '--format', 'json'], { cwd })
}

describe('agent-reach report reads tracing objects of the OpenAI Agents SDK', () => {
  it('a line each, as it reads any other input', async () => {
    const { code, stdout, stderr } = await report('good.jsonl')
    const [only, ...others] = readReportLines(stdout)
    expect([code, others]).toEqual([0, []])
    expect(stderr).not.toContain('Cannot')
    expectValidReport(only)
    expect(only).toMatchObject({
      trace_id: '0af7651916cd43dd8448eb211c80319c',
      overall_status: 'success',
      agent_name: 'support',
      session_id: 'thread-7',
      step_count: 4,
      model_calls: 2,
      tool_calls: 1,
      token_count: 330,
      findings: [],
    })
  })

  it('as the exporter of the SDK sends them, with the same result', async () => {
    const [one] = readReportLines((await report('good.jsonl')).stdout)
    const [batch] = readReportLines((await report('batch.json')).stdout)
    expect(batch?.digest).toBe(one?.digest)
  })

  it('with the tool that failed, and why', async () => {
    const [failed] = readReportLines((await report('failed.jsonl')).stdout)
    expect(failed?.findings.map(({ code }) => code)).toEqual(['timeout'])
    expect(failed?.root_cause?.node_name).toBe('forecast')
  })

  it('and tells of a span that has no end', async () => {
    const { stdout, stderr } = await report('torn.jsonl')
    expect(stderr).toContain('ended_at')
    expect(readReportLines(stdout)[0]).toMatchObject({ step_count: 4, completeness: 'partial' })
  })

  it('and explains where a field came from, by the id that stands for that of the SDK', async () => {
    const { code, stdout } = await runCli(['report', 'good.jsonl', '--explain', '000000000000000c'], { cwd })
    expect(code).toBe(0)
    expect(stdout).toContain('openai_agents.function.input')
  })
})
