import { describe, expect, it } from 'vitest'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { testDialect } from '../../contracts/dialect-contract.ts'
import { type DialectTable, usageUnder } from '../../contracts/dialect-table.ts'
import { readModel, readSpan, readTool } from '../read-span.ts'

/** A span of the SDK: each is told the tenant. */
function operation(name: string): Attributes {
  return { 'gen_ai.operation.name': name, 'microsoft.tenant.id': 't-1', 'gen_ai.agent.id': 'a-1' }
}

const CHAT = operation('Chat')
const TOOL = operation('execute_tool')
const AGENT = operation('invoke_agent')

/** Messages as `@microsoft/agents-a365-observability` 1.0.0 writes them: an object with a version. */
function messages(parts: readonly object[]): Attributes {
  const list = [{ role: 'assistant', parts }]
  return { 'gen_ai.output.messages': JSON.stringify({ version: '0.1.0', messages: list }) }
}

const AS_CONVENTIONS = { notRecorded: 'the SDK has no key for it; read as in the GenAI conventions' }

const table: DialectTable = {
  name: 'Microsoft Agent 365 SDK 1.0.0',
  dialect: 'a365',
  kinds: [
    ['invoke_agent', AGENT, 'agent'],
    ['execute_tool', TOOL, 'tool'],
    ['chat', operation('chat'), 'model'],
    ['Chat', CHAT, 'model'],
    ['TextCompletion', operation('TextCompletion'), 'model'],
    ['GenerateContent', operation('GenerateContent'), 'model'],
    [
      'output_messages, with the messages of an answer',
      { ...operation('output_messages'), ...messages([{ type: 'text', content: 'Hello' }]) },
      'workflow',
    ],
    ['an operation of the future', operation('daydream'), 'workflow'],
    ['the tenant alone, which is copied to every span', { 'microsoft.tenant.id': 't-1' }, 'other'],
  ],
  nodeName: [
    ['the agent name', { ...AGENT, 'gen_ai.agent.name': 'support' }, 'support'],
    [
      'the tool name, not the agent that calls it',
      { ...TOOL, 'gen_ai.tool.name': 'forecast', 'gen_ai.agent.name': 'support' },
      'forecast',
    ],
  ],
  agentName: [['gen_ai.agent.name', { ...AGENT, 'gen_ai.agent.name': 'support' }, 'support']],
  toolName: [['gen_ai.tool.name', { ...TOOL, 'gen_ai.tool.name': 'forecast' }, 'forecast']],
  callId: [['gen_ai.tool.call.id', { ...TOOL, 'gen_ai.tool.call.id': 'call_1' }, 'call_1']],
  session: [
    ['microsoft.session.id', { ...AGENT, 'microsoft.session.id': 's-1' }, 's-1'],
    ['gen_ai.conversation.id', { ...CHAT, 'gen_ai.conversation.id': 'c-1' }, 'c-1'],
    [
      'the conversation, which all spans of a run carry, before the session, which agents alone do',
      { ...AGENT, 'microsoft.session.id': 's-1', 'gen_ai.conversation.id': 'c-1' },
      'c-1',
    ],
  ],
  requestModel: [['gen_ai.request.model', { ...CHAT, 'gen_ai.request.model': 'm-1' }, 'm-1']],
  responseModel: [['gen_ai.response.model', { ...CHAT, 'gen_ai.response.model': 'm-1-0815' }, 'm-1-0815']],
  provider: [['gen_ai.provider.name', { ...CHAT, 'gen_ai.provider.name': 'openai' }, 'openai']],
  responseId: AS_CONVENTIONS,
  finishReasons: [
    ['a list', { ...CHAT, 'gen_ai.response.finish_reasons': ['stop', 'length'] }, ['stop', 'length']],
  ],
  cost: { notRecorded: 'the SDK counts tokens only' },
  firstTokenMs: { notRecorded: 'the SDK measures whole calls only' },
  model: CHAT,
  tool: TOOL,
  toolArguments: { write: (value) => ({ 'gen_ai.tool.call.arguments': value }), json: false },
  toolResult: { write: (value) => ({ 'gen_ai.tool.call.result': value }), json: false },
  answer: { write: (text) => messages([{ type: 'text', content: text }]), embedded: true },
  calls: [
    {
      name: 'the object of output messages',
      write: (calls) =>
        messages(calls.map(({ id, name, args }) => ({ type: 'tool_call', id, name, arguments: args }))),
      embedded: true,
    },
  ],
  tools: { notRecorded: 'a model call carries no definitions of tools' },
  tokens: {
    input: ['gen_ai.usage.input_tokens'],
    output: ['gen_ai.usage.output_tokens'],
    total: { notRecorded: 'the SDK counts input and output only' },
    cacheRead: { notRecorded: 'the SDK counts input and output only' },
    cacheWrite: { notRecorded: 'the SDK counts input and output only' },
    reasoning: { notRecorded: 'the SDK counts input and output only' },
  },
  usage: usageUnder(CHAT),
  aggregates: [['invoke_agent', usageUnder(AGENT)]],
  streamed: { notRecorded: 'the SDK measures whole calls only' },
}

testDialect(table)

describe('arguments and results in Agent 365', () => {
  it('are the text that the SDK wrapped in an object', () => {
    const step = readTool({
      ...TOOL,
      'gen_ai.tool.call.arguments': '{"arguments":"Paris"}',
      'gen_ai.tool.call.result': '{"result":"rain"}',
    })
    expect([step.input.value, step.output.value]).toEqual(['Paris', 'rain'])
  })

  it('are empty where the wrapped text is', () => {
    const step = readTool({ ...TOOL, 'gen_ai.tool.call.result': '{"result":""}' })
    expect(step.output).toMatchObject({ state: 'seen', value: '' })
  })

  it('are the object itself where it holds anything but one text', () => {
    for (const result of [{ result: [1] }, { result: 'rain', days: 2 }, { result: null }]) {
      const step = readTool({ ...TOOL, 'gen_ai.tool.call.result': JSON.stringify(result) })
      expect(step.output.value).toEqual(result)
    }
  })

  it('are not unwrapped on spans of somebody else', () => {
    const step = readTool({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.call.result': '{"result":"rain"}',
    })
    expect(step.output).toMatchObject({ dialect: 'gen-ai', value: { result: 'rain' } })
  })
})

describe('what an agent of Agent 365 sends', () => {
  it('is its output, whether messages or an object of the user', () => {
    const sent = readSpan({ ...operation('output_messages'), 'gen_ai.output.messages': '{"card":{"id":7}}' })
    expect(sent.output.value).toEqual({ card: { id: 7 } })
  })

  it('has the text of its messages where a model wrote them', () => {
    const attributes = messages([
      { type: 'reasoning', content: 'hm' },
      { type: 'text', content: 'Hello' },
    ])
    expect(readModel({ ...CHAT, ...attributes }).readOutput()).toMatchObject({
      state: 'seen',
      text: 'Hello',
      hasOtherParts: true,
    })
  })
})

describe('errors in Agent 365', () => {
  it('have the type that the SDK recorded and the message of the status', () => {
    const cancelled = readSpan(
      { ...CHAT, 'error.type': 'TaskCanceledException' },
      { status: { code: 2, message: 'Task was cancelled' } },
    )
    expect(cancelled.error).toEqual({ type: 'TaskCanceledException', message: 'Task was cancelled' })
  })
})
