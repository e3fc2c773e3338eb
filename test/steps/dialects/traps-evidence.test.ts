import { describe, expect, it } from 'vitest'
import { decodeTraces } from '../../../src/otlp/decode-json.ts'
import { toOpenaiAgentsAttributes } from '../../../src/steps/dialects/openai-agents.ts'
import { readStep } from '../../../src/steps/read-step.ts'
import type { Attributes } from '../../../src/steps/span-view.ts'
import type { Step } from '../../../src/steps/step.ts'
import { reportOf } from '../../chain/trace-script.ts'
import { readModel, readSpan, readTool } from '../read-span.ts'

/** A value as OTLP/JSON writes it, maps and lists included. */
function toAnyValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'number') return { intValue: String(value) }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(toAnyValue) } }
  return { kvlistValue: { values: toKeyValues(value as object) } }
}

function toKeyValues(fields: object): object[] {
  return Object.entries(fields).map(([key, value]) => ({ key, value: toAnyValue(value) }))
}

/** The step of a span that came by OTLP. */
function readOtlp(attributes: Attributes): Step {
  const span = {
    traceId: '5b8efff798038103d269b633813fc60c',
    spanId: 'eee19b7ec3c1b174',
    name: 'step',
    startTimeUnixNano: '1',
    endTimeUnixNano: '2',
    attributes: toKeyValues(attributes),
  }
  const { spans } = decodeTraces({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
  if (spans[0] === undefined) throw new Error('Expected a span, found none')
  return readStep(spans[0])
}

describe('objects that a newer SDK or the Collector carries as maps and lists', () => {
  const ARGUMENTS = { city: 'Paris', days: [1, 2] }

  it.each([
    ['GenAI conventions', { 'gen_ai.operation.name': 'execute_tool' }, 'gen_ai.tool.call.arguments'],
    ['AI SDK', { 'ai.operationId': 'ai.toolCall' }, 'ai.toolCall.args'],
    ['OpenInference', { 'openinference.span.kind': 'TOOL' }, 'input.value'],
    ['LangSmith', { 'langsmith.span.kind': 'tool' }, 'gen_ai.prompt'],
    [
      'Agent 365',
      { 'gen_ai.operation.name': 'execute_tool', 'microsoft.tenant.id': 't' },
      'gen_ai.tool.call.arguments',
    ],
    ['any-agent', { 'gen_ai.operation.name': 'execute_tool' }, 'gen_ai.tool.args'],
    ['Braintrust', { 'braintrust.span_attributes': { type: 'tool' } }, 'braintrust.input_json'],
    ['OpenAI Agents', { 'openai_agents.span_data.type': 'function' }, 'openai_agents.function.input'],
  ])('are the arguments that their JSON text is, in %s', (_dialect, tool, key) => {
    const native = readOtlp({ ...tool, [key]: ARGUMENTS }).input
    const text = readOtlp({ ...tool, [key]: JSON.stringify(ARGUMENTS) }).input
    expect(native.state).toBe('seen')
    expect(native.identity).toBe('{"city":"Paris","days":[1,2]}')
    expect(text.identity).toBe(native.identity)
  })

  it.each([
    [
      'LangSmith',
      { 'langsmith.span.kind': 'llm', 'langsmith.usage_metadata': { input_tokens: 7, output_tokens: 3 } },
    ],
    [
      'Braintrust',
      {
        'braintrust.span_attributes': { type: 'llm' },
        'braintrust.metrics': { prompt_tokens: 7, completion_tokens: 3 },
      },
    ],
    [
      'OpenAI Agents',
      toOpenaiAgentsAttributes({ type: 'generation', usage: { input_tokens: 7, output_tokens: 3 } }, {}),
    ],
  ])('hold the counts that their JSON text holds, in %s', (_dialect, attributes) => {
    expect(readOtlp(attributes).usage).toMatchObject({ input: 7, output: 3 })
  })
})

describe('attributes beyond the limit of 128, which an SDK drops without a word', () => {
  const FULL = { droppedAttributesCount: 12 }

  it('leave content that may have been there, not content that is missing', () => {
    const model = readModel({ 'openinference.span.kind': 'LLM' }, FULL)
    expect(model.readOutput().state).toBe('dropped')
    expect(model.usage).toMatchObject({ input: null, output: null })
    expect(model.sessionId).toBeNull()
    const tool = readTool({ 'langsmith.span.kind': 'tool' }, FULL)
    expect([tool.input.state, tool.output.state]).toEqual(['dropped', 'dropped'])
  })

  it('give no finding', () => {
    const report = reportOf([
      { id: 'a', at: 0, ms: 9, attributes: { 'openinference.span.kind': 'AGENT' }, ...FULL },
      { id: 'm', parent: 'a', at: 1, attributes: { 'openinference.span.kind': 'LLM' }, ...FULL },
      {
        id: 't',
        parent: 'a',
        at: 3,
        attributes: { 'openinference.span.kind': 'TOOL', 'tool.name': 'forecast' },
        ...FULL,
      },
    ])
    expect(report.findings).toEqual([])
  })
})

describe('messages in log records, and not on the span', () => {
  // As @opentelemetry/instrumentation-openai 0.22.0 writes it: no messages, no tool spans.
  const chat = (finish: string): Attributes => ({
    'gen_ai.operation.name': 'chat',
    'gen_ai.system': 'openai',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.response.finish_reasons': [finish],
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 10,
  })

  it('are content that was not seen, neither empty answers nor calls that never ran', () => {
    const answer = readModel(chat('tool_calls')).readOutput()
    expect(answer).toEqual({
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
    expect(report.findings).toEqual([])
    expect(report.token_count).toBe(220)
  })
})

describe('a session', () => {
  it.each([
    ['a conversation in the GenAI conventions', { 'gen_ai.conversation.id': 'c-1' }, 'c-1'],
    ['a conversation in OpenInference', { 'session.id': 's-1' }, 's-1'],
    ['in the metadata of LangSmith', { 'langsmith.metadata.session_id': 's-1' }, 's-1'],
    ['a project in the trace of LangSmith, which is none', { 'langsmith.trace.session_id': 'p-1' }, null],
    ['the name of a project of LangSmith, which is none', { 'langsmith.trace.session_name': 'demo' }, null],
    ['of Agent 365', { 'microsoft.session.id': 's-1' }, 's-1'],
    ['the group of a trace of OpenAI Agents', { 'openai_agents.trace.group_id': 'g-1' }, 'g-1'],
    ['nothing in the AI SDK', { 'ai.operationId': 'ai.generateText' }, null],
    ['where Braintrust files a span, which is none', { 'braintrust.parent': 'project_id:1' }, null],
  ])('is %s', (_what, attributes, expected) => {
    expect(readSpan(attributes).sessionId).toBe(expected)
  })
})

describe('a rename in the conventions', () => {
  it.each([
    ['cache_write.input_tokens, the newest name', 'gen_ai.usage.cache_write.input_tokens'],
    ['cache_creation.input_tokens, before it', 'gen_ai.usage.cache_creation.input_tokens'],
    ['cache_creation_input_tokens, of vendors', 'gen_ai.usage.cache_creation_input_tokens'],
  ])('leaves both names readable: %s', (_name, key) => {
    const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 100, [key]: 30 }
    expect(readModel(attributes).usage).toMatchObject({ input: 100, cacheWrite: 30, cacheWasBeside: false })
  })

  it('that wrote both keeps the newest', () => {
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.cache_creation.input_tokens': 10,
      'gen_ai.usage.cache_write.input_tokens': 30,
    }
    expect(readModel(attributes).usage.cacheWrite).toBe(30)
  })
})

describe('what no dialect has an attribute for', () => {
  const TOOLS: readonly (readonly [string, Attributes])[] = [
    ['GenAI conventions', { 'gen_ai.operation.name': 'execute_tool' }],
    ['AI SDK', { 'ai.operationId': 'ai.toolCall' }],
    ['OpenInference', { 'openinference.span.kind': 'TOOL' }],
    ['LangSmith', { 'langsmith.span.kind': 'tool' }],
    ['Braintrust', { 'braintrust.span_attributes': '{"type":"tool"}' }],
    ['OpenAI Agents', { 'openai_agents.span_data.type': 'function' }],
  ]

  it.each(TOOLS)('is told by our own keys on a span of any, in %s', (_dialect, attributes) => {
    const plain = readTool(attributes)
    expect([plain.skippedReason, plain.attempt, plain.stopAction]).toEqual([null, null, null])
    const told = readTool({
      ...attributes,
      'agent_reach.node.skipped_reason': 'no order',
      'agent_reach.node.attempt': 2,
    })
    expect([told.skippedReason, told.attempt]).toEqual(['no order', 2])
  })
})
