import { describe, expect, it } from 'vitest'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { agent, model, reportOf, type ScriptSpan, tokens } from '../../chain/trace-script.ts'
import { readModel } from '../read-span.ts'

function mastra(type: string, operation: string, more: Attributes = {}): Attributes {
  return { 'gen_ai.operation.name': operation, 'mastra.span.type': type, ...more }
}

function call(id: string, parent: string, at: number, attributes: Attributes): ScriptSpan {
  return { id, parent, at, ms: 5, attributes }
}

const codes = (script: readonly ScriptSpan[]): readonly string[] =>
  reportOf(script).findings.map(({ code }) => code)

describe('a parent that repeats what its children used counts once', () => {
  it('in Mastra, where the inference alone has usage', () => {
    const turn = (n: number): readonly ScriptSpan[] => [
      call(
        `s${n}`,
        'g',
        n * 10,
        mastra('model_step', 'agent_step', { 'mastra.model_step.step_index': n - 1 }),
      ),
      call(`i${n}`, `s${n}`, n * 10, mastra('model_inference', 'chat', tokens(100 * n, 10 * n))),
    ]
    const script: readonly ScriptSpan[] = [
      {
        id: 'a',
        at: 0,
        ms: 90,
        attributes: mastra('agent_run', 'invoke_agent', { 'gen_ai.agent.name': 'support' }),
      },
      { id: 'g', parent: 'a', at: 1, ms: 80, attributes: mastra('model_generation', 'model_generation') },
      ...turn(1),
      ...turn(2),
    ]
    expect(reportOf(script)).toMatchObject({
      token_count: 330,
      tokens: { input: 300, output: 30 },
      model_calls: 2,
    })
    expect(codes(script)).toEqual([])
  })

  it('in older Mastra, where generation, steps and agent all have usage', () => {
    const script: readonly ScriptSpan[] = [
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
    ]
    expect(reportOf(script)).toMatchObject({
      token_count: 330,
      model_calls: 1,
      usage_check: { consistent: true },
    })
  })

  it('in Langfuse, where an agent was given the sum of its generations', () => {
    const observation = (type: string, usage: string, cost: string): Attributes => ({
      'langfuse.observation.type': type,
      'langfuse.observation.usage_details': usage,
      'langfuse.observation.cost_details': cost,
    })
    const script: readonly ScriptSpan[] = [
      {
        id: 'a',
        at: 0,
        ms: 90,
        attributes: observation('agent', '{"input":300,"output":30}', '{"total":0.75}'),
      },
      call('g1', 'a', 10, observation('generation', '{"input":100,"output":10}', '{"total":0.25}')),
      call(
        'g2',
        'a',
        20,
        observation(
          'generation',
          '{"promptTokens":200,"completionTokens":20}',
          '{"input":0.375,"output":0.125}',
        ),
      ),
    ]
    expect(reportOf(script)).toMatchObject({
      token_count: 330,
      estimated_cost_usd: 0.75,
      model_calls: 2,
      usage_check: { consistent: true },
    })
  })

  it('in Laminar, where a span of the program was given the usage of the call below it', () => {
    const script: readonly ScriptSpan[] = [
      {
        id: 'f',
        at: 0,
        ms: 90,
        attributes: { 'lmnr.span.type': 'LLM', ...tokens(120, 12), 'gen_ai.usage.cost': 0.5 },
      },
      call('c', 'f', 10, { 'lmnr.span.type': 'LLM', ...tokens(100, 10), 'gen_ai.usage.cost': 0.25 }),
    ]
    expect(reportOf(script)).toMatchObject({ token_count: 110, estimated_cost_usd: 0.25, model_calls: 1 })
    expect(codes(script)).toEqual(['usage_mismatch'])
  })

  it('in Logfire, where the run of an agent has the sum and its cost stands at the calls', () => {
    const logfire = { 'logfire.span_type': 'span' }
    const script: readonly ScriptSpan[] = [
      { id: 'a', at: 0, ms: 90, attributes: agent('joker', { ...logfire, ...tokens(300, 30) }) },
      call('c1', 'a', 10, model('x', { ...logfire, ...tokens(100, 10), 'operation.cost': 0.25 })),
      call('c2', 'a', 20, model('y', { ...logfire, ...tokens(200, 20), 'operation.cost': 0.5 })),
    ]
    expect(reportOf(script)).toMatchObject({
      token_count: 330,
      estimated_cost_usd: 0.75,
      usage_check: { consistent: true },
    })
  })
})

describe('the processor of Traceloop on a run of the AI SDK 5', () => {
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

  it('renames the tokens of the last step on the root: the calls count, the total is told', () => {
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

  it('leaves calls without an operation, and a root that may have no kind: counted as one call each', () => {
    expect(reportOf(run({}))).toMatchObject({ token_count: 330, model_calls: 2 })
  })
})

describe('cached and reasoning tokens beside the rest', () => {
  it('as raw usage of Anthropic in Langfuse has them', () => {
    const usage = readModel({
      'langfuse.observation.type': 'generation',
      'langfuse.observation.usage_details':
        '{"input_tokens":20,"output_tokens":10,"cache_read_input_tokens":400,"cache_creation_input_tokens":80}',
    }).usage
    expect(usage).toMatchObject({
      input: 500,
      output: 10,
      cacheRead: 400,
      cacheWrite: 80,
      cacheWasBeside: true,
    })
  })

  it('as Mastra and Laminar never have them: they are inside', () => {
    const inside = readModel(
      mastra('model_inference', 'chat', {
        ...tokens(500, 50),
        'gen_ai.usage.cache_read.input_tokens': 400,
        'gen_ai.usage.cache_creation.input_tokens': 80,
        'gen_ai.usage.cache_creation.5m_input_tokens': 50,
        'gen_ai.usage.cache_creation.1h_input_tokens': 30,
        'gen_ai.usage.reasoning_tokens': 20,
      }),
    ).usage
    expect(inside).toMatchObject({ input: 500, output: 50, cacheRead: 400, cacheWrite: 80, reasoning: 20 })
    const laminar = readModel({
      'lmnr.span.type': 'LLM',
      ...tokens(500, 50),
      'llm.usage.total_tokens': 550,
      'gen_ai.usage.cache_read_input_tokens': 400,
      'gen_ai.usage.reasoning_output_tokens': 50,
    }).usage
    expect(laminar).toMatchObject({
      input: 500,
      output: 50,
      cacheRead: 400,
      reasoning: 50,
      cacheWasBeside: false,
    })
  })
})

describe('answers that Laminar replays', () => {
  const llm = (type: string, input: number, output: number): Attributes => ({
    'lmnr.span.type': type,
    'lmnr.span.original_type': 'LLM',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.system': 'openai',
    ...tokens(input, output),
    'gen_ai.usage.cost': (input + output) / 1_000,
  })
  const run = (second: string): readonly ScriptSpan[] => [
    {
      id: 'root',
      at: 0,
      ms: 90,
      // The AI SDK 6 sums up what it was told, replayed or not.
      attributes: {
        'ai.operationId': 'ai.generateText',
        'ai.usage.inputTokens': 300,
        'ai.usage.outputTokens': 30,
      },
    },
    { id: 'one', parent: 'root', at: 10, ms: 5, attributes: llm('CACHED', 100, 10) },
    { id: 'two', parent: 'root', at: 20, ms: 5, attributes: llm(second, 200, 20) },
  ]

  it('cost nothing and use nothing; those that were not replayed do', () => {
    expect(reportOf(run('LLM'))).toMatchObject({ token_count: 220, estimated_cost_usd: 0.22, model_calls: 2 })
    expect(codes(run('LLM'))).toEqual([])
  })

  it('leave nothing to count where all are replayed, also not the sum above them', () => {
    const report = reportOf(run('CACHED'))
    expect(report).toMatchObject({ token_count: 0, estimated_cost_usd: 0, tokens: { input: 0, output: 0 } })
    expect(report.findings).toEqual([])
    expect(report.usage_check.aggregates.every(({ incomplete }) => incomplete)).toBe(true)
  })
})
