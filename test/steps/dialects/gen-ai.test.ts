import { describe, expect, it } from 'vitest'
import type { ModelOutput } from '../../../src/steps/model-output.ts'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { testDialect } from '../../contracts/dialect-contract.ts'
import { type DialectTable, type WrittenCall, usageUnder } from '../../contracts/dialect-table.ts'
import { readModel, readSpan } from '../read-span.ts'

const CHAT = { 'gen_ai.operation.name': 'chat' }
const TOOL = { 'gen_ai.operation.name': 'execute_tool' }
const AGENT = { 'gen_ai.operation.name': 'invoke_agent' }

function operation(name: string): Attributes {
  return { 'gen_ai.operation.name': name }
}

function outputMessages(parts: readonly object[], reason = 'stop'): Attributes {
  return messages([{ role: 'assistant', parts, finish_reason: reason }])
}

function toPart({ id, name, args }: WrittenCall): object {
  return { type: 'tool_call', id, name, arguments: args }
}

const current: DialectTable = {
  name: 'GenAI conventions v0.1.0',
  dialect: 'gen-ai',
  kinds: [
    ['chat', operation('chat'), 'model'],
    ['text_completion', operation('text_completion'), 'model'],
    ['generate_content', operation('generate_content'), 'model'],
    ['embeddings', operation('embeddings'), 'model'],
    ['execute_tool', operation('execute_tool'), 'tool'],
    ['retrieval', operation('retrieval'), 'retrieval'],
    ['search_memory', operation('search_memory'), 'retrieval'],
    ['invoke_agent', operation('invoke_agent'), 'agent'],
    ['plan', operation('plan'), 'plan'],
    ['create_agent', operation('create_agent'), 'workflow'],
    ['invoke_workflow', operation('invoke_workflow'), 'workflow'],
    ['fetch_response', operation('fetch_response'), 'workflow'],
    ['create_memory', operation('create_memory'), 'workflow'],
    ['update_memory', operation('update_memory'), 'workflow'],
    ['upsert_memory', operation('upsert_memory'), 'workflow'],
    ['delete_memory', operation('delete_memory'), 'workflow'],
    ['create_memory_store', operation('create_memory_store'), 'workflow'],
    ['delete_memory_store', operation('delete_memory_store'), 'workflow'],
    ['an operation of the future', operation('daydream'), 'workflow'],
    ['an operation named like a member of every object', operation('constructor'), 'workflow'],
    [
      'a tool name beside an operation that is not known',
      { ...operation('x'), 'gen_ai.tool.name': 't' },
      'tool',
    ],
    ['a tool name alone', { 'gen_ai.tool.name': 'forecast' }, 'tool'],
    ['a requested model alone', { 'gen_ai.request.model': 'm-1' }, 'model'],
    ['output messages alone', outputMessages([]), 'model'],
    ['a guardrail name alone', { 'gen_ai.guardrail.name': 'no-secrets' }, 'guardrail'],
    [
      'an agent name alone, which instrumentations copy to all children',
      { 'gen_ai.agent.name': 'a' },
      'other',
    ],
    ['nothing', {}, 'other'],
  ],
  nodeName: [
    [
      'the tool name',
      { ...TOOL, 'gen_ai.tool.name': 'forecast', 'gen_ai.agent.name': 'its caller' },
      'forecast',
    ],
    ['the agent name of an agent', { ...AGENT, 'gen_ai.agent.name': 'researcher' }, 'researcher'],
    ['the agent name of a model call', { ...CHAT, 'gen_ai.agent.name': 'researcher' }, 'researcher'],
    [
      'the span name of a workflow',
      { ...operation('invoke_workflow'), 'gen_ai.agent.name': 'a' },
      'the span',
    ],
    ['the span name of a tool without name', TOOL, 'the span'],
  ],
  agentName: [
    ['gen_ai.agent.name', { ...AGENT, 'gen_ai.agent.name': 'researcher' }, 'researcher'],
    ['gen_ai.agent.name that is a number', { ...AGENT, 'gen_ai.agent.name': 7 }, '7'],
  ],
  toolName: [['gen_ai.tool.name', { ...TOOL, 'gen_ai.tool.name': 'forecast' }, 'forecast']],
  callId: [['gen_ai.tool.call.id', { ...TOOL, 'gen_ai.tool.call.id': 'call_1' }, 'call_1']],
  session: [
    ['gen_ai.conversation.id', { ...CHAT, 'gen_ai.conversation.id': 'c-1' }, 'c-1'],
    ['session.id', { ...CHAT, 'session.id': 's-1' }, 's-1'],
    ['both, the conversation first', { 'session.id': 's-1', 'gen_ai.conversation.id': 'c-1' }, 'c-1'],
  ],
  requestModel: [['gen_ai.request.model', { ...CHAT, 'gen_ai.request.model': 'm-1' }, 'm-1']],
  responseModel: [['gen_ai.response.model', { ...CHAT, 'gen_ai.response.model': 'm-1-0815' }, 'm-1-0815']],
  provider: [['gen_ai.provider.name', { ...CHAT, 'gen_ai.provider.name': 'aws.bedrock' }, 'aws.bedrock']],
  responseId: [['gen_ai.response.id', { ...CHAT, 'gen_ai.response.id': 'r-1' }, 'r-1']],
  finishReasons: [
    ['a list', { ...CHAT, 'gen_ai.response.finish_reasons': ['stop', 'length'] }, ['stop', 'length']],
    [
      'a list of spellings',
      { ...CHAT, 'gen_ai.response.finish_reasons': ['tool_call', 'tool-calls'] },
      ['tool_calls'],
    ],
    ['JSON text of a list', { ...CHAT, 'gen_ai.response.finish_reasons': '["tool_use"]' }, ['tool_calls']],
    [
      'text joined by commas',
      { ...CHAT, 'gen_ai.response.finish_reasons': 'stop, MAX_TOKENS' },
      ['stop', 'length'],
    ],
    ['the output messages', { ...CHAT, ...outputMessages([], 'tool_call') }, ['tool_calls']],
    ['an empty list', { ...CHAT, 'gen_ai.response.finish_reasons': [] }, []],
    [
      'a list with empty entries',
      { ...CHAT, 'gen_ai.response.finish_reasons': ['', 'end_turn', null] },
      ['stop'],
    ],
  ],
  cost: { notRecorded: 'the conventions have no key for it' },
  firstTokenMs: [
    [
      'gen_ai.response.time_to_first_chunk, seconds',
      { ...CHAT, 'gen_ai.response.time_to_first_chunk': 0.25 },
      250,
    ],
    ['the same as text', { ...CHAT, 'gen_ai.response.time_to_first_chunk': '1.5' }, 1_500],
  ],
  model: CHAT,
  tool: TOOL,
  toolArguments: { write: (value) => ({ 'gen_ai.tool.call.arguments': value }), json: false },
  toolResult: { write: (value) => ({ 'gen_ai.tool.call.result': value }), json: false },
  answer: { write: (text) => outputMessages([{ type: 'text', content: text }]), embedded: true },
  calls: [
    {
      name: 'output messages',
      write: (calls) => outputMessages(calls.map(toPart), 'tool_call'),
      embedded: true,
    },
    {
      name: 'native output messages',
      write: (calls) => ({ 'gen_ai.output.messages': [{ role: 'assistant', parts: calls.map(toPart) }] }),
      embedded: true,
    },
    {
      name: 'an object of output messages',
      write: (calls) => ({
        'gen_ai.output.messages': JSON.stringify({
          version: '0.1.0',
          messages: [{ role: 'assistant', parts: calls.map(toPart) }],
        }),
      }),
      embedded: true,
    },
    {
      name: 'the older chat shape',
      write: (calls) => ({
        'gen_ai.output.messages': JSON.stringify([
          {
            role: 'assistant',
            content: null,
            tool_calls: calls.map(({ id, name, args }) => ({
              id,
              type: 'function',
              function: { name, arguments: args },
            })),
          },
        ]),
      }),
      embedded: true,
    },
  ],
  tools: [
    {
      name: 'gen_ai.tool.definitions as JSON text',
      write: (tools) => ({
        'gen_ai.tool.definitions': JSON.stringify(
          tools.map(({ name, parameters, output }) => ({
            type: 'function',
            name,
            parameters,
            outputSchema: output,
          })),
        ),
      }),
      hasOutputSchema: true,
    },
    {
      name: 'gen_ai.tool.definitions as native maps',
      write: (tools) => ({
        'gen_ai.tool.definitions': tools.map(({ name, parameters }) => ({
          type: 'function',
          function: { name, parameters },
        })),
      }),
      hasOutputSchema: false,
    },
  ],
  tokens: {
    input: ['gen_ai.usage.input_tokens'],
    output: ['gen_ai.usage.output_tokens'],
    total: { notRecorded: 'the conventions count input and output only' },
    cacheRead: ['gen_ai.usage.cache_read.input_tokens'],
    cacheWrite: ['gen_ai.usage.cache_write.input_tokens'],
    reasoning: ['gen_ai.usage.reasoning.output_tokens'],
  },
  usage: usageUnder(CHAT),
  aggregates: [
    ['invoke_agent', usageUnder(AGENT)],
    ['invoke_workflow', usageUnder(operation('invoke_workflow'))],
    ['a model call around them', usageUnder(CHAT)],
  ],
  streamed: { 'gen_ai.request.stream': true, 'gen_ai.response.time_to_first_chunk': 0.01 },
}

/** The flattened completion that stood in place of the messages. */
function completion(fields: Readonly<Record<string, unknown>>): Attributes {
  const entries = Object.entries(fields).map(([key, value]) => [`gen_ai.completion.0.${key}`, value])
  return { 'gen_ai.completion.0.role': 'assistant', ...Object.fromEntries(entries) }
}

const older: DialectTable = {
  ...current,
  name: 'GenAI conventions before v0.1.0, and spellings without a release',
  kinds: [
    ['prompt tokens alone', { 'gen_ai.usage.prompt_tokens': 12 }, 'model'],
    ['a flattened completion alone', completion({ content: 'Hello' }), 'model'],
    ['a flattened completion of tool calls alone', completion({ 'tool_calls.0.name': 'forecast' }), 'model'],
    ['guard, of another emitter', operation('guard'), 'guardrail'],
    ['rerank, of another emitter', operation('rerank'), 'retrieval'],
  ],
  nodeName: { notRecorded: 'as in v0.1.0' },
  agentName: [['gen_ai.workflow.name', { ...AGENT, 'gen_ai.workflow.name': 'nightly' }, 'nightly']],
  toolName: { notRecorded: 'as in v0.1.0' },
  callId: { notRecorded: 'as in v0.1.0' },
  session: { notRecorded: 'as in v0.1.0' },
  requestModel: { notRecorded: 'as in v0.1.0' },
  responseModel: { notRecorded: 'as in v0.1.0' },
  responseId: { notRecorded: 'as in v0.1.0' },
  provider: [
    ['gen_ai.system', { ...CHAT, 'gen_ai.system': 'openai' }, 'openai'],
    ['both, the newer first', { ...CHAT, 'gen_ai.system': 'old', 'gen_ai.provider.name': 'new' }, 'new'],
  ],
  finishReasons: [
    ['one text', { ...CHAT, 'gen_ai.response.finish_reason': 'end_turn' }, ['stop']],
    ['the flattened completion', { ...CHAT, ...completion({ finish_reason: 'tool_use' }) }, ['tool_calls']],
  ],
  cost: [
    ['gen_ai.usage.cost', { ...CHAT, 'gen_ai.usage.cost': 0.5 }, 0.5],
    ['gen_ai.usage.cost as text', { ...CHAT, 'gen_ai.usage.cost': '0.5' }, 0.5],
    ['operation.cost', { ...CHAT, 'operation.cost': 0.25 }, 0.25],
    ['the cost of both sides', { 'gen_ai.usage.input_cost': 0.25, 'gen_ai.usage.output_cost': 0.5 }, 0.75],
    ['the cost of one side', { 'gen_ai.usage.output_cost': 0.5 }, 0.5],
    ['a total, before the sides', { 'gen_ai.usage.cost': 2, 'gen_ai.usage.input_cost': 0.25 }, 2],
  ],
  firstTokenMs: { notRecorded: 'as in v0.1.0' },
  toolArguments: { notRecorded: 'as in v0.1.0' },
  toolResult: { notRecorded: 'as in v0.1.0' },
  answer: { write: (text) => completion({ content: text }), embedded: false },
  calls: [
    {
      name: 'flattened completions',
      write: (calls) =>
        completion(
          Object.fromEntries(
            calls.flatMap(({ id, name, args }, index) => [
              [`tool_calls.${index}.id`, id],
              [`tool_calls.${index}.name`, name],
              [`tool_calls.${index}.arguments`, args],
            ]),
          ),
        ),
      embedded: false,
    },
  ],
  tools: { notRecorded: 'as in v0.1.0' },
  tokens: {
    input: ['gen_ai.usage.prompt_tokens', 'llm.usage.prompt_tokens'],
    output: ['gen_ai.usage.completion_tokens', 'llm.usage.completion_tokens'],
    total: ['gen_ai.usage.total_tokens', 'llm.usage.total_tokens'],
    cacheRead: ['gen_ai.usage.cache_read_input_tokens', 'gen_ai.usage.cached_input_tokens'],
    cacheWrite: ['gen_ai.usage.cache_creation.input_tokens', 'gen_ai.usage.cache_creation_input_tokens'],
    reasoning: ['gen_ai.usage.reasoning_tokens', 'gen_ai.usage.reasoning_output_tokens'],
  },
  usage: usageUnder(CHAT, ['gen_ai.usage.prompt_tokens', 'gen_ai.usage.completion_tokens']),
  aggregates: [
    ['invoke_agent', usageUnder(AGENT, ['gen_ai.usage.prompt_tokens', 'gen_ai.usage.completion_tokens'])],
  ],
  streamed: { notRecorded: 'as in v0.1.0' },
}

testDialect(current)
testDialect(older)

function readAnswer(attributes: Attributes): ModelOutput {
  return readModel({ ...CHAT, ...attributes }).readOutput()
}

function messages(value: unknown): Attributes {
  return { 'gen_ai.output.messages': JSON.stringify(value) }
}

describe('answers in the GenAI conventions', () => {
  it('join the texts of all parts and messages, and tell of other parts', () => {
    const output = readAnswer(
      messages([
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', content: 'hm' },
            { type: 'text', content: 'one' },
          ],
        },
        { role: 'assistant', parts: [{ type: 'text', content: 'two' }] },
      ]),
    )
    expect(output).toMatchObject({ state: 'seen', text: 'one\ntwo', hasOtherParts: true })
  })

  it.each([
    ['an image', [{ role: 'assistant', parts: [{ type: 'blob', modality: 'image' }] }]],
    ['a message of unknown shape', [{ role: 'assistant', body: 'Hello' }]],
    ['no message at all', [42]],
  ])('are not empty where they hold %s', (_what, value) => {
    expect(readAnswer(messages(value))).toMatchObject({ state: 'seen', text: null, hasOtherParts: true })
  })

  it.each([
    ['a list of texts', ['one', 'two'], 'one\ntwo'],
    ['parts that are texts', [{ role: 'assistant', parts: ['one', 'two'] }], 'one\ntwo'],
    ['content that is text', [{ role: 'assistant', content: 'one' }], 'one'],
    ['content parts of type output_text', [{ content: [{ type: 'output_text', text: 'one' }] }], 'one'],
    ['one message that is no list', { role: 'assistant', content: 'one' }, 'one'],
  ])('have the text of %s', (_shape, value, text) => {
    expect(readAnswer(messages(value))).toMatchObject({ state: 'seen', text, hasOtherParts: false })
  })

  it('are empty where the list of messages is', () => {
    expect(readAnswer(messages([]))).toMatchObject({
      state: 'seen',
      text: null,
      calls: [],
      hasOtherParts: false,
    })
  })

  it('tell which calls the provider ran itself', () => {
    const part = { type: 'tool_call', id: 's1', name: 'web_search', arguments: {}, provider_executed: true }
    expect(readAnswer(outputMessages([part]))).toMatchObject({
      calls: [{ id: 's1', providerExecuted: true }],
    })
  })

  it.each(['{"answer":{"city":"Paris"}}', '{"name":"Paris","type":"city"}', '[{"name":"Paris"}]'])(
    'of the older keys are their own text where they are JSON of the user: %s',
    (text) => {
      expect(readAnswer({ 'gen_ai.completion': text })).toMatchObject({ state: 'seen', text, calls: [] })
      expect(readAnswer({ 'gen_ai.output': text })).toMatchObject({ state: 'seen', text, calls: [] })
    },
  )

  it('of the older keys may be a list of tool calls', () => {
    const calls = [{ 'tool.name': 'forecast', 'tool.args': '{"city":"Paris"}' }]
    expect(readAnswer({ 'gen_ai.output': JSON.stringify(calls) })).toMatchObject({
      text: null,
      calls: [{ id: null, name: 'forecast', arguments: { city: 'Paris' } }],
    })
  })

  it('that are flattened and partly redacted are seen', () => {
    const attributes = {
      ...completion({ content: '[REDACTED]' }),
      'gen_ai.completion.1.content': 'Hello',
    }
    expect(readAnswer(attributes)).toMatchObject({ state: 'seen', text: '[REDACTED]\nHello' })
  })

  it('that are flattened are cut where their JSON stops in mid-air', () => {
    expect(readAnswer(completion({ content: '{"city":"Par' }))).toMatchObject({ state: 'truncated' })
  })

  it('that are flattened may be tool calls written as content, where they end in those', () => {
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'forecast', arguments: '{"city":"Paris"}' },
    }
    const content = JSON.stringify([call])
    expect(readAnswer(completion({ content, finish_reason: 'tool_calls' }))).toMatchObject({
      text: null,
      calls: [{ id: 'call_1', name: 'forecast', arguments: { city: 'Paris' } }],
      hasOtherParts: false,
    })
    expect(readAnswer(completion({ content, finish_reason: 'stop' }))).toMatchObject({
      text: content,
      calls: [],
    })
    const list = completion({ content: '["one"]', finish_reason: 'tool_calls' })
    expect(readAnswer(list)).toMatchObject({ text: '["one"]', calls: [] })
  })

  it('that are flattened end at the first number that is missing', () => {
    const attributes = { ...completion({ content: 'one' }), 'gen_ai.completion.2.content': 'three' }
    expect(readAnswer(attributes)).toMatchObject({ text: 'one' })
  })
})

describe('retrieval in the GenAI conventions', () => {
  it('has its query as input and its documents as output', () => {
    const documents = [{ id: 'd1', score: 0.5 }]
    const step = readSpan({
      ...operation('retrieval'),
      'gen_ai.retrieval.query.text': 'weather in Paris',
      'gen_ai.retrieval.documents': JSON.stringify(documents),
    })
    expect(step.input.text).toBe('weather in Paris')
    expect(step.output.value).toEqual(documents)
  })
})

describe('messages of an agent in the GenAI conventions', () => {
  it('are its input and output', () => {
    const input = [{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }]
    const step = readSpan({ ...AGENT, 'gen_ai.input.messages': JSON.stringify(input), ...outputMessages([]) })
    expect(step.input.value).toEqual(input)
    expect(step.output.key).toBe('gen_ai.output.messages')
  })
})
