import { describe, expect, it } from 'vitest'
import type { Attributes } from '../../../../src/steps/span-view.ts'
import { agent, model, reportOf, type ScriptSpan, threw, tokens } from '../../../chain/trace-script.ts'
import { readModel, readSpan, readTool } from '../../read-span.ts'
import { codesOf, forecastIn, forecastRun, inEachDialect } from './recorded-tools.ts'

const statusOf = (script: readonly ScriptSpan[], node: string): string | undefined =>
  reportOf(script).nodes.find(({ node_name }) => node_name === node)?.status

function observation(type: string, more: Attributes = {}): Attributes {
  return { 'langfuse.observation.type': type, ...more }
}

const OK = { status: { code: 1 } }

describe('trap 10: a status that is unset is not OK, and OK is no proof', () => {
  const failed = {
    'langfuse.observation.level': 'ERROR',
    'langfuse.observation.status_message': 'no such order',
  }

  it('a function that threw under observe() of Langfuse is unset, and has failed', () => {
    const script: readonly ScriptSpan[] = [
      { id: 'support', at: 0, ms: 90, attributes: observation('agent', failed) },
      { id: 'order_query', parent: 'support', at: 10, ms: 5, attributes: observation('tool', failed) },
    ]
    const report = reportOf(script)
    expect(report.overall_status).toBe('failed')
    expect(report.root_cause).toMatchObject({ node_name: 'order_query', code: 'exception' })
    expect(statusOf(script, 'order_query')).toBe('unreachable')
    expect(report.findings.map(({ code, node_name }) => `${node_name} ${code}`)).toEqual([
      'order_query exception',
      'support failed_below',
    ])
  })

  it('a warning of Langfuse fails nothing', () => {
    const warned = observation('agent', { 'langfuse.observation.level': 'WARNING' })
    const report = reportOf([{ id: 'support', at: 0, ms: 90, attributes: warned }])
    expect(report).toMatchObject({ overall_status: 'success', findings: [] })
  })

  it('a root of the AI SDK is unset, be its tools well or not', () => {
    const script = (parts: Partial<ScriptSpan>): readonly ScriptSpan[] => [
      { id: 'r', at: 0, ms: 90, attributes: { 'ai.operationId': 'ai.generateText' } },
      {
        id: 't',
        parent: 'r',
        at: 10,
        attributes: { 'ai.operationId': 'ai.toolCall', 'ai.toolCall.name': 'forecast' },
        ...parts,
      },
    ]
    expect(reportOf(script({}))).toMatchObject({ overall_status: 'success', findings: [] })
    const report = reportOf(script(threw('TimeoutError', 'no answer in 30 s')))
    expect(report.overall_status).toBe('partial_failed')
    expect(report.root_cause).toMatchObject({ node_name: 'forecast', code: 'timeout' })
  })

  it.each(inEachDialect)('OK is no proof that a result is usable, in %s', (_name, recorded) => {
    const judge = (result: string): string | undefined =>
      forecastIn(
        reportOf(
          forecastRun(recorded, { [recorded.args]: '{"city":"Paris"}', [recorded.result]: result }, OK),
        ),
      )?.status
    expect(judge('{"error":"no such city"}')).toBe('reached_invalid')
    expect(judge('{"rain":true}')).toBe('reached')
  })

  it('OK that OpenInference sets on spans of the AI SDK proves as little', () => {
    const attributes = {
      'ai.operationId': 'ai.toolCall',
      'ai.toolCall.name': 'forecast',
      'ai.toolCall.result': '{"error":"no such city"}',
      'openinference.span.kind': 'TOOL',
      'output.value': '{"error":"no such city"}',
    }
    const script = [{ id: 't', at: 0, attributes, ...OK }]
    expect(statusOf(script, 'forecast')).toBe('reached_invalid')
  })

  it('OK of a run of LangSmith that ended with an exception and without outputs is no success', () => {
    const report = reportOf([
      { id: 'c', at: 0, ms: 90, attributes: { 'langsmith.span.kind': 'chain' }, ...OK },
      {
        id: 'forecast',
        parent: 'c',
        at: 10,
        attributes: { 'langsmith.span.kind': 'tool', 'gen_ai.prompt': '{"input":"Paris"}' },
        ...threw('Error', 'Error: 404 not found'),
        ...OK,
      },
    ])
    expect(report.overall_status).toBe('partial_failed')
    expect(report.root_cause).toMatchObject({ node_name: 'forecast', code: 'not_found' })
  })

  it('OK beside an exception that the step has handled is none', () => {
    const step = readTool(
      { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.result': '{"rain":true}' },
      { ...threw('TimeoutError', 'first try'), ...OK },
    )
    expect(step).toMatchObject({ status: 'ok', error: null })
  })
})

describe('trap 11: one reason to stop has many spellings', () => {
  const writers: readonly (readonly [dialect: string, write: (reason: string) => Attributes])[] = [
    [
      'the GenAI conventions',
      (reason) => ({ 'gen_ai.operation.name': 'chat', 'gen_ai.response.finish_reasons': [reason] }),
    ],
    [
      'output messages',
      (reason) => ({
        'gen_ai.operation.name': 'chat',
        'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [], finish_reason: reason }]),
      }),
    ],
    [
      'the AI SDK',
      (reason) => ({
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.response.finishReason': reason,
        'gen_ai.response.finish_reasons': [reason],
      }),
    ],
    ['OpenInference', (reason) => ({ 'openinference.span.kind': 'LLM', 'llm.finish_reason': reason })],
    [
      'Mastra',
      (reason) => ({
        'mastra.span.type': 'model_inference',
        'gen_ai.response.finish_reasons': JSON.stringify([reason]),
      }),
    ],
    ['Laminar', (reason) => ({ 'lmnr.span.type': 'LLM', 'gen_ai.response.finish_reason': reason })],
    ['LangSmith', (reason) => ({ 'langsmith.span.kind': 'llm', 'gen_ai.response.finish_reasons': reason })],
    [
      'Traceloop',
      (reason) => ({ 'gen_ai.completion.0.finish_reason': reason, 'gen_ai.completion.0.role': 'assistant' }),
    ],
  ]
  const spellings = ['tool-calls', 'tool_calls', 'tool_call', 'tool_use', 'function_call']

  it.each(writers)('all of them are tool_calls in %s', (_dialect, write) => {
    for (const spelling of spellings) {
      const step = readModel(write(spelling))
      const reasons = new Set([...step.finishReasons, ...step.readOutput().finishReasons])
      expect([spelling, ...reasons]).toEqual([spelling, 'tool_calls'])
    }
  })

  it.each(spellings)('an answer that only asked for tools is not empty: %s', (spelling) => {
    const answer = '[{"role":"assistant","parts":[{"type":"text","content":""}]}]'
    const codes = (reasons: string): readonly string[] =>
      codesOf(
        reportOf([
          {
            id: 'm',
            at: 0,
            attributes: {
              'mastra.span.type': 'model_inference',
              'gen_ai.operation.name': 'chat',
              'gen_ai.output.messages': answer,
              'gen_ai.response.finish_reasons': reasons,
            },
          },
        ]),
      )
    expect(codes(JSON.stringify([spelling]))).toEqual([])
    expect(codes('["stop"]')).toEqual(['empty_result'])
  })
})

describe('trap 12: cached tokens are inside the input for some, beside it for others', () => {
  it.each<[string, Attributes, object]>([
    [
      'inside, by the conventions, as OpenAI counts: 400 of 500',
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        ...tokens(500, 50),
        'gen_ai.usage.cache_read.input_tokens': 400,
        'gen_ai.usage.reasoning.output_tokens': 20,
      },
      { input: 500, output: 50, cacheRead: 400, reasoning: 20, cacheWasBeside: false },
    ],
    [
      'inside, in AI SDK 5: 400 of 500',
      {
        'ai.operationId': 'ai.streamText.doStream',
        'ai.usage.inputTokens': 500,
        'ai.usage.outputTokens': 50,
        'ai.usage.totalTokens': 550,
        'ai.usage.cachedInputTokens': 400,
        'ai.usage.reasoningTokens': 20,
      },
      { input: 500, output: 50, cacheRead: 400, reasoning: 20, cacheWasBeside: false },
    ],
    [
      'inside, in AI SDK 6, read and written: 400 and 80 of 500',
      {
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.usage.inputTokens': 500,
        'ai.usage.outputTokens': 50,
        'ai.usage.inputTokenDetails.cacheReadTokens': 400,
        'ai.usage.inputTokenDetails.cacheWriteTokens': 80,
        'ai.usage.outputTokenDetails.reasoningTokens': 20,
      },
      { input: 500, output: 50, cacheRead: 400, cacheWrite: 80, reasoning: 20, cacheWasBeside: false },
    ],
    [
      'inside, in Mastra, which tells how long what was written is kept, too',
      {
        'mastra.span.type': 'model_inference',
        ...tokens(500, 50),
        'gen_ai.usage.cache_read.input_tokens': 400,
        'gen_ai.usage.cache_creation.input_tokens': 80,
        'gen_ai.usage.cache_creation.5m_input_tokens': 50,
        'gen_ai.usage.cache_creation.1h_input_tokens': 30,
        'gen_ai.usage.reasoning_tokens': 20,
      },
      { input: 500, output: 50, cacheRead: 400, cacheWrite: 80, reasoning: 20, cacheWasBeside: false },
    ],
    [
      'inside, in Mastra, which may tell of its parts alone: 50 and 30',
      {
        'mastra.span.type': 'model_inference',
        ...tokens(500, 50),
        'gen_ai.usage.cache_creation.5m_input_tokens': 50,
        'gen_ai.usage.cache_creation.1h_input_tokens': 30,
      },
      { input: 500, output: 50, cacheRead: null, cacheWrite: 80, cacheWasBeside: false },
    ],
    [
      'inside, in Laminar, with an output that is all reasoning',
      {
        'lmnr.span.type': 'LLM',
        ...tokens(500, 50),
        'llm.usage.total_tokens': 550,
        'gen_ai.usage.cache_read_input_tokens': 400,
        'gen_ai.usage.reasoning_output_tokens': 50,
      },
      { input: 500, output: 50, cacheRead: 400, reasoning: 50, cacheWasBeside: false },
    ],
    [
      'beside, in raw usage of Anthropic: 20 and 400 read and 80 written',
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'anthropic',
        ...tokens(20, 10),
        'gen_ai.usage.cache_read_input_tokens': 400,
        'gen_ai.usage.cache_creation_input_tokens': 80,
      },
      { input: 500, output: 10, cacheRead: 400, cacheWrite: 80, cacheWasBeside: true },
    ],
    [
      'beside, in raw usage of Anthropic with a total that shows it: 300 + 100 + 50 = 450',
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'anthropic',
        ...tokens(300, 50),
        'gen_ai.usage.total_tokens': 450,
        'gen_ai.usage.cache_read_input_tokens': 100,
      },
      { input: 400, output: 50, cacheRead: 100, cacheWasBeside: true },
    ],
    [
      'beside, in raw usage of Anthropic that Langfuse was given',
      observation('generation', {
        'langfuse.observation.usage_details':
          '{"input_tokens":20,"output_tokens":10,"cache_read_input_tokens":400,"cache_creation_input_tokens":80}',
      }),
      { input: 500, output: 10, cacheRead: 400, cacheWrite: 80, cacheWasBeside: true },
    ],
  ])('%s', (_how, attributes, expected) => {
    expect(readModel(attributes).usage).toMatchObject(expected)
  })

  it('reasoning is part of the output, but for gateways whose total shows that it is beside it', () => {
    const usage = (more: Attributes): unknown =>
      readModel({
        'gen_ai.operation.name': 'chat',
        ...tokens(100, 50),
        'gen_ai.usage.reasoning_tokens': 30,
        ...more,
      }).usage
    expect(usage({})).toMatchObject({ output: 50, reasoning: 30, reasoningWasBeside: false })
    expect(usage({ 'gen_ai.usage.total_tokens': 150 })).toMatchObject({
      output: 50,
      reasoningWasBeside: false,
    })
    // 100 + 50 + 30.
    expect(usage({ 'gen_ai.usage.total_tokens': 180 })).toMatchObject({
      output: 80,
      reasoningWasBeside: true,
    })
    expect(usage({ 'gen_ai.usage.reasoning_tokens': 70 })).toMatchObject({ output: 120, reasoning: 70 })
  })

  it('a chain counts what was read from a cache once, wherever it stood', () => {
    const cached = { 'gen_ai.usage.cache_read.input_tokens': 400 }
    const report = reportOf([
      { id: 'a', at: 0, ms: 90, attributes: agent('support') },
      { id: 'b', parent: 'a', at: 1, attributes: model('inside', { ...tokens(500, 10), ...cached }) },
      { id: 'c', parent: 'a', at: 9, attributes: model('beside', { ...tokens(100, 10), ...cached }) },
    ])
    expect(report).toMatchObject({
      token_count: 1_020,
      tokens: { input: 1_000, output: 20, cache_read: 800 },
    })
  })
})

describe('trap 13: a session is a conversation, a project, or nothing', () => {
  it.each<[string, Attributes, string | null]>([
    [
      'a conversation in the GenAI conventions',
      { 'gen_ai.operation.name': 'chat', 'gen_ai.conversation.id': 's-1' },
      's-1',
    ],
    ['a conversation in OpenInference', { 'openinference.span.kind': 'AGENT', 'session.id': 's-1' }, 's-1'],
    ['a conversation in Langfuse', observation('agent', { 'session.id': 's-1' }), 's-1'],
    [
      'a conversation in Laminar',
      { 'lmnr.span.type': 'DEFAULT', 'lmnr.association.properties.session_id': 's-1' },
      's-1',
    ],
    [
      'a conversation in Traceloop',
      { 'traceloop.span.kind': 'agent', 'gen_ai.conversation.id': 's-1' },
      's-1',
    ],
    ['the thread in Mastra', { 'mastra.span.type': 'agent_run', 'gen_ai.conversation.id': 's-1' }, 's-1'],
    [
      'in the metadata of LangSmith, beside the project',
      {
        'langsmith.span.kind': 'chain',
        'langsmith.trace.session_id': 'p-1',
        'langsmith.trace.session_name': 'demo',
        'langsmith.metadata.session_id': 's-1',
      },
      's-1',
    ],
    [
      'a project in LangSmith, which is none',
      {
        'langsmith.span.kind': 'chain',
        'langsmith.trace.session_id': 'p-1',
        'langsmith.trace.session_name': 'demo',
      },
      null,
    ],
    ['nothing in the AI SDK', { 'ai.operationId': 'ai.generateText', 'resource.name': 'support' }, null],
    [
      'what the user says it is in the metadata of the AI SDK',
      { 'ai.operationId': 'ai.generateText', 'ai.telemetry.metadata.sessionId': 's-1' },
      's-1',
    ],
    [
      'of Agent 365',
      { 'gen_ai.operation.name': 'invoke_agent', 'microsoft.tenant.id': 't', 'microsoft.session.id': 's-1' },
      's-1',
    ],
    [
      'the group of a trace of OpenAI Agents',
      { 'openai_agents.span_data.type': 'agent', 'openai_agents.trace.group_id': 's-1' },
      's-1',
    ],
    ['where Braintrust files a span, which is none', { 'braintrust.parent': 'project_id:1' }, null],
    [
      'a run of Mastra, which is none',
      { 'mastra.span.type': 'agent_run', 'mastra.metadata.runId': 'r-1' },
      null,
    ],
    [
      'a trace of Langfuse, which is none',
      observation('agent', { 'langfuse.trace.name': 't-1', 'user.id': 'u-1' }),
      null,
    ],
    [
      'a path of Laminar, which is none',
      { 'lmnr.span.type': 'DEFAULT', 'lmnr.span.ids_path': ['1', '2'] },
      null,
    ],
  ])('%s', (_what, attributes, expected) => {
    expect(readSpan(attributes).sessionId).toBe(expected)
    const inRun = [
      { id: 'a', at: 0, ms: 90, attributes: agent('support') },
      { id: 'b', parent: 'a', at: 1, attributes },
    ]
    expect(reportOf(inRun).session_id).toBe(expected)
  })
})

describe('trap 14: a parent hands its names down to all below it', () => {
  it('Traceloop: the agent name on a tool or a task is its caller, and on a request nothing', () => {
    const inherited = {
      'gen_ai.agent.name': 'planner',
      'gen_ai.conversation.id': 'c-9',
      'traceloop.workflow.name': 'planner',
    }
    const entity = (kind: string, name: string): Attributes => ({
      ...inherited,
      'traceloop.span.kind': kind,
      'traceloop.entity.name': name,
    })
    const below = (id: string, name: string, at: number, attributes: Attributes): ScriptSpan => ({
      id,
      name,
      parent: 'a',
      at,
      ms: 5,
      attributes,
    })
    const report = reportOf([
      { id: 'a', name: 'planner.agent', at: 0, ms: 90, attributes: entity('agent', 'planner') },
      below('t', 'calc.tool', 10, entity('tool', 'calc')),
      below('k', 'gather.task', 20, entity('task', 'gather')),
      below('h', 'GET', 30, { ...inherited, 'http.request.method': 'GET' }),
    ])
    expect(report.nodes.map(({ node_name }) => node_name).toSorted()).toEqual(['calc', 'gather', 'planner'])
    expect(report).toMatchObject({ step_count: 3, span_count: 4, agent_name: 'planner', session_id: 'c-9' })
    expect(readTool(entity('tool', 'calc'))).toMatchObject({ agentName: 'planner', nodeName: 'calc' })
  })

  it.each<[string, Attributes, Attributes]>([
    ['Langfuse', { 'session.id': 's-1', 'user.id': 'u-1' }, observation('tool')],
    [
      'Laminar',
      {
        'lmnr.association.properties.session_id': 's-1',
        'lmnr.association.properties.user_id': 'u-1',
        'lmnr.span.path': ['run', 'GET'],
        'lmnr.span.instrumentation_source': 'javascript',
      },
      { 'lmnr.span.type': 'TOOL' },
    ],
  ])('%s: session and user are on every span, and make no step of a request', (_name, inherited, tool) => {
    expect(readSpan(inherited).kind).toBe('other')
    const report = reportOf([
      { id: 'a', at: 0, ms: 90, attributes: agent('support', inherited) },
      { id: 'forecast', parent: 'a', at: 10, attributes: { ...inherited, ...tool } },
      { id: 'GET', parent: 'forecast', at: 10, attributes: { ...inherited, 'http.request.method': 'GET' } },
    ])
    expect(report).toMatchObject({ session_id: 's-1', step_count: 2, span_count: 3 })
    expect(report.nodes.map(({ node_name }) => node_name).toSorted()).toEqual(['forecast', 'support'])
  })
})
