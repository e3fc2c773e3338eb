import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { describe, expect, it } from 'vitest'
import { decodeTraces } from '../../../../src/otlp/decode-json.ts'
import type { ChainReport } from '../../../../src/report/chain-report.ts'
import { canonicalReport } from '../../../../src/report/report-digest.ts'
import { readStep } from '../../../../src/steps/read-step.ts'
import type { Attributes } from '../../../../src/steps/span-view.ts'
import {
  agent,
  model,
  reportOf,
  reportsOf,
  type ScriptSpan,
  tokens,
  tool,
  toSpans,
} from '../../../chain/trace-script.ts'
import {
  type ApiSpan,
  readBack,
  type Recorder,
  type Scripted,
  startRecording,
  toApiAttributes,
  until,
} from '../../../processors/record-run.ts'
import { readModel, readTool } from '../../read-span.ts'
import { codesOf } from './recorded-tools.ts'

const toldOf = (report: ChainReport): readonly string[] =>
  report.findings.map(({ code, node_name: node }) => `${node} ${code}`)

function expectReadBack(recorder: Recorder, report: ChainReport): void {
  const [read] = readBack(recorder.spans) as [ChainReport]
  expect(canonicalReport(report)).toBe(canonicalReport(read))
}

/** A program whose traces are told of when nothing has happened for 30 ms. */
function startImpatient(): Recorder {
  return startRecording({ options: { limits: { settleMillis: 1, idleMillis: 30 } } })
}

function start({ tracer }: Recorder, name: string, attributes: Attributes, parent?: ApiSpan): ApiSpan {
  const context = parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent)
  return tracer.startSpan(name, { attributes: toApiAttributes(attributes) }, context)
}

async function firstReport(recorder: Recorder): Promise<ChainReport> {
  await until(() => recorder.reports.length === 1)
  return recorder.reports[0] as ChainReport
}

describe('trap 15: a span that started may never end', () => {
  it('a tool of Traceloop that threw is told by what it was at its start', async () => {
    const recorder = startImpatient()
    const inherited = { 'gen_ai.agent.name': 'planner' }
    const root = start(recorder, 'planner.agent', {
      ...inherited,
      'traceloop.span.kind': 'agent',
      'traceloop.entity.name': 'planner',
    })
    const calc = { ...inherited, 'traceloop.span.kind': 'tool', 'traceloop.entity.name': 'calc' }
    start(recorder, 'calc.tool', calc, root)
    root.end()
    const report = await firstReport(recorder)
    expect(toldOf(report)).toContain('calc.tool never_ended')
    expect(report).toMatchObject({ completeness: 'partial', completeness_reason: 'idle' })
    expectReadBack(recorder, report)
  })

  it('a stream of the AI SDK whose provider failed leaves call and root open: a report all the same', async () => {
    const recorder = startImpatient()
    const root = start(recorder, 'ai.streamText', { 'ai.operationId': 'ai.streamText' })
    start(recorder, 'ai.streamText.doStream', { 'ai.operationId': 'ai.streamText.doStream' }, root)
    const report = await firstReport(recorder)
    expect(report).toMatchObject({ completeness: 'partial', completeness_reason: 'idle', step_count: 2 })
    expect(toldOf(report)).toEqual(
      expect.arrayContaining(['ai.streamText never_ended', 'ai.streamText.doStream never_ended']),
    )
    expect(report.steps.map(({ status }) => status)).toEqual(['timed_out', 'timed_out'])
  })

  it('a span that the bridge of Mastra filtered is no step, as nothing tells what it is', async () => {
    const recorder = startImpatient()
    const root = start(recorder, 'agent run', agent('support'))
    start(recorder, 'memory', {}, root)
    root.end()
    const report = await firstReport(recorder)
    expect(report).toMatchObject({ step_count: 1, findings: [] })
  })

  it('a tool of OpenInference that failed is told by the kind that it had at its start', async () => {
    const recorder = startImpatient()
    const root = start(recorder, 'AgentExecutor', { 'openinference.span.kind': 'AGENT' })
    start(recorder, 'forecast', { 'openinference.span.kind': 'TOOL' }, root)
    root.end()
    const report = await firstReport(recorder)
    expect(toldOf(report)).toContain('forecast never_ended')
    expectReadBack(recorder, report)
  })

  it('and is an ended step once it has ended after all', async () => {
    const recorder = startRecording({
      options: { limits: { settleMillis: 1, idleMillis: 30, lateWindowMillis: 5_000 } },
    })
    const root = start(recorder, 'AgentExecutor', { 'openinference.span.kind': 'AGENT' })
    const slow = start(recorder, 'forecast', { 'openinference.span.kind': 'TOOL' }, root)
    root.end()
    await firstReport(recorder)
    slow.end()
    await until(() => recorder.reports.length === 2)
    expect(recorder.reports[1]).toMatchObject({ completeness: 'amended', findings: [] })
  })
})

const LOGFIRE = { 'logfire.span_type': 'span' }
const PENDING = { 'logfire.span_type': 'pending_span', 'logfire.pending_parent_id': '0000000000000000' }

describe('trap 16: a pending span of Logfire repeats the span that it stands in for', () => {
  const run = agent('joker', { ...LOGFIRE, ...tokens(300, 30) })
  const chat = model('A joke.', { ...LOGFIRE, ...tokens(300, 30), 'operation.cost': 0.25 })
  const joke = tool('joke', { topic: 'rain' }, 'Drip.', LOGFIRE)
  const real: readonly ScriptSpan[] = [
    { id: 'run', at: 0, ms: 90, attributes: run },
    { id: 'chat', parent: 'run', at: 10, ms: 5, attributes: chat },
    { id: 'joke', parent: 'run', at: 20, ms: 5, attributes: joke },
  ]
  const announced: readonly ScriptSpan[] = [
    { id: 'p1', name: 'run', parent: 'run', at: 0, ms: 0, attributes: { ...run, ...PENDING } },
    { id: 'p2', name: 'chat', parent: 'chat', at: 10, ms: 0, attributes: { ...chat, ...PENDING } },
    { id: 'p3', name: 'joke', parent: 'joke', at: 20, ms: 0, attributes: { ...joke, ...PENDING } },
  ]

  it('and changes nothing of a report, whenever it comes', () => {
    const expected = canonicalReport(reportOf(real))
    expect(canonicalReport(reportOf([...announced, ...real]))).toBe(expected)
    expect(canonicalReport(reportOf([...real, ...announced]))).toBe(expected)
    expect(reportOf([...announced, ...real])).toMatchObject({
      span_count: 3,
      step_count: 3,
      token_count: 330,
      estimated_cost_usd: 0.25,
      model_calls: 1,
      tool_calls: 1,
      findings: [],
    })
  })

  it('and makes no step where it is all there is of a run that never ended', () => {
    const [report] = reportsOf(toSpans(announced))
    expect(report?.step_count ?? 0).toBe(0)
  })

  it('and is neither counted, marked nor told of in the process that records it', async () => {
    const scripted = (name: string, attributes: Attributes, below: readonly Scripted[] = []): Scripted => ({
      name,
      attributes: { ...attributes, ...LOGFIRE },
      below: [{ name: `${name} (pending)`, attributes: { ...attributes, ...PENDING } }, ...below],
    })
    const recorder = startRecording()
    recorder.run(
      scripted('run', agent('joker'), [
        scripted('chat', model('A joke.', tokens(100, 10))),
        scripted('joke', tool('joke', { topic: 'rain' }, '')),
      ]),
    )
    const report = await recorder.oneReport()
    expect(report).toMatchObject({ span_count: 3, step_count: 3, token_count: 110, completeness: 'complete' })
    expect(toldOf(report)).toEqual(['joke empty_result'])
    expect(recorder.findings).toHaveLength(1)
    const marked = recorder.spans.filter(
      ({ name, attributes }) =>
        name.endsWith('(pending)') && Object.keys(attributes).some((key) => key.startsWith('agent_reach.')),
    )
    expect(marked).toEqual([])
    expectReadBack(recorder, report)
  })

  it('and its span is told to have started by the span itself, in the process that records it', async () => {
    const recorder = startImpatient()
    const root = start(recorder, 'run', { ...agent('joker'), ...LOGFIRE })
    const hung = start(recorder, 'joke', { ...tool('joke', {}), ...LOGFIRE }, root)
    start(recorder, 'joke (pending)', { ...tool('joke', {}), ...PENDING }, hung).end()
    root.end()
    const report = await firstReport(recorder)
    expect(toldOf(report)).toContain('joke never_ended')
    expect(report.step_count).toBe(2)
    expectReadBack(recorder, report)
  })
})

describe('trap 17: Mastra and OpenAI Agents may keep their spans from a processor', () => {
  const late = (name: string, attributes: Attributes, below: readonly Scripted[] = []): Scripted => ({
    name,
    below,
    atEnd: (span) => void span.setAttributes(toApiAttributes(attributes)),
  })
  const mastra = (type: string, operation: string, more: Attributes = {}): Attributes => ({
    'gen_ai.operation.name': operation,
    'mastra.span.type': type,
    ...more,
  })
  const inference = mastra('model_inference', 'chat', {
    'gen_ai.response.finish_reasons': '["tool-calls"]',
    ...tokens(100, 10),
  })
  const forecast = mastra('tool_call', 'execute_tool', {
    'gen_ai.tool.name': 'forecast',
    'gen_ai.tool.call.arguments': '{"city":"Paris"}',
    'gen_ai.tool.call.result': '{"rain":true}',
  })
  const support = mastra('agent_run', 'invoke_agent', { 'gen_ai.agent.name': 'support' })
  const TRUTH = {
    overall_status: 'success',
    agent_name: 'support',
    step_count: 5,
    token_count: 110,
    model_calls: 1,
    tool_calls: 1,
    findings: [],
  }

  it('the bridge of Mastra hands them over, and they say what they are at their end only', async () => {
    const step = late('step', mastra('model_step', 'agent_step'), [
      late('chat', inference),
      late('execute_tool forecast', forecast),
    ])
    const generation = late('generation', mastra('model_generation', 'model_generation'), [step])
    const recorder = startRecording()
    recorder.run(late('agent run', support, [generation]))
    const report = await recorder.oneReport()
    expect(report).toMatchObject(TRUTH)
    expect(report.nodes.map(({ node_name }) => node_name)).toContain('forecast')
    expectReadBack(recorder, report)
  })

  it('the bridge drops lists: an answer without finish reasons and messages is not seen, and not empty', () => {
    const bare = mastra('model_inference', 'chat', tokens(100, 10))
    expect(readModel(bare)).toMatchObject({ finishReasons: [] })
    expect(readModel(bare).readOutput()).toMatchObject({ state: 'absent', calls: [] })
    expect(reportOf([{ id: 'm', at: 0, attributes: bare }]).findings).toEqual([])
  })

  it('the exporter of Mastra sends them past every processor: they are read from OTLP', () => {
    const spans = [
      ['1', '', 'invoke_agent support', support],
      ['2', '1', 'generation', mastra('model_generation', 'model_generation')],
      ['3', '2', 'step', mastra('model_step', 'agent_step')],
      ['4', '3', 'chat', inference],
      ['5', '3', 'execute_tool forecast', forecast],
    ] as const
    const body = spans.map(([id, parent, name, attributes]) => ({
      traceId: '5b8efff798038103d269b633813fc60c',
      spanId: id.padStart(16, '0'),
      parentSpanId: parent === '' ? '' : parent.padStart(16, '0'),
      name,
      startTimeUnixNano: `${id}000000`,
      endTimeUnixNano: `${id}500000`,
      status: { code: 1 },
      attributes: Object.entries(attributes).map(([key, value]) => ({
        key,
        value: typeof value === 'number' ? { intValue: value } : { stringValue: value },
      })),
    }))
    const scope = { name: '@mastra/otel-exporter', version: '1.4.0' }
    const decoded = decodeTraces({ resourceSpans: [{ scopeSpans: [{ scope, spans: body }] }] })
    expect(reportsOf(decoded.spans)).toMatchObject([TRUTH])
  })

  it('OpenAI Agents has no spans of OpenTelemetry: its own tracing objects are read', () => {
    const base = {
      object: 'trace.span',
      trace_id: 'trace_0af7651916cd43dd8448eb211c80319c',
      started_at: '2026-11-30T12:00:00Z',
      ended_at: '2026-11-30T12:00:01Z',
    }
    const usage = { input_tokens: 100, output_tokens: 10 }
    const { spans } = decodeTraces([
      { ...base, id: 'span_a', span_data: { type: 'agent', name: 'support' } },
      { ...base, id: 'span_g', parent_id: 'span_a', span_data: { type: 'generation', usage } },
      {
        ...base,
        id: 'span_f',
        parent_id: 'span_a',
        span_data: { type: 'function', name: 'forecast', input: '{"city":"Paris"}', output: '{"rain":true}' },
      },
    ])
    expect(reportsOf(spans)).toMatchObject([{ ...TRUTH, step_count: 3 }])
  })
})

describe('trap 18: messages may be in log records, and not on the span', () => {
  // As @opentelemetry/instrumentation-openai 0.22.0 writes it: no messages, no tool spans.
  const chat = (finish: string): Attributes => ({
    'gen_ai.operation.name': 'chat',
    'gen_ai.system': 'openai',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.response.finish_reasons': [finish],
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 10,
  })

  it('and are content that was not seen, neither empty answers nor calls that never ran', () => {
    expect(readModel(chat('tool_calls')).readOutput()).toEqual({
      state: 'absent',
      text: null,
      calls: [],
      hasOtherParts: false,
      finishReasons: [],
    })
    const report = reportOf([
      { id: 'a', at: 0, attributes: chat('tool_calls') },
      { id: 'b', at: 5, attributes: chat('stop') },
    ])
    expect(report).toMatchObject({ findings: [], token_count: 220, model_calls: 2 })
    expect(report.steps.map(({ evidence }) => evidence)).toEqual(['none', 'none'])
  })

  it('and a tool without arguments and result has none that were seen', () => {
    const bare = tool('forecast', undefined)
    expect(readTool(bare)).toMatchObject({ input: { state: 'absent' }, output: { state: 'absent' } })
    const report = reportOf([
      { id: 'a', at: 0, ms: 90, attributes: agent('support') },
      { id: 'm', parent: 'a', at: 1, attributes: chat('tool_calls') },
      { id: 't', parent: 'a', at: 10, attributes: bare },
    ])
    expect(report).toMatchObject({ findings: [], tool_calls: 1 })
    expect(report.nodes.find(({ node_name }) => node_name === 'forecast')?.evidence).toBe('none')
  })

  it('and equal calls without arguments are no loop, as nothing tells that they are equal', () => {
    const calls = [1, 2, 3, 4, 5].map((n): ScriptSpan => ({
      id: `t${n}`,
      parent: 'a',
      at: n * 10,
      ms: 5,
      attributes: tool('forecast', undefined),
    }))
    const report = reportOf([{ id: 'a', at: 0, ms: 90, attributes: agent('support') }, ...calls])
    expect(codesOf(report)).not.toContain('loop')
  })
})

describe('trap 19: the root of a run is no span without a parent', () => {
  it('but the first agent span below a span of the server, whose time is not that of the run', () => {
    const report = reportOf([
      { id: 'http', at: 0, ms: 500, attributes: { 'http.request.method': 'POST' } },
      { id: 'a', parent: 'http', at: 100, ms: 90, attributes: agent('support') },
      { id: 'm', parent: 'a', at: 110, ms: 10, attributes: model('Hello') },
    ])
    expect(report).toMatchObject({ agent_name: 'support', total_latency_ms: 90, step_count: 2 })
  })

  it('nor does a span of the program between two steps make two roots', () => {
    const report = reportOf([
      { id: 'a', at: 0, ms: 90, attributes: agent('support') },
      { id: 'retry', parent: 'a', at: 10, ms: 60, attributes: {} },
      { id: 'm', parent: 'retry', at: 20, ms: 10, attributes: model('Hello', tokens(100, 10)) },
    ])
    expect(report).toMatchObject({ step_count: 2, agent_name: 'support', total_latency_ms: 90 })
    expect(report.steps.find(({ kind }) => kind === 'model')).toMatchObject({ token_count: 110 })
  })

  it('nor one whose parent is in another process and never seen', () => {
    const report = reportOf([
      { id: 'a', parent: 'away', at: 100, ms: 90, attributes: agent('support') },
      { id: 'm', parent: 'a', at: 110, ms: 10, attributes: model('Hello') },
    ])
    expect(report).toMatchObject({ agent_name: 'support', total_latency_ms: 90, step_count: 2 })
  })

  it('and the parent of a span of SDK 1.x stands in a field of its own', () => {
    const spans = toSpans([
      { id: 'a', at: 0, ms: 90, attributes: agent('support') },
      { id: 'm', parent: 'a', at: 1, ms: 10, attributes: model('Hello') },
    ]).map(({ parentSpanContext, ...span }) => ({ ...span, parentSpanId: parentSpanContext?.spanId }))
    const [report] = reportsOf(spans)
    expect(report).toMatchObject({ agent_name: 'support', step_count: 2, total_latency_ms: 90 })
  })

  it('and the scope of a span had another name in OTLP before 1.0', () => {
    const span = {
      traceId: '5b8efff798038103d269b633813fc60c',
      spanId: 'eee19b7ec3c1b174',
      startTimeUnixNano: '1',
      endTimeUnixNano: '2',
    }
    const old = { instrumentationLibrarySpans: [{ instrumentationLibrary: { name: 'ai' }, spans: [span] }] }
    const [decoded] = decodeTraces({ resourceSpans: [old] }).spans
    expect(decoded === undefined ? null : readStep(decoded).scopeName).toBe('ai')
  })
})
