import { describe, expect, it } from 'vitest'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { testDialect } from '../../contracts/dialect-contract.ts'
import { type DialectTable, usageUnder } from '../../contracts/dialect-table.ts'
import { readModel, readSpan, readTool } from '../read-span.ts'

function type(name: string): Attributes {
  return { 'lmnr.span.type': name }
}

const LLM = type('LLM')
const TOOL = type('TOOL')
const CACHED = { ...type('CACHED'), 'lmnr.span.original_type': 'LLM' }

const table: DialectTable = {
  name: 'Laminar 0.8',
  dialect: 'laminar',
  kinds: [
    ['DEFAULT', type('DEFAULT'), 'workflow'],
    ['LLM', LLM, 'model'],
    ['TOOL', TOOL, 'tool'],
    ['EXECUTOR', type('EXECUTOR'), 'workflow'],
    ['EVALUATOR', type('EVALUATOR'), 'evaluation'],
    ['HUMAN_EVALUATOR', type('HUMAN_EVALUATOR'), 'evaluation'],
    ['EVALUATION', type('EVALUATION'), 'evaluation'],
    ['CACHED, once an LLM', CACHED, 'model'],
    ['CACHED, once a tool', { ...CACHED, 'lmnr.span.original_type': 'TOOL' }, 'tool'],
    ['CACHED, of which nothing else is known', type('CACHED'), 'model'],
    ['a type of the future', type('DREAM'), 'workflow'],
    ['an operation of the AI SDK 7', { ...type('DEFAULT'), 'ai.operation': 'ai.generateText' }, 'agent'],
    [
      'an operation of the AI SDK 7 that carries the model of its calls',
      { ...type('DEFAULT'), 'ai.operation': 'ai.streamText', 'gen_ai.request.model': 'm-1' },
      'agent',
    ],
    ['embeddings of the AI SDK 7', { ...LLM, 'ai.operation': 'ai.embed' }, 'model'],
    ['an agent of Mastra', { ...type('DEFAULT'), 'lmnr.internal.mastra.span_type': 'agent_run' }, 'agent'],
    [
      'the inference inside a step of Mastra, which is the call',
      { ...type('DEFAULT'), 'lmnr.internal.mastra.span_type': 'model_inference' },
      'workflow',
    ],
    ['a function without a type', { 'lmnr.span.path': ['run'], 'lmnr.span.input': '"hi"' }, 'workflow'],
    [
      'a call of a model of another instrumentation',
      { 'lmnr.span.path': ['run'], 'gen_ai.operation.name': 'chat' },
      'model',
    ],
    ['a path alone, which every span has', { 'lmnr.span.path': ['run', 'GET'] }, 'other'],
  ],
  nodeName: [
    ['the tool name', { ...TOOL, 'ai.toolCall.name': 'forecast' }, 'forecast'],
    ['the span name of a tool', TOOL, 'the span'],
    [
      'the function id of an operation of the AI SDK 7',
      { ...type('DEFAULT'), 'ai.operation': 'ai.generateText', 'ai.functionId': 'support' },
      'support',
    ],
    ['the span name of a function', type('DEFAULT'), 'the span'],
  ],
  agentName: [['ai.functionId', { ...type('DEFAULT'), 'ai.functionId': 'support' }, 'support']],
  toolName: [
    ['ai.toolCall.name', { ...TOOL, 'ai.toolCall.name': 'forecast' }, 'forecast'],
    ['the span name', TOOL, 'step'],
  ],
  callId: [['ai.toolCall.id', { ...TOOL, 'ai.toolCall.id': 'call_1' }, 'call_1']],
  session: [['an association', { ...LLM, 'lmnr.association.properties.session_id': 's-1' }, 's-1']],
  requestModel: [['gen_ai.request.model', { ...LLM, 'gen_ai.request.model': 'm-1' }, 'm-1']],
  responseModel: [['gen_ai.response.model', { ...LLM, 'gen_ai.response.model': 'm-1-0815' }, 'm-1-0815']],
  provider: [['gen_ai.system', { ...LLM, 'gen_ai.system': 'openai' }, 'openai']],
  responseId: [['gen_ai.response.id', { ...LLM, 'gen_ai.response.id': 'r-1' }, 'r-1']],
  finishReasons: [
    [
      'one reason, in the singular',
      { ...LLM, 'gen_ai.response.finish_reason': 'tool-calls' },
      ['tool_calls'],
    ],
    [
      'the same beside that of the AI SDK',
      { ...LLM, 'gen_ai.response.finish_reason': 'stop', 'ai.response.finishReason': 'stop' },
      ['stop'],
    ],
  ],
  cost: [
    ['gen_ai.usage.cost', { ...LLM, 'gen_ai.usage.cost': 0.75 }, 0.75],
    ['both sides', { ...LLM, 'gen_ai.usage.input_cost': 0.25, 'gen_ai.usage.output_cost': 0.5 }, 0.75],
    [
      'the total before its sides',
      { ...LLM, 'gen_ai.usage.cost': 0.75, 'gen_ai.usage.input_cost': 0.25, 'gen_ai.usage.output_cost': 0.5 },
      0.75,
    ],
    ['an answer that was replayed', { ...CACHED, 'gen_ai.usage.cost': 0.75 }, 0],
    ['sides of an answer that was replayed', { ...CACHED, 'gen_ai.usage.input_cost': 0.25 }, 0],
    ['the tokens of an answer that was replayed', { ...CACHED, 'gen_ai.usage.input_tokens': 100 }, 0],
  ],
  firstTokenMs: { notRecorded: 'Laminar has no key for it' },
  model: LLM,
  tool: TOOL,
  toolArguments: { write: (value) => ({ 'lmnr.span.input': value }), json: false },
  toolResult: { write: (value) => ({ 'lmnr.span.output': value }), json: false },
  answer: { write: (text) => ({ 'lmnr.span.output': text }), embedded: true },
  calls: [
    {
      name: 'output messages with the content of the AI SDK',
      write: (calls) => ({
        'gen_ai.output.messages': JSON.stringify([
          {
            role: 'assistant',
            content: calls.map(({ id, name, args }) => ({
              type: 'tool-call',
              toolCallId: id,
              toolName: name,
              input: args,
            })),
          },
        ]),
      }),
      embedded: true,
    },
  ],
  tools: [
    {
      name: 'gen_ai.tool.definitions, of the AI SDK',
      write: (tools) => ({
        'gen_ai.tool.definitions': JSON.stringify(
          tools.map(({ name, parameters }) => ({ type: 'function', name, inputSchema: parameters })),
        ),
      }),
      hasOutputSchema: false,
    },
  ],
  tokens: {
    input: ['gen_ai.usage.input_tokens'],
    output: ['gen_ai.usage.output_tokens'],
    total: ['llm.usage.total_tokens'],
    cacheRead: ['gen_ai.usage.cache_read_input_tokens'],
    cacheWrite: ['gen_ai.usage.cache_creation_input_tokens'],
    reasoning: ['gen_ai.usage.reasoning_tokens', 'gen_ai.usage.reasoning_output_tokens'],
  },
  usage: usageUnder(LLM),
  aggregates: [
    ['an operation of the AI SDK 7', usageUnder({ ...type('DEFAULT'), 'ai.operation': 'ai.generateText' })],
    ['a model call around them', usageUnder(LLM)],
  ],
  streamed: { notRecorded: 'Laminar has no key for it' },
}

testDialect(table)

describe('usage of an answer that Laminar replayed', () => {
  const USED = {
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 10,
    'llm.usage.total_tokens': 110,
    'gen_ai.usage.cache_read_input_tokens': 80,
  }

  it('is nothing, whatever the span repeats', () => {
    expect(readModel({ ...CACHED, ...USED }).usage).toMatchObject({
      input: 0,
      output: 0,
      total: null,
      cacheRead: null,
      replayed: true,
    })
  })

  it('is what it is where the answer was not replayed', () => {
    expect(readModel({ ...LLM, ...USED }).usage).toMatchObject({
      input: 100,
      output: 10,
      total: 110,
      cacheRead: 80,
    })
    expect(readModel({ ...LLM, ...USED }).usage.replayed).toBeUndefined()
  })
})

describe('content in Laminar', () => {
  it('of a tool of the AI SDK is what the AI SDK recorded', () => {
    const step = readTool({
      ...TOOL,
      'ai.toolCall.name': 'forecast',
      'ai.toolCall.args': '{"city":"Paris"}',
      'lmnr.span.input': '{"city":"Paris"}',
      'ai.toolCall.result': '{"rain":true}',
      'lmnr.span.output': '{"rain":true}',
    })
    expect(step.input).toMatchObject({ dialect: 'ai-sdk', value: { city: 'Paris' } })
    expect(step.output.value).toEqual({ rain: true })
  })

  it('of a tool that failed is its error', () => {
    const step = readTool({ ...TOOL, 'ai.toolCall.error': 'no answer' }, { status: { code: 2 } })
    expect(step.error).toEqual({ type: null, message: 'no answer' })
  })

  it('of a function is what it took and gave', () => {
    const step = readSpan({
      ...type('DEFAULT'),
      'lmnr.span.input': '["Paris",3]',
      'lmnr.span.output': '"rain"',
    })
    expect(step.input.value).toEqual(['Paris', 3])
    expect(step.output.value).toBe('rain')
  })

  it('of a model in the AI SDK is text and calls', () => {
    const output = readModel({
      ...LLM,
      'gen_ai.output.messages':
        '[{"role":"assistant","content":[{"type":"text","text":"Let me look."},{"type":"tool-call","toolCallId":"c1","toolName":"forecast","input":{}}]}]',
    }).readOutput()
    expect(output).toMatchObject({
      text: 'Let me look.',
      calls: [{ id: 'c1', name: 'forecast', arguments: {} }],
    })
  })
})

describe('steps in Laminar', () => {
  it('of the AI SDK have their number', () => {
    expect(readSpan({ ...type('DEFAULT'), 'ai.step.number': 2 }).sequence).toBe(2)
  })
})
