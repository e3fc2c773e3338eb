import { describe, expect, it } from 'vitest'
import { decodeTraces } from '../../../../src/otlp/decode-json.ts'
import type { ChainReport } from '../../../../src/report/chain-report.ts'
import type { Attributes } from '../../../../src/steps/span-view.ts'
import { agent, model, reportOf, reportsOf, type ScriptSpan, tokens } from '../../../chain/trace-script.ts'
import { type Scripted, startRecording } from '../../../processors/record-run.ts'
import { codesOf } from './recorded-tools.ts'

/** Two calls below: 100 tokens in and 10 out, then 200 and 20. So a run uses 300 and 30, 330 in all. */
const ONCE = {
  token_count: 330,
  tokens: { input: 300, output: 30 },
  model_calls: 2,
  usage_check: { consistent: true },
}

function call(id: string, parent: string, at: number, attributes: Attributes): ScriptSpan {
  return { id, parent, at, ms: 5, attributes }
}

function mastra(type: string, operation: string, more: Attributes = {}): Attributes {
  return { 'gen_ai.operation.name': operation, 'mastra.span.type': type, ...more }
}

function aiSdk(operation: string, usage: readonly [string, string], counts: [number, number]): Attributes {
  const [input, output] = usage
  return {
    'ai.operationId': operation,
    [`ai.usage.${input}`]: counts[0],
    [`ai.usage.${output}`]: counts[1],
  }
}

const OLD = ['promptTokens', 'completionTokens'] as const
const NEW = ['inputTokens', 'outputTokens'] as const

function openinference(kind: string, input: number, output: number): Attributes {
  return {
    'openinference.span.kind': kind,
    'llm.token_count.prompt': input,
    'llm.token_count.completion': output,
    'llm.token_count.total': input + output,
  }
}

function observation(type: string, usage: string, cost: string): Attributes {
  return {
    'langfuse.observation.type': type,
    'langfuse.observation.usage_details': usage,
    'langfuse.observation.cost_details': cost,
  }
}

function langsmith(type: string, input: number, output: number): Attributes {
  return {
    'langsmith.span.kind': type,
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output,
    'gen_ai.usage.total_tokens': input + output,
  }
}

const logfire = { 'logfire.span_type': 'span' }

const runs: readonly (readonly [source: string, script: readonly ScriptSpan[]])[] = [
  ...(
    [
      ['AI SDK 4, of which streamText has the sum', OLD, 'ai.streamText', 'doStream'],
      ['AI SDK 5, of which streamText has the sum', NEW, 'ai.streamText', 'doStream'],
      ['AI SDK 6, of which generateText has it, too', NEW, 'ai.generateText', 'doGenerate'],
    ] as const
  ).map(([source, usage, root, inner]): readonly [string, readonly ScriptSpan[]] => [
    source,
    [
      { id: 'r', at: 0, ms: 90, attributes: aiSdk(root, usage, [300, 30]) },
      call('a', 'r', 10, aiSdk(`${root}.${inner}`, usage, [100, 10])),
      call('b', 'r', 20, aiSdk(`${root}.${inner}`, usage, [200, 20])),
    ],
  ]),
  [
    'AI SDK 7, of which the agent has the sum, and each step that of its call',
    [
      { id: 'r', at: 0, ms: 90, attributes: agent('support', tokens(300, 30)) },
      call('s1', 'r', 10, { 'gen_ai.operation.name': 'agent_step', ...tokens(100, 10) }),
      call('c1', 's1', 11, model('x', tokens(100, 10))),
      call('s2', 'r', 20, { 'gen_ai.operation.name': 'agent_step' }),
      call('c2', 's2', 21, model('y', tokens(200, 20))),
    ],
  ],
  [
    'the legacy exporter of AI SDK 7, of which tools run below the call',
    [
      { id: 'r', at: 0, ms: 90, attributes: aiSdk('ai.generateText', NEW, [300, 30]) },
      call('a', 'r', 10, aiSdk('ai.generateText.doGenerate', NEW, [100, 10])),
      call('t', 'a', 12, { 'ai.operationId': 'ai.toolCall', 'ai.toolCall.name': 'forecast' }),
      call('b', 'r', 20, aiSdk('ai.generateText.doGenerate', NEW, [200, 20])),
    ],
  ],
  [
    'a run of LangSmith whose output holds the messages',
    [
      { id: 'c', at: 0, ms: 90, attributes: langsmith('chain', 300, 30) },
      call('p', 'c', 1, { 'langsmith.span.kind': 'prompt', 'gen_ai.operation.name': 'chat' }),
      call('a', 'c', 10, langsmith('llm', 100, 10)),
      call('b', 'c', 20, langsmith('llm', 200, 20)),
    ],
  ],
  [
    'Mastra, of which the inference alone has usage',
    [
      { id: 'a', at: 0, ms: 90, attributes: mastra('agent_run', 'invoke_agent') },
      { id: 'g', parent: 'a', at: 1, ms: 80, attributes: mastra('model_generation', 'model_generation') },
      call('s1', 'g', 10, mastra('model_step', 'agent_step', { 'mastra.model_step.step_index': 0 })),
      call('i1', 's1', 10, mastra('model_inference', 'chat', tokens(100, 10))),
      call('s2', 'g', 20, mastra('model_step', 'agent_step', { 'mastra.model_step.step_index': 1 })),
      call('i2', 's2', 20, mastra('model_inference', 'chat', tokens(200, 20))),
    ],
  ],
  [
    'an agent of OpenInference above its calls',
    [
      { id: 'a', at: 0, ms: 90, attributes: openinference('AGENT', 300, 30) },
      call('b', 'a', 10, openinference('LLM', 100, 10)),
      call('c', 'a', 20, openinference('LLM', 200, 20)),
    ],
  ],
  [
    'an agent of Langfuse that was given the sum of its generations',
    [
      {
        id: 'a',
        at: 0,
        ms: 90,
        attributes: observation('agent', '{"input":300,"output":30}', '{"total":0.75}'),
      },
      call('b', 'a', 10, observation('generation', '{"input":100,"output":10}', '{"total":0.25}')),
      call(
        'c',
        'a',
        20,
        observation(
          'generation',
          '{"promptTokens":200,"completionTokens":20}',
          '{"input":0.375,"output":0.125}',
        ),
      ),
    ],
  ],
  [
    'Logfire, of which the run of an agent has the sum and its cost stands at the calls',
    [
      { id: 'a', at: 0, ms: 90, attributes: agent('joker', { ...logfire, ...tokens(300, 30) }) },
      call('b', 'a', 10, model('x', { ...logfire, ...tokens(100, 10), 'operation.cost': 0.25 })),
      call('c', 'a', 20, model('y', { ...logfire, ...tokens(200, 20), 'operation.cost': 0.5 })),
    ],
  ],
]

describe('trap 1: totals above the calls that they are the sum of are not added to them', () => {
  it.each(runs)('in %s', (_source, script) => {
    const report = reportOf(script)
    expect(report).toMatchObject(ONCE)
    expect(codesOf(report)).not.toContain('usage_mismatch')
  })

  it('in older Mastra, where agent, generation and steps have usage, and the generation is the call', () => {
    const report = reportOf([
      { id: 'a', at: 0, ms: 90, attributes: mastra('agent_run', 'invoke_agent', tokens(300, 30)) },
      {
        id: 'g',
        parent: 'a',
        at: 1,
        ms: 80,
        attributes: mastra('model_generation', 'chat', tokens(300, 30)),
      },
      call('s1', 'g', 10, mastra('model_step', 'agent_step', tokens(100, 10))),
      call('s2', 'g', 20, mastra('model_step', 'agent_step', tokens(200, 20))),
    ])
    expect(report).toMatchObject({ ...ONCE, model_calls: 1 })
  })

  it('in embeddings of AI SDK 7, which stand twice, one below the other', () => {
    const embeddings = { 'gen_ai.operation.name': 'embeddings', 'gen_ai.usage.input_tokens': 70 }
    const report = reportOf([
      { id: 'e', at: 0, ms: 90, attributes: embeddings },
      call('f', 'e', 10, embeddings),
    ])
    expect(report).toMatchObject({ token_count: 70, model_calls: 1, usage_check: { consistent: true } })
  })

  it('in turns and a task of OpenAI Agents, with and without the counts of the responses', () => {
    expect(openaiAgentsReport((data) => data)).toMatchObject({
      token_count: 330,
      agent_name: 'support',
      usage_check: { consistent: true },
    })
    // As the exporter of the SDK sends it: the responses have lost their counts.
    expect(openaiAgentsReport((data) => ({ ...data, _response: undefined }))).toMatchObject({
      token_count: 330,
      agent_name: 'support',
      usage_check: { consistent: true },
    })
  })

  it('in a wrapper that estimates: its guess is told, and the call counts', () => {
    const report = reportOf([
      {
        id: 'f',
        at: 0,
        ms: 90,
        attributes: { 'lmnr.span.type': 'LLM', ...tokens(120, 12), 'gen_ai.usage.cost': 0.5 },
      },
      call('c', 'f', 10, { 'lmnr.span.type': 'LLM', ...tokens(100, 10), 'gen_ai.usage.cost': 0.25 }),
    ])
    expect(report).toMatchObject({ token_count: 110, estimated_cost_usd: 0.25, model_calls: 1 })
    expect(codesOf(report)).toEqual(['usage_mismatch'])
  })

  it('with money as with tokens', () => {
    const costOf = (source: string): number | null | undefined => {
      const [, script = []] = runs.find(([name]) => name.startsWith(source)) ?? []
      return reportOf(script).estimated_cost_usd
    }
    expect(costOf('an agent of Langfuse')).toBe(0.75)
    expect(costOf('Logfire')).toBe(0.75)
  })

  it('while the run goes on: a budget is not exceeded by the sum of what was within it', async () => {
    const run: Scripted = {
      name: 'run',
      attributes: agent('support', tokens(300, 30)),
      below: [
        { name: 'one', attributes: model('x', tokens(100, 10)) },
        { name: 'two', attributes: model('y', tokens(200, 20)) },
      ],
    }
    const alertsWith = async (limit: number): Promise<ChainReport['alerts']> => {
      const recorder = startRecording({
        options: { rules: { version: 1, guards: { budget: { tokens: limit } } } },
      })
      recorder.run(run)
      return (await recorder.oneReport()).alerts
    }
    expect(await alertsWith(330)).toEqual([])
    expect(await alertsWith(329)).toHaveLength(1)
  })
})

/** A run of OpenAI Agents: a task above an agent above turns above responses, each with usage. */
function openaiAgentsReport(toResponse: (data: object) => object): ChainReport | undefined {
  const usage = (input: number, output: number): object => ({ input_tokens: input, output_tokens: output })
  const custom = (id: string, parent: string | null, data: object): object => ({
    id,
    parent_id: parent,
    span_data: { type: 'custom', name: 'span', data },
  })
  const turn = (id: string, number: number, counts: object): object =>
    custom(id, 'span_agent', {
      sdk_span_type: 'turn',
      turn: number,
      agent_name: 'support',
      usage: counts,
    })
  const response = (id: string, parent: string, counts: object): object => ({
    id,
    parent_id: parent,
    span_data: toResponse({ type: 'response', response_id: `resp_${id}`, _response: { usage: counts } }),
  })
  const total = { ...usage(300, 30), total_tokens: 330, requests: 2 }
  const objects = [
    custom('span_task', null, { sdk_span_type: 'task', name: 'Agent workflow', usage: total }),
    { id: 'span_agent', parent_id: 'span_task', span_data: { type: 'agent', name: 'support' } },
    turn('span_t1', 1, usage(100, 10)),
    response('span_r1', 'span_t1', usage(100, 10)),
    turn('span_t2', 2, usage(200, 20)),
    response('span_r2', 'span_t2', usage(200, 20)),
  ]
  const body = objects.map((object) => ({
    object: 'trace.span',
    trace_id: 'trace_0af7651916cd43dd8448eb211c80319c',
    started_at: '2026-11-30T12:00:00Z',
    ended_at: '2026-11-30T12:00:01Z',
    ...object,
  }))
  return reportsOf(decodeTraces({ data: body }).spans)[0]
}

describe('trap 2: the total of a root may be that of its last step, and the calls are right', () => {
  const LAST_STEP =
    'reports other token totals than its steps: 200 input tokens for 300, 20 output tokens for 30'

  it.each([
    ['AI SDK 4', OLD, OLD],
    ['AI SDK 5', OLD, OLD],
    ['AI SDK 5, of which the calls have the newer names', OLD, NEW],
  ])('in generateText of %s: the steps count, and the total is told', (_version, rootKeys, stepKeys) => {
    const report = reportOf([
      { id: 'r', at: 0, ms: 90, attributes: aiSdk('ai.generateText', rootKeys, [200, 20]) },
      call('a', 'r', 10, aiSdk('ai.generateText.doGenerate', stepKeys, [100, 10])),
      call('b', 'r', 20, aiSdk('ai.generateText.doGenerate', stepKeys, [200, 20])),
    ])
    expect(report).toMatchObject({ ...ONCE, usage_check: { consistent: false }, overall_status: 'success' })
    expect(report.findings.map(({ code, message }) => [code, message])).toEqual([
      ['usage_mismatch', LAST_STEP],
    ])
  })

  it('and is all there is where the calls were not recorded', () => {
    const report = reportOf([{ id: 'r', at: 0, attributes: aiSdk('ai.generateText', OLD, [200, 20]) }])
    expect(report).toMatchObject({ token_count: 220, model_calls: 0, usage_check: { consistent: true } })
  })

  it('and is not compared with calls of which one says nothing of its usage', () => {
    const report = reportOf([
      { id: 'r', at: 0, ms: 90, attributes: aiSdk('ai.generateText', OLD, [200, 20]) },
      call('a', 'r', 10, { 'ai.operationId': 'ai.generateText.doGenerate' }),
      call('b', 'r', 20, aiSdk('ai.generateText.doGenerate', OLD, [100, 10])),
    ])
    expect(report).toMatchObject({ token_count: 110, findings: [] })
    expect(report.usage_check.aggregates.every(({ incomplete }) => incomplete)).toBe(true)
  })
})

describe('trap 3: Traceloop renames the usage of a root of AI SDK 5 and leaves calls without an operation', () => {
  const inner = (input: number, output: number): Attributes => ({
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.provider.name': 'openai',
    ...tokens(input, output),
    'gen_ai.usage.total_tokens': input + output,
  })
  const run = (root: Attributes): readonly ScriptSpan[] => [
    { id: 'root', name: 'helper.agent', at: 0, ms: 90, attributes: { ...inner(200, 20), ...root } },
    { id: 'one', name: 'chat gpt-4o', parent: 'root', at: 10, ms: 5, attributes: inner(100, 10) },
    { id: 'two', name: 'chat gpt-4o', parent: 'root', at: 20, ms: 5, attributes: inner(200, 20) },
  ]
  const MISMATCH =
    'reports other token totals than its steps: 200 input tokens for 300, 20 output tokens for 30'

  it('with the tokens of the last step on the root: the calls count, the total is told', () => {
    const report = reportOf(run({ 'traceloop.span.kind': 'agent', 'traceloop.entity.name': 'helper' }))
    expect(report).toMatchObject({ token_count: 330, model_calls: 2, overall_status: 'success' })
    expect(report.findings.map(({ code, message }) => [code, message])).toEqual([
      ['usage_mismatch', MISMATCH],
    ])
    expect(report.steps.map(({ kind, node_name }) => `${kind} ${node_name}`)).toEqual([
      'model chat gpt-4o',
      'model chat gpt-4o',
      'agent helper',
    ])
  })

  it('with calls that have no operation, and a root that may have no kind: counted as one call each', () => {
    expect(reportOf(run({}))).toMatchObject({ token_count: 330, model_calls: 2 })
  })
})
