import { describe, expect, it } from 'vitest'
import { explainStep } from '../../../src/steps/read-step.ts'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { testDialect } from '../../contracts/dialect-contract.ts'
import { type DialectTable, usageUnder } from '../../contracts/dialect-table.ts'
import { readModel, readSpan, readTool } from '../read-span.ts'
import { createSpan } from '../span.ts'

/** What the exporter writes first on every span. */
function span(type: string, operation: string = type): Attributes {
  return { 'gen_ai.operation.name': operation, 'mastra.span.type': type }
}

const INFERENCE = span('model_inference', 'chat')
const TOOL = span('client_tool_call')
const AGENT = span('agent_run', 'invoke_agent')
const START = Date.parse('2025-11-30T00:00:00.000Z')

const table: DialectTable = {
  name: 'Mastra, exporter 1.4 and bridge 1.5',
  dialect: 'mastra',
  kinds: [
    ['agent_run', AGENT, 'agent'],
    ['workflow_run', span('workflow_run', 'invoke_workflow'), 'workflow'],
    ['workflow_step', span('workflow_step'), 'workflow'],
    ['workflow_conditional', span('workflow_conditional'), 'workflow'],
    ['workflow_parallel', span('workflow_parallel'), 'workflow'],
    ['workflow_loop', span('workflow_loop'), 'workflow'],
    ['workflow_sleep', span('workflow_sleep'), 'workflow'],
    ['workflow_wait_event', span('workflow_wait_event'), 'workflow'],
    ['model_generation, the loop around the calls', span('model_generation'), 'workflow'],
    ['model_generation, the call itself in older versions', span('model_generation', 'chat'), 'model'],
    ['model_step', span('model_step', 'agent_step'), 'workflow'],
    ['model_inference', INFERENCE, 'model'],
    ['model_chunk, a part of a stream', span('model_chunk'), 'other'],
    ['tool_call', span('tool_call', 'execute_tool'), 'tool'],
    ['mcp_tool_call', span('mcp_tool_call', 'execute_tool'), 'tool'],
    ['client_tool_call', span('client_tool_call'), 'tool'],
    ['provider_tool_call', span('provider_tool_call', 'execute_tool'), 'tool'],
    ['processor_run', span('processor_run'), 'workflow'],
    ['scorer_run', span('scorer_run'), 'evaluation'],
    ['scorer_step', span('scorer_step'), 'workflow'],
    ['memory_operation', span('memory_operation'), 'workflow'],
    ['rag_embedding', span('rag_embedding', 'embeddings'), 'model'],
    ['rag_vector_operation', span('rag_vector_operation'), 'workflow'],
    ['a type of the future', span('dream'), 'workflow'],
    ['a type of the future, without an operation', { 'mastra.span.type': 'dream' }, 'workflow'],
    ['a type without the operation, which a limit dropped', { 'mastra.span.type': 'tool_call' }, 'tool'],
    ['metadata alone', { 'mastra.metadata.runId': 'r-1' }, 'other'],
  ],
  nodeName: [
    ['the tool name', { ...span('tool_call', 'execute_tool'), 'gen_ai.tool.name': 'forecast' }, 'forecast'],
    ['the agent name', { ...AGENT, 'gen_ai.agent.name': 'support' }, 'support'],
    ['the agent name of a model call', { ...INFERENCE, 'gen_ai.agent.name': 'support' }, 'support'],
    [
      'the step id of a workflow',
      { ...span('workflow_step'), 'mastra.workflow_step.step_id': 'gather' },
      'gather',
    ],
    ['the span name of a generation', span('model_generation'), 'the span'],
  ],
  agentName: [['gen_ai.agent.name', { ...AGENT, 'gen_ai.agent.name': 'support' }, 'support']],
  toolName: [
    [
      'gen_ai.tool.name',
      { ...span('mcp_tool_call', 'execute_tool'), 'gen_ai.tool.name': 'forecast' },
      'forecast',
    ],
  ],
  callId: [
    [
      'gen_ai.tool.call.id',
      { ...span('tool_call', 'execute_tool'), 'gen_ai.tool.call.id': 'call_1' },
      'call_1',
    ],
  ],
  session: [
    ['gen_ai.conversation.id, of the thread', { ...AGENT, 'gen_ai.conversation.id': 'thread-1' }, 'thread-1'],
  ],
  requestModel: [['gen_ai.request.model', { ...INFERENCE, 'gen_ai.request.model': 'm-1' }, 'm-1']],
  responseModel: [
    ['gen_ai.response.model', { ...INFERENCE, 'gen_ai.response.model': 'm-1-0815' }, 'm-1-0815'],
  ],
  provider: [['gen_ai.provider.name', { ...INFERENCE, 'gen_ai.provider.name': 'openai' }, 'openai']],
  responseId: [['gen_ai.response.id', { ...INFERENCE, 'gen_ai.response.id': 'r-1' }, 'r-1']],
  finishReasons: [
    [
      'a list as JSON text',
      { ...INFERENCE, 'gen_ai.response.finish_reasons': '["tool-calls"]' },
      ['tool_calls'],
    ],
    ['another', { ...INFERENCE, 'gen_ai.response.finish_reasons': '["stop"]' }, ['stop']],
  ],
  cost: { notRecorded: 'Mastra estimates cost in its own store, not on spans' },
  firstTokenMs: [
    [
      'mastra.completion_start_time',
      { ...INFERENCE, 'mastra.completion_start_time': new Date(START + 250).toISOString() },
      250,
    ],
  ],
  model: INFERENCE,
  tool: TOOL,
  toolArguments: { write: (value) => ({ 'mastra.client_tool_call.input': value }), json: false },
  toolResult: { write: (value) => ({ 'mastra.client_tool_call.output': value }), json: false },
  answer: {
    write: (text) => ({
      'gen_ai.output.messages': JSON.stringify([
        { role: 'assistant', parts: [{ type: 'text', content: text }] },
      ]),
    }),
    embedded: true,
  },
  calls: { notRecorded: 'of an output with text the exporter keeps the text alone' },
  tools: { notRecorded: 'the span of the agent has the names of its tools, that of the model none' },
  tokens: {
    input: ['gen_ai.usage.input_tokens'],
    output: ['gen_ai.usage.output_tokens'],
    total: { notRecorded: 'Mastra has no key for it' },
    cacheRead: ['gen_ai.usage.cache_read.input_tokens'],
    cacheWrite: ['gen_ai.usage.cache_creation.input_tokens'],
    reasoning: ['gen_ai.usage.reasoning_tokens'],
  },
  usage: usageUnder(INFERENCE),
  aggregates: [
    ['agent_run', usageUnder(AGENT)],
    ['model_generation, as in older versions', usageUnder({ ...span('model_generation', 'chat') })],
    ['model_step', usageUnder({ ...span('model_step', 'agent_step') })],
  ],
  streamed: { 'mastra.completion_start_time': new Date(START + 20).toISOString() },
}

testDialect(table)

describe('tools in Mastra', () => {
  it.each(['tool_call', 'mcp_tool_call', 'provider_tool_call'])(
    'have arguments and result under the keys of the conventions: %s',
    (type) => {
      const step = readTool({
        ...span(type, 'execute_tool'),
        'gen_ai.tool.call.arguments': '{"city":"Paris"}',
        'gen_ai.tool.call.result': '{"rain":true}',
      })
      expect(step.input).toMatchObject({ dialect: 'gen-ai', value: { city: 'Paris' } })
      expect(step.output.value).toEqual({ rain: true })
    },
  )

  it('that the client runs are named after the operation in the span name', () => {
    const read = (name: string): string => readTool(TOOL, { name }).toolName
    expect(read('client_tool_call get_location')).toBe('get_location')
    expect(readTool(TOOL, { name: 'client_tool_call get_location' }).nodeName).toBe('get_location')
    expect(read('client_tool_call ')).toBe('client_tool_call ')
    expect(read('get_location')).toBe('get_location')
    const { sources } = explainStep(createSpan({ name: 'client_tool_call get_location', attributes: TOOL }))
    expect(sources).toContainEqual({ field: 'tool.name', key: 'span name', dialect: 'mastra', version: '' })
  })
})

describe('content in Mastra', () => {
  it.each(['agent_run', 'workflow_run', 'workflow_step', 'model_generation', 'model_step', 'processor_run'])(
    'stands under keys of its type: %s',
    (type) => {
      const step = readSpan({
        ...span(type),
        [`mastra.${type}.input`]: '{"messages":[{"role":"user","content":"hi"}]}',
        [`mastra.${type}.output`]: '{"text":"Hello"}',
      })
      expect(step.input.value).toEqual({ messages: [{ role: 'user', content: 'hi' }] })
      expect(step.output.value).toEqual({ text: 'Hello' })
    },
  )

  it('of a model that only asked for tools is seen, and not empty', () => {
    const output = readModel({
      ...INFERENCE,
      'gen_ai.output.messages': '{"toolCalls":[{"toolName":"t"}]}',
    }).readOutput()
    expect(output).toMatchObject({ state: 'seen', text: null, hasOtherParts: true })
  })
})

describe('steps in Mastra', () => {
  it('have the index that the loop of the model gives them as their number', () => {
    expect(
      readSpan({ ...span('model_step', 'agent_step'), 'mastra.model_step.step_index': 2 }).sequence,
    ).toBe(2)
    expect(
      readSpan({ ...span('model_step', 'agent_step'), 'mastra.model_step.step_index': 0 }).sequence,
    ).toBe(0)
  })

  it('that failed have type and message, and those that did not are OK', () => {
    const failed = readSpan(
      {
        ...span('tool_call', 'execute_tool'),
        'error.type': 'TOOL_EXECUTION_FAILED',
        'error.message': 'no answer',
      },
      { status: { code: 2, message: 'no answer' } },
    )
    expect(failed.error).toEqual({ type: 'TOOL_EXECUTION_FAILED', message: 'no answer' })
    expect(readSpan(AGENT, { status: { code: 1 } })).toMatchObject({ status: 'ok', error: null })
  })
})
