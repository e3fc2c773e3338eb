import { describe, expect, it } from 'vitest'
import type { ModelOutput } from '../../../src/steps/model-output.ts'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { testDialect } from '../../contracts/dialect-contract.ts'
import {
  type DialectTable,
  type NotRecorded,
  type ToolWriter,
  usageUnder,
} from '../../contracts/dialect-table.ts'
import { readModel, readSpan, readTool } from '../read-span.ts'

function operation(id: string): Attributes {
  return { 'ai.operationId': id }
}

const MODEL = operation('ai.generateText.doGenerate')
const STREAM = operation('ai.streamText.doStream')
const AGENT = operation('ai.generateText')
const TOOL = operation('ai.toolCall')

const tools: readonly ToolWriter[] = [
  {
    name: 'ai.prompt.tools as a list of JSON texts',
    write: (offered) => ({
      'ai.prompt.tools': offered.map(({ name, parameters }) =>
        JSON.stringify({ type: 'function', name, description: '', parameters }),
      ),
    }),
    hasOutputSchema: false,
  },
]

const v4: DialectTable = {
  name: 'AI SDK 4',
  dialect: 'ai-sdk',
  kinds: [
    ['ai.generateText', operation('ai.generateText'), 'agent'],
    ['ai.streamText', operation('ai.streamText'), 'agent'],
    ['ai.generateObject', operation('ai.generateObject'), 'agent'],
    ['ai.streamObject', operation('ai.streamObject'), 'agent'],
    ['ai.generateText.doGenerate', operation('ai.generateText.doGenerate'), 'model'],
    ['ai.streamText.doStream', operation('ai.streamText.doStream'), 'model'],
    ['ai.generateObject.doGenerate', operation('ai.generateObject.doGenerate'), 'model'],
    ['ai.streamObject.doStream', operation('ai.streamObject.doStream'), 'model'],
    ['ai.embed', operation('ai.embed'), 'workflow'],
    ['ai.embed.doEmbed', operation('ai.embed.doEmbed'), 'model'],
    ['ai.embedMany', operation('ai.embedMany'), 'workflow'],
    ['ai.embedMany.doEmbed', operation('ai.embedMany.doEmbed'), 'model'],
    ['ai.toolCall', operation('ai.toolCall'), 'tool'],
    ['an operation of the future', operation('ai.daydream'), 'workflow'],
    ['an operation of somebody else', operation('constructor'), 'other'],
  ],
  nodeName: [
    ['the tool name', { ...TOOL, 'ai.toolCall.name': 'forecast' }, 'forecast'],
    ['the function id of an agent', { ...AGENT, 'ai.telemetry.functionId': 'support' }, 'support'],
    ['the function id of a model call', { ...MODEL, 'ai.telemetry.functionId': 'support' }, 'support'],
    ['the span name', AGENT, 'the span'],
  ],
  agentName: [['ai.telemetry.functionId', { ...AGENT, 'ai.telemetry.functionId': 'support' }, 'support']],
  toolName: [['ai.toolCall.name', { ...TOOL, 'ai.toolCall.name': 'forecast' }, 'forecast']],
  callId: [['ai.toolCall.id', { ...TOOL, 'ai.toolCall.id': 'call_1' }, 'call_1']],
  session: [
    ['the metadata', { ...AGENT, 'ai.telemetry.metadata.sessionId': 's-1' }, 's-1'],
    ['the metadata, a number', { ...AGENT, 'ai.telemetry.metadata.sessionId': 42 }, '42'],
  ],
  requestModel: [['ai.model.id', { ...MODEL, 'ai.model.id': 'm-1', 'gen_ai.request.model': 'm-2' }, 'm-1']],
  responseModel: [['ai.response.model', { ...MODEL, 'ai.response.model': 'm-1-0815' }, 'm-1-0815']],
  provider: [
    [
      'ai.model.provider',
      { ...MODEL, 'ai.model.provider': 'openai.chat', 'gen_ai.system': 'x' },
      'openai.chat',
    ],
  ],
  responseId: [['ai.response.id', { ...MODEL, 'ai.response.id': 'r-1', 'gen_ai.response.id': 'r-2' }, 'r-1']],
  finishReasons: [
    ['tool-calls', { ...MODEL, 'ai.response.finishReason': 'tool-calls' }, ['tool_calls']],
    ['content-filter', { ...MODEL, 'ai.response.finishReason': 'content-filter' }, ['content_filter']],
    ['stop', { ...MODEL, 'ai.response.finishReason': 'stop' }, ['stop']],
  ],
  cost: { notRecorded: 'the AI SDK does not price' },
  firstTokenMs: [
    ['ai.response.msToFirstChunk', { ...STREAM, 'ai.response.msToFirstChunk': 250.5 }, 250.5],
    ['the same as text', { ...STREAM, 'ai.response.msToFirstChunk': '250.5' }, 250.5],
  ],
  model: MODEL,
  tool: TOOL,
  toolArguments: { write: (value) => ({ 'ai.toolCall.args': value }), json: true },
  toolResult: { write: (value) => ({ 'ai.toolCall.result': value }), json: true },
  answer: { write: (text) => ({ 'ai.response.text': text }), embedded: false },
  calls: [
    {
      name: 'ai.response.toolCalls, with args',
      write: (calls) => ({
        'ai.response.toolCalls': JSON.stringify(
          calls.map(({ id, name, args }) => ({
            toolCallType: 'function',
            toolCallId: id,
            toolName: name,
            args,
          })),
        ),
      }),
      embedded: true,
    },
  ],
  tools,
  tokens: {
    input: ['ai.usage.promptTokens'],
    output: ['ai.usage.completionTokens'],
    total: ['ai.usage.tokens'],
    cacheRead: notIn('v4'),
    cacheWrite: notIn('v4'),
    reasoning: notIn('v4'),
  },
  usage: usageUnder(MODEL, ['ai.usage.promptTokens', 'ai.usage.completionTokens']),
  aggregates: [
    [
      'ai.streamText',
      usageUnder(operation('ai.streamText'), ['ai.usage.promptTokens', 'ai.usage.completionTokens']),
    ],
  ],
  streamed: { ...STREAM, 'ai.response.msToFirstChunk': 10 },
}

function notIn(version: string): NotRecorded {
  return { notRecorded: `not in ${version}` }
}

const asInV4 = { notRecorded: 'as in v4' }

const v5: DialectTable = {
  ...v4,
  name: 'AI SDK 5',
  kinds: asInV4,
  nodeName: asInV4,
  agentName: asInV4,
  toolName: asInV4,
  callId: asInV4,
  session: asInV4,
  requestModel: asInV4,
  responseModel: asInV4,
  provider: asInV4,
  responseId: asInV4,
  finishReasons: asInV4,
  firstTokenMs: asInV4,
  calls: [
    {
      name: 'ai.response.toolCalls, with input encoded twice',
      write: (calls) => ({
        'ai.response.toolCalls': JSON.stringify(
          calls.map(({ id, name, args }) => ({
            type: 'tool-call',
            toolCallId: id,
            toolName: name,
            input: typeof args === 'string' ? args : JSON.stringify(args),
          })),
        ),
      }),
      embedded: true,
    },
    {
      name: 'ai.response.toolCalls, a native list',
      write: (calls) => ({
        'ai.response.toolCalls': calls.map(({ id, name, args }) => ({
          type: 'tool-call',
          toolCallId: id,
          toolName: name,
          input: args,
        })),
      }),
      embedded: true,
    },
  ],
  tools: [
    {
      name: 'ai.prompt.tools, with inputSchema',
      write: (offered) => ({
        'ai.prompt.tools': offered.map(({ name, parameters }) =>
          JSON.stringify({ type: 'function', name, inputSchema: parameters }),
        ),
      }),
      hasOutputSchema: false,
    },
  ],
  tokens: {
    input: ['ai.usage.inputTokens', 'ai.usage.promptTokens'],
    output: ['ai.usage.outputTokens', 'ai.usage.completionTokens'],
    total: ['ai.usage.totalTokens'],
    cacheRead: ['ai.usage.cachedInputTokens'],
    cacheWrite: notIn('v5'),
    reasoning: ['ai.usage.reasoningTokens'],
  },
  usage: usageUnder(MODEL, ['ai.usage.inputTokens', 'ai.usage.outputTokens']),
  aggregates: [
    [
      'ai.streamText',
      usageUnder(operation('ai.streamText'), ['ai.usage.inputTokens', 'ai.usage.outputTokens']),
    ],
  ],
  streamed: { ...STREAM, 'ai.response.msToFirstChunk': 10 },
}

const v6: DialectTable = {
  ...v5,
  name: 'AI SDK 6',
  kinds: [
    ['ai.rerank', operation('ai.rerank'), 'workflow'],
    ['ai.rerank.doRerank', operation('ai.rerank.doRerank'), 'retrieval'],
  ],
  tokens: {
    input: ['ai.usage.inputTokens'],
    output: ['ai.usage.outputTokens'],
    total: ['ai.usage.totalTokens'],
    cacheRead: ['ai.usage.inputTokenDetails.cacheReadTokens', 'ai.usage.cachedInputTokens'],
    cacheWrite: ['ai.usage.inputTokenDetails.cacheWriteTokens'],
    reasoning: ['ai.usage.outputTokenDetails.reasoningTokens', 'ai.usage.reasoningTokens'],
  },
  usage: usageUnder(MODEL, ['ai.usage.inputTokens', 'ai.usage.outputTokens']),
  aggregates: [
    ['ai.generateText', usageUnder(AGENT, ['ai.usage.inputTokens', 'ai.usage.outputTokens'])],
    [
      'ai.streamText',
      usageUnder(operation('ai.streamText'), ['ai.usage.inputTokens', 'ai.usage.outputTokens']),
    ],
  ],
  streamed: { ...STREAM, 'ai.response.msToFirstChunk': 10 },
}

const CHAT = { 'gen_ai.operation.name': 'chat' }
const EXECUTE = { 'gen_ai.operation.name': 'execute_tool' }
const asInGenAi = { notRecorded: 'as in the GenAI conventions' }

const v7: DialectTable = {
  name: 'AI SDK 7, which writes the GenAI conventions',
  dialect: 'gen-ai',
  kinds: [
    ['invoke_agent', { 'gen_ai.operation.name': 'invoke_agent' }, 'agent'],
    ['agent_step', { 'gen_ai.operation.name': 'agent_step' }, 'workflow'],
    ['chat', CHAT, 'model'],
    ['execute_tool', EXECUTE, 'tool'],
    ['rerank', { 'gen_ai.operation.name': 'rerank' }, 'retrieval'],
    ['embeddings', { 'gen_ai.operation.name': 'embeddings' }, 'model'],
  ],
  nodeName: [
    [
      'the agent name',
      { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'support' },
      'support',
    ],
    ['the span name of a step', { 'gen_ai.operation.name': 'agent_step' }, 'the span'],
  ],
  agentName: asInGenAi,
  toolName: asInGenAi,
  callId: asInGenAi,
  session: { notRecorded: 'only as context that the user opts in to' },
  requestModel: asInGenAi,
  responseModel: asInGenAi,
  provider: asInGenAi,
  responseId: asInGenAi,
  finishReasons: [
    ['its own spelling', { ...CHAT, 'gen_ai.response.finish_reasons': ['tool-calls'] }, ['tool_calls']],
    [
      'two spellings of one reason',
      {
        ...CHAT,
        'gen_ai.response.finish_reasons': ['tool-calls'],
        'gen_ai.output.messages': '[{"role":"assistant","parts":[],"finish_reason":"tool_call"}]',
      },
      ['tool_calls'],
    ],
  ],
  cost: { notRecorded: 'the AI SDK does not price' },
  firstTokenMs: asInGenAi,
  model: CHAT,
  tool: EXECUTE,
  toolArguments: { write: (value) => ({ 'gen_ai.tool.call.arguments': value }), json: false },
  toolResult: { write: (value) => ({ 'gen_ai.tool.call.result': value }), json: false },
  answer: asInGenAi,
  calls: asInGenAi,
  tools: asInGenAi,
  tokens: {
    input: ['gen_ai.usage.input_tokens'],
    output: ['gen_ai.usage.output_tokens'],
    total: notIn('v7'),
    cacheRead: ['gen_ai.usage.cache_read.input_tokens'],
    cacheWrite: ['gen_ai.usage.cache_creation.input_tokens'],
    reasoning: ['ai.usage.outputTokenDetails.reasoningTokens'],
  },
  usage: usageUnder(CHAT),
  aggregates: [
    ['invoke_agent', usageUnder({ 'gen_ai.operation.name': 'invoke_agent' })],
    ['agent_step', usageUnder({ 'gen_ai.operation.name': 'agent_step' })],
  ],
  streamed: { 'gen_ai.response.time_to_first_chunk': 0.01 },
}

testDialect(v4)
testDialect(v5)
testDialect(v6)
testDialect(v7)

function readAnswer(attributes: Attributes): ModelOutput {
  return readModel({ ...MODEL, ...attributes }).readOutput()
}

describe('answers in the AI SDK', () => {
  const CALLS = '[{"type":"tool-call","toolCallId":"c1","toolName":"forecast","input":"{}"}]'

  it('have text and tool calls under keys of their own', () => {
    expect(readAnswer({ 'ai.response.text': 'Let me look.', 'ai.response.toolCalls': CALLS })).toMatchObject({
      state: 'seen',
      text: 'Let me look.',
      calls: [{ id: 'c1', name: 'forecast', arguments: {} }],
    })
    expect(readAnswer({ 'ai.response.toolCalls': CALLS })).toMatchObject({ state: 'seen', text: null })
  })

  it.each([
    ['truncated', CALLS.slice(0, -10)],
    ['redacted', '[REDACTED]'],
    ['partial', `[${'1,'.repeat(40_000)}1]`],
  ])('are not seen where their tool calls are %s', (state, calls) => {
    expect(readAnswer({ 'ai.response.toolCalls': calls })).toMatchObject({ state, calls: [] })
    expect(readAnswer({ 'ai.response.text': '', 'ai.response.toolCalls': calls })).toMatchObject({
      state,
      text: '',
    })
  })

  it('may be an object', () => {
    const output = readAnswer({ 'ai.response.object': '{"city":"Paris"}' })
    expect(output).toMatchObject({ state: 'seen', text: '{"city":"Paris"}', hasOtherParts: true })
  })

  it('may hold reasoning beside blank text', () => {
    const output = readAnswer({ 'ai.response.text': '', 'ai.response.reasoning': 'hm' })
    expect(output).toMatchObject({ state: 'seen', text: '', hasOtherParts: true })
  })

  it('tell which calls the provider ran itself', () => {
    const calls = '[{"toolCallId":"c1","toolName":"web_search","input":"{}","providerExecuted":true}]'
    expect(readAnswer({ 'ai.response.toolCalls': calls })).toMatchObject({
      calls: [{ providerExecuted: true }],
    })
  })

  it('are read on spans whose operation another processor took away', () => {
    const attributes = { 'gen_ai.request.model': 'm-1', 'ai.response.toolCalls': CALLS }
    const step = readModel(attributes)
    expect(step.readOutput().calls).toHaveLength(1)
  })
})

describe('spans of the AI SDK', () => {
  it.each([
    ['ai.prompt.messages', '[{"role":"user","content":"Hello"}]', [{ role: 'user', content: 'Hello' }]],
    ['ai.prompt', '{"prompt":"Hello"}', { prompt: 'Hello' }],
    ['ai.value', '"Hello"', 'Hello'],
    ['ai.values', ['"Hello"'], ['"Hello"']],
  ])('have their input under %s', (key, recorded, value) => {
    const step = readSpan({ ...AGENT, [key]: recorded })
    expect(step.input.value).toEqual(value)
  })

  it('have the final text of an agent as its output', () => {
    const step = readSpan({ ...AGENT, 'ai.response.text': 'Done.' })
    expect(step.output.value).toBe('Done.')
  })

  it('of a tool that returned a bare number or word have that as result', () => {
    const values = ['42', 'true', 'null', '"rain"'].map(
      (result) => readTool({ ...TOOL, 'ai.toolCall.result': result }).output.value,
    )
    expect(values).toEqual([42, true, null, 'rain'])
  })
})
