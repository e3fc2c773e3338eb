import { describe, expect, it } from 'vitest'
import { toRequestSignature, toSignature } from '../../../src/steps/signature.ts'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { testDialect } from '../../contracts/dialect-contract.ts'
import { type DialectTable, usageUnder } from '../../contracts/dialect-table.ts'
import { readModel, readSpan, readTool } from '../read-span.ts'

function entity(kind: string): Attributes {
  return { 'traceloop.span.kind': kind }
}

const TOOL = entity('tool')
const AGENT = entity('agent')
const CHAT = { 'gen_ai.operation.name': 'chat' }
const GUARD = { 'gen_ai.operation.name': 'guard', 'gen_ai.guardrail.name': 'no-secrets' }
const asInGenAi = { notRecorded: 'model calls are spans of the GenAI conventions' }

const table: DialectTable = {
  name: 'Traceloop 0.27',
  dialect: 'traceloop',
  kinds: [
    ['a workflow', entity('workflow'), 'workflow'],
    ['a task', entity('task'), 'workflow'],
    ['an agent', entity('agent'), 'agent'],
    ['a tool', entity('tool'), 'tool'],
    ['a session', entity('session'), 'workflow'],
    ['a kind that is not known to it', entity('unknown'), 'workflow'],
    ['a kind of the future', entity('dream'), 'workflow'],
    ['a guard', GUARD, 'guardrail'],
    ['guards around a function', { ...GUARD, 'gen_ai.operation.name': 'guardrail.run' }, 'guardrail'],
    [
      'a tool of LangChain, a task to it',
      { ...entity('task'), 'gen_ai.operation.name': 'execute_tool' },
      'tool',
    ],
    [
      'an agent of LangChain, a workflow to it',
      { ...entity('workflow'), 'gen_ai.operation.name': 'invoke_agent' },
      'agent',
    ],
    ['a chain of LangChain', { ...entity('workflow'), 'gen_ai.operation.name': 'workflow' }, 'workflow'],
    ['the request type of old versions', { 'llm.request.type': 'chat' }, 'model'],
    ['a completion of old versions', { 'llm.request.type': 'completion' }, 'model'],
    ['a rerank of old versions', { 'llm.request.type': 'rerank' }, 'retrieval'],
    ['a request of old versions that is not known to it', { 'llm.request.type': 'unknown' }, 'other'],
    ['an agent that carries model and usage of its calls', { ...AGENT, ...modelKeys() }, 'agent'],
    ['a name and path alone, which all spans below inherit', { 'traceloop.entity.path': 'a.b' }, 'other'],
  ],
  nodeName: [
    ['the entity name of a tool', { ...TOOL, 'traceloop.entity.name': 'forecast' }, 'forecast'],
    ['the entity name of a task', { ...entity('task'), 'traceloop.entity.name': 'gather' }, 'gather'],
    [
      'the entity name of a tool below an agent, which hands its own name down',
      { ...TOOL, 'traceloop.entity.name': 'forecast', 'gen_ai.agent.name': 'its caller' },
      'forecast',
    ],
    [
      'the entity name of a task below an agent',
      { ...entity('task'), 'traceloop.entity.name': 'gather', 'gen_ai.agent.name': 'its caller' },
      'gather',
    ],
    [
      'the agent name',
      { ...AGENT, 'traceloop.entity.name': 'support', 'gen_ai.agent.name': 'support' },
      'support',
    ],
    ['the span name of a guard', GUARD, 'the span'],
  ],
  agentName: [['gen_ai.agent.name', { ...AGENT, 'gen_ai.agent.name': 'support' }, 'support']],
  toolName: [
    ['traceloop.entity.name', { ...TOOL, 'traceloop.entity.name': 'forecast' }, 'forecast'],
    [
      'the message that a tool of LangChain answers with, as its entity is a class',
      { ...langchainTool(), 'traceloop.entity.output': toolMessage('rain') },
      'forecast',
    ],
    [
      'the class of a tool of LangChain that answers with a text',
      { ...langchainTool(), 'traceloop.entity.output': '"rain"' },
      'DynamicStructuredTool',
    ],
  ],
  callId: [
    [
      'the message that a tool of LangChain answers with',
      { ...langchainTool(), 'traceloop.entity.output': toolMessage('rain') },
      'call_1',
    ],
  ],
  session: [
    ['gen_ai.conversation.id', { ...TOOL, 'gen_ai.conversation.id': 'c-1' }, 'c-1'],
    ['an association', { ...TOOL, 'traceloop.association.properties.session_id': 's-1' }, 's-1'],
  ],
  requestModel: [['gen_ai.request.model', { ...CHAT, 'gen_ai.request.model': 'm-1' }, 'm-1']],
  responseModel: [['gen_ai.response.model', { ...CHAT, 'gen_ai.response.model': 'm-1-0815' }, 'm-1-0815']],
  provider: [['gen_ai.provider.name', { ...CHAT, 'gen_ai.provider.name': 'openai' }, 'openai']],
  responseId: [['gen_ai.response.id', { ...CHAT, 'gen_ai.response.id': 'r-1' }, 'r-1']],
  finishReasons: [
    [
      'a list in its own spelling',
      { ...CHAT, 'gen_ai.response.finish_reasons': ['tool_call'] },
      ['tool_calls'],
    ],
  ],
  cost: { notRecorded: 'Traceloop prices on its server' },
  firstTokenMs: { notRecorded: 'it measures streaming in a metric, not on the span' },
  model: CHAT,
  tool: TOOL,
  toolArguments: { write: (value) => ({ 'traceloop.entity.input': value }), json: false },
  toolResult: { write: (value) => ({ 'traceloop.entity.output': value }), json: false },
  answer: asInGenAi,
  calls: asInGenAi,
  tools: asInGenAi,
  tokens: {
    input: ['gen_ai.usage.input_tokens'],
    output: ['gen_ai.usage.output_tokens'],
    total: ['gen_ai.usage.total_tokens', 'llm.usage.total_tokens'],
    cacheRead: ['gen_ai.usage.cache_read_input_tokens'],
    cacheWrite: ['gen_ai.usage.cache_creation_input_tokens'],
    reasoning: ['gen_ai.usage.reasoning_tokens'],
  },
  usage: usageUnder(CHAT),
  aggregates: [
    ['an agent', usageUnder(AGENT)],
    ['a workflow', usageUnder(entity('workflow'))],
  ],
  streamed: { notRecorded: 'it measures streaming in a metric, not on the span' },
}

function modelKeys(): Attributes {
  return { 'gen_ai.request.model': 'm-1', 'gen_ai.usage.input_tokens': 300 }
}

function langchainTool(): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.provider.name': 'langchain',
    'traceloop.span.kind': 'task',
    'traceloop.entity.name': 'DynamicStructuredTool',
  }
}

function toolMessage(content: string): string {
  return JSON.stringify({
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'messages', 'ToolMessage'],
    kwargs: { content, tool_call_id: 'call_1', name: 'forecast', status: 'success' },
  })
}

testDialect(table)

describe('arguments of a tool of Traceloop', () => {
  const read = (recorded: string): unknown =>
    readTool({ ...TOOL, 'traceloop.entity.input': recorded }).input.value

  it('are those that a decorated function takes by name', () => {
    expect(read('{"args":[],"kwargs":{"city":"Paris"}}')).toEqual({ city: 'Paris' })
  })

  it('are none, and not absent, where it takes none', () => {
    expect(read('{"args":[],"kwargs":{}}')).toEqual({})
  })

  it('are JSON inside JSON where LangChain calls the tool', () => {
    expect(read('{"args":["{\\"city\\":\\"Paris\\"}"]}')).toEqual({ city: 'Paris' })
  })

  it('stay by position where nothing tells their names', () => {
    expect(read('{"args":["Paris",3],"kwargs":{}}')).toEqual({ args: ['Paris', 3], kwargs: {} })
  })

  it.each(['{"args":[],"kwargs":{"city":"Par', '{"args":["{\\"city\\":\\"Par'])(
    'are truncated where a length limit cut them: %s',
    (recorded) => {
      expect(readTool({ ...TOOL, 'traceloop.entity.input': recorded }).input.state).toBe('truncated')
    },
  )

  it.each(['{"args":[],"kwargs":{"city":"Paris"}}', '{"args":["{ \\"city\\": \\"Paris\\" }"]}'])(
    'have the signature of the call that a model asked for: %s',
    (recorded) => {
      const { input } = readTool({ ...TOOL, 'traceloop.entity.input': recorded })
      const signature = toRequestSignature('forecast', { city: 'Paris' })
      expect(signature).not.toBeNull()
      expect(toSignature('forecast', input)).toBe(signature)
    },
  )
})

describe('results of a tool of Traceloop', () => {
  const read = (recorded: string): unknown =>
    readTool({ ...langchainTool(), 'traceloop.entity.output': recorded }).output.value

  it('are the content of the message that a tool of LangChain answers with', () => {
    expect(read(toolMessage('rain'))).toBe('rain')
    expect(read(toolMessage('{"days":[]}'))).toEqual({ days: [] })
    expect(read(toolMessage(''))).toBe('')
  })

  it('are decoded where a function returned a text or an object', () => {
    expect(read('"rain"')).toBe('rain')
    expect(read('{"days":[1,2]}')).toEqual({ days: [1, 2] })
  })
})

describe('guards of Traceloop', () => {
  it('have input and, where one is given, output of their own', () => {
    const step = readSpan({
      ...GUARD,
      'gen_ai.guardrail.input': '{"text":"hi"}',
      'gen_ai.guardrail.status': 'PASSED',
    })
    expect(step.input.value).toEqual({ text: 'hi' })
    expect(step.output.state).toBe('absent')
    expect(readSpan({ ...GUARD, 'gen_ai.guardrail.output': '{"score":0.1}' }).output.value).toEqual({
      score: 0.1,
    })
  })

  it('did not fail where they found something, and did where they threw', () => {
    expect(readSpan({ ...GUARD, 'gen_ai.guardrail.status': 'FAILED' }).error).toBeNull()
    const threw = {
      ...GUARD,
      'gen_ai.guardrail.status': 'FAILED',
      'gen_ai.guardrail.error.type': 'TimeoutError',
      'gen_ai.guardrail.error.message': 'no answer in 5 s',
    }
    expect(readSpan(threw).error).toEqual({ type: 'TimeoutError', message: 'no answer in 5 s' })
  })
})

describe('spans of the AI SDK that the processor of Traceloop has rewritten', () => {
  it('are calls of a model without an operation', () => {
    const step = readModel({
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.provider.name': 'openai',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 10,
      'gen_ai.usage.total_tokens': 110,
      'gen_ai.output.messages':
        '[{"role":"assistant","finish_reason":"stop","parts":[{"type":"text","content":"Hi"}]}]',
    })
    expect(step.requestModel).toBe('gpt-4o')
    expect(step.readOutput()).toMatchObject({ state: 'seen', text: 'Hi', finishReasons: ['stop'] })
  })

  it('are calls of a tool with the arguments of the conventions', () => {
    const step = readTool({
      ...TOOL,
      'traceloop.entity.name': 'shell',
      'traceloop.entity.input': '{"args":["-l"]}',
      'gen_ai.tool.name': 'shell',
      'gen_ai.tool.call.id': 'call_1',
      'gen_ai.tool.call.arguments': '{"args":["-l"]}',
    })
    expect(step).toMatchObject({ toolName: 'shell', callId: 'call_1' })
    expect(step.input.value).toEqual({ args: ['-l'] })
  })
})
