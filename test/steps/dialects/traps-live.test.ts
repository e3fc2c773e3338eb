import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { describe, expect, it } from 'vitest'
import { canonicalReport } from '../../../src/report/report-digest.ts'
import type { ChainReport } from '../../../src/report/chain-report.ts'
import { agent, model, tokens, tool } from '../../chain/trace-script.ts'
import {
  readBack,
  type Recorder,
  type Scripted,
  startRecording,
  toApiAttributes,
  until,
} from '../../processors/record-run.ts'

const codesOf = (report: ChainReport): readonly string[] =>
  report.findings.map(({ code, node_name }) => `${node_name} ${code}`)

function expectReadBack(recorder: Recorder, report: ChainReport): void {
  const [read] = readBack(recorder.spans) as [ChainReport]
  expect(canonicalReport(report)).toBe(canonicalReport(read))
}

describe('a span that started and never ended', () => {
  it('is told by what it was at its start: a tool of Traceloop that threw', async () => {
    const recorder = startRecording({ options: { limits: { settleMillis: 1, idleMillis: 30 } } })
    const root = recorder.tracer.startSpan('planner.agent', {
      attributes: {
        'traceloop.span.kind': 'agent',
        'traceloop.entity.name': 'planner',
        'gen_ai.agent.name': 'planner',
      },
    })
    const below = {
      'traceloop.entity.name': 'calc',
      'traceloop.span.kind': 'tool',
      'gen_ai.agent.name': 'planner',
    }
    recorder.tracer.startSpan('calc.tool', { attributes: below }, trace.setSpan(ROOT_CONTEXT, root))
    root.end()
    await until(() => recorder.reports.length === 1)
    const [report] = recorder.reports as [ChainReport]
    expect(codesOf(report)).toContain('calc.tool never_ended')
    expectReadBack(recorder, report)
  })

  it('is no step where nothing tells what it is: a span that the bridge of Mastra filtered', async () => {
    const recorder = startRecording({ options: { limits: { settleMillis: 1, idleMillis: 30 } } })
    const root = recorder.tracer.startSpan('agent run', { attributes: toApiAttributes(agent('support')) })
    recorder.tracer.startSpan('memory', {}, trace.setSpan(ROOT_CONTEXT, root))
    root.end()
    await until(() => recorder.reports.length === 1)
    const [report] = recorder.reports as [ChainReport]
    expect(codesOf(report)).toEqual([])
    expect(report.step_count).toBe(1)
  })
})

describe('spans of the bridge of Mastra, which say what they are at their end only', () => {
  const late = (
    name: string,
    attributes: Record<string, string | number>,
    below: readonly Scripted[] = [],
  ): Scripted => ({
    name,
    below,
    atEnd: (span) => void span.setAttributes(attributes),
  })
  const run = late(
    'agent run',
    {
      'gen_ai.operation.name': 'invoke_agent',
      'mastra.span.type': 'agent_run',
      'gen_ai.agent.name': 'support',
    },
    [
      late(
        'generation',
        { 'gen_ai.operation.name': 'model_generation', 'mastra.span.type': 'model_generation' },
        [
          late('step', { 'gen_ai.operation.name': 'agent_step', 'mastra.span.type': 'model_step' }, [
            late('chat', {
              'gen_ai.operation.name': 'chat',
              'mastra.span.type': 'model_inference',
              'gen_ai.response.finish_reasons': '["tool-calls"]',
              ...(tokens(100, 10) as Record<string, number>),
            }),
            late('execute_tool forecast', {
              'gen_ai.operation.name': 'execute_tool',
              'mastra.span.type': 'tool_call',
              'gen_ai.tool.name': 'forecast',
              'gen_ai.tool.call.arguments': '{"city":"Paris"}',
              'gen_ai.tool.call.result': '{"rain":true}',
            }),
          ]),
        ],
      ),
    ],
  )

  it('make the report of a run all the same', async () => {
    const recorder = startRecording()
    recorder.run(run)
    const report = await recorder.oneReport()
    expect(report).toMatchObject({
      overall_status: 'success',
      agent_name: 'support',
      step_count: 5,
      token_count: 110,
      model_calls: 1,
      tool_calls: 1,
    })
    expect(report.nodes.map(({ node_name }) => node_name)).toContain('forecast')
    expectReadBack(recorder, report)
  })
})

describe('pending spans of Logfire', () => {
  const span = { 'logfire.span_type': 'span' }
  const pending = { 'logfire.span_type': 'pending_span', 'logfire.pending_parent_id': '0000000000000000' }
  const scripted = (
    name: string,
    attributes: Record<string, unknown>,
    below: readonly Scripted[] = [],
  ): Scripted => ({
    name,
    attributes: { ...attributes, ...span },
    below: [{ name: `${name} (pending)`, attributes: { ...attributes, ...pending } }, ...below],
  })

  it('are neither steps nor counted, marked nor told of', async () => {
    const recorder = startRecording()
    recorder.run(
      scripted('run', agent('joker'), [
        scripted('chat', model('A joke.', tokens(100, 10))),
        scripted('joke', tool('joke', { topic: 'rain' }, '')),
      ]),
    )
    const report = await recorder.oneReport()
    expect(report).toMatchObject({ span_count: 3, step_count: 3, token_count: 110, completeness: 'complete' })
    expect(codesOf(report)).toEqual(['joke empty_result'])
    expect(recorder.findings).toHaveLength(1)
    const marked = recorder.spans.filter(({ name, attributes }) => {
      return (
        name.endsWith('(pending)') && Object.keys(attributes).some((key) => key.startsWith('agent_reach.'))
      )
    })
    expect(marked).toEqual([])
    expectReadBack(recorder, report)
  })
})
