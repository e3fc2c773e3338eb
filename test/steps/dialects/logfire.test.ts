import { describe, expect, it } from 'vitest'
import { explainStep } from '../../../src/steps/read-step.ts'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { testDialect } from '../../contracts/dialect-contract.ts'
import { type DialectTable, usageUnder } from '../../contracts/dialect-table.ts'
import { readSpan } from '../read-span.ts'
import { createSpan } from '../span.ts'

const SPAN = { 'logfire.span_type': 'span', 'logfire.msg_template': 'chat {model}', 'logfire.level_num': 9 }
const CHAT = { ...SPAN, 'gen_ai.operation.name': 'chat' }
const TOOL = { ...SPAN, 'gen_ai.operation.name': 'execute_tool' }
const AGENT = { ...SPAN, 'gen_ai.operation.name': 'invoke_agent' }

function pending(attributes: Attributes): Attributes {
  return {
    ...attributes,
    'logfire.span_type': 'pending_span',
    'logfire.pending_parent_id': '0000000000000000',
  }
}

const table: DialectTable = {
  name: 'Logfire 0.22, model and tool calls by the GenAI conventions',
  dialect: 'gen-ai',
  kinds: [
    ['a call of a model', CHAT, 'model'],
    ['a call of a tool', TOOL, 'tool'],
    ['a run of an agent', AGENT, 'agent'],
    ['a call of a model that is a log', { ...CHAT, 'logfire.span_type': 'log' }, 'model'],
    ['a span of the program', SPAN, 'other'],
    ['a log', { ...SPAN, 'logfire.span_type': 'log' }, 'other'],
    ['a pending span', pending(SPAN), 'other'],
    ['a pending span of a call of a model', pending(CHAT), 'other'],
    ['a pending span of a call of a tool', pending(TOOL), 'other'],
    ['a pending span of the AI SDK', pending({ 'ai.operationId': 'ai.toolCall' }), 'other'],
    ['a pending span with a kind of OpenInference', pending({ 'openinference.span.kind': 'AGENT' }), 'other'],
    ['a pending span of a loop of ours', pending({ 'agent_reach.node.name': 'gather' }), 'other'],
  ],
  nodeName: [
    [
      'the tool name',
      { ...TOOL, 'gen_ai.tool.name': 'forecast', 'logfire.msg': 'running forecast' },
      'forecast',
    ],
    ['the agent name', { ...AGENT, 'gen_ai.agent.name': 'support', 'logfire.msg': 'support run' }, 'support'],
    ['the span name, not the message with its values', { ...CHAT, 'logfire.msg': 'chat gpt-4o' }, 'the span'],
  ],
  agentName: [['gen_ai.agent.name', { ...AGENT, 'gen_ai.agent.name': 'support' }, 'support']],
  toolName: [['gen_ai.tool.name', { ...TOOL, 'gen_ai.tool.name': 'forecast' }, 'forecast']],
  callId: [['gen_ai.tool.call.id', { ...TOOL, 'gen_ai.tool.call.id': 'call_1' }, 'call_1']],
  session: [['gen_ai.conversation.id', { ...CHAT, 'gen_ai.conversation.id': 'c-1' }, 'c-1']],
  requestModel: [['gen_ai.request.model', { ...CHAT, 'gen_ai.request.model': 'm-1' }, 'm-1']],
  responseModel: [['gen_ai.response.model', { ...CHAT, 'gen_ai.response.model': 'm-1-0815' }, 'm-1-0815']],
  provider: [['gen_ai.system', { ...CHAT, 'gen_ai.system': 'openai' }, 'openai']],
  responseId: [['gen_ai.response.id', { ...CHAT, 'gen_ai.response.id': 'r-1' }, 'r-1']],
  finishReasons: [['a list', { ...CHAT, 'gen_ai.response.finish_reasons': ['tool_call'] }, ['tool_calls']]],
  cost: [
    ['operation.cost', { ...CHAT, 'operation.cost': 0.00008355 }, 0.00008355],
    ['operation.cost as text', { ...CHAT, 'operation.cost': '0.00008355' }, 0.00008355],
  ],
  firstTokenMs: { notRecorded: 'Logfire has no key for it' },
  model: CHAT,
  tool: TOOL,
  toolArguments: { write: (value) => ({ 'gen_ai.tool.call.arguments': value }), json: false },
  toolResult: { write: (value) => ({ 'gen_ai.tool.call.result': value }), json: false },
  answer: {
    write: (text) => ({
      'gen_ai.output.messages': JSON.stringify([
        { role: 'assistant', parts: [{ type: 'text', content: text }] },
      ]),
    }),
    embedded: true,
  },
  calls: [
    {
      name: 'output messages',
      write: (calls) => ({
        'gen_ai.output.messages': JSON.stringify([
          {
            role: 'assistant',
            parts: calls.map(({ id, name, args }) => ({ type: 'tool_call', id, name, arguments: args })),
          },
        ]),
      }),
      embedded: true,
    },
  ],
  tools: { notRecorded: 'as in the GenAI conventions' },
  tokens: {
    input: ['gen_ai.usage.input_tokens'],
    output: ['gen_ai.usage.output_tokens'],
    total: { notRecorded: 'the conventions have no key for it' },
    cacheRead: ['gen_ai.usage.cache_read.input_tokens'],
    cacheWrite: ['gen_ai.usage.cache_creation.input_tokens'],
    reasoning: { notRecorded: 'as in the GenAI conventions' },
  },
  usage: usageUnder(CHAT),
  aggregates: [
    ['a run of an agent', usageUnder(AGENT)],
    ['a span of the program', usageUnder(SPAN)],
  ],
  streamed: { notRecorded: 'Logfire has no key for it' },
}

testDialect(table)

describe('spans of Logfire', () => {
  it('are not failed by their level alone, and are by status and exception', () => {
    expect(readSpan({ ...TOOL, 'logfire.level_num': 17 }).error).toBeNull()
    const failed = readSpan(TOOL, {
      status: { code: 2, message: 'failed' },
      events: [
        {
          name: 'exception',
          attributes: { 'exception.type': 'TimeoutError', 'exception.message': 'no answer' },
        },
      ],
    })
    expect(failed.error).toEqual({ type: 'TimeoutError', message: 'no answer' })
  })

  it('that are pending tell by which key they are no step', () => {
    const { sources } = explainStep(createSpan({ attributes: pending(CHAT) }))
    expect(sources).toContainEqual({
      field: 'kind',
      key: 'logfire.span_type',
      dialect: 'logfire',
      version: '',
    })
  })
})
