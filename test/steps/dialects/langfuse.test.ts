import { describe, expect, it } from 'vitest'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { testDialect } from '../../contracts/dialect-contract.ts'
import type { DialectTable, NotRecorded } from '../../contracts/dialect-table.ts'
import { readModel, readSpan, readTool } from '../read-span.ts'

function observation(type: string): Attributes {
  return { 'langfuse.observation.type': type }
}

const GENERATION = observation('generation')
const TOOL = observation('tool')
const START = Date.parse('2025-11-30T00:00:00.000Z')

const IN_JSON: NotRecorded = { notRecorded: 'counts stand in the JSON of usage_details, see below' }

const table: DialectTable = {
  name: 'Langfuse 5.11',
  dialect: 'langfuse',
  kinds: [
    ['span', observation('span'), 'workflow'],
    ['generation', observation('generation'), 'model'],
    ['event', observation('event'), 'workflow'],
    ['embedding', observation('embedding'), 'model'],
    ['agent', observation('agent'), 'agent'],
    ['tool', observation('tool'), 'tool'],
    ['chain', observation('chain'), 'workflow'],
    ['retriever', observation('retriever'), 'retrieval'],
    ['evaluator', observation('evaluator'), 'evaluation'],
    ['guardrail', observation('guardrail'), 'guardrail'],
    ['upper case, as its API has it', observation('GENERATION'), 'model'],
    ['a type of the future', observation('dream'), 'workflow'],
    ['a model without a type', { 'langfuse.observation.model.name': 'm-1' }, 'model'],
    ['usage without a type', { 'langfuse.observation.usage_details': '{"input":1}' }, 'model'],
    ['an input without a type', { 'langfuse.observation.input': 'hi' }, 'workflow'],
    [
      'an operation of the conventions beside a type',
      { ...observation('span'), 'gen_ai.operation.name': 'execute_tool' },
      'tool',
    ],
    [
      'what it copies to every span below',
      { 'session.id': 's-1', 'user.id': 'u-1', 'langfuse.trace.name': 't' },
      'other',
    ],
  ],
  nodeName: [
    ['the span name of a tool', TOOL, 'the span'],
    ['the span name of an agent', observation('agent'), 'the span'],
    ['the span name of a generation', GENERATION, 'the span'],
  ],
  agentName: { notRecorded: 'an agent is named by its span' },
  toolName: [['the span name', TOOL, 'step']],
  callId: { notRecorded: 'Langfuse has no key for it' },
  session: [
    ['session.id', { ...GENERATION, 'session.id': 's-1' }, 's-1'],
    ['langfuse.session.id, of older versions', { ...GENERATION, 'langfuse.session.id': 's-1' }, 's-1'],
  ],
  requestModel: [
    ['langfuse.observation.model.name', { ...GENERATION, 'langfuse.observation.model.name': 'm-1' }, 'm-1'],
  ],
  responseModel: { notRecorded: 'one key holds the model, whoever names it' },
  provider: { notRecorded: 'Langfuse tells it from the model, on its server' },
  responseId: { notRecorded: 'Langfuse has no key for it' },
  finishReasons: { notRecorded: 'Langfuse has no key for it' },
  cost: [
    ['the total', { ...GENERATION, ...cost('{"input":0.25,"output":0.5,"total":0.75}') }, 0.75],
    ['a total that is no sum', { ...GENERATION, ...cost('{"input":0.25,"total":0.5}') }, 0.5],
    [
      'all there is where there is no total',
      { ...GENERATION, ...cost('{"input":0.25,"output":0.5,"search":0.125}') },
      0.875,
    ],
    ['a native object', { ...GENERATION, 'langfuse.observation.cost_details': { total: 0.75 } }, 0.75],
    ['zero, as a call that failed has it', { ...GENERATION, ...cost('{"input":0,"output":0,"total":0}') }, 0],
  ],
  firstTokenMs: [
    ['completion_start_time, JSON text of a date', { ...GENERATION, ...firstToken(`"${time(250)}"`) }, 250],
    ['the date itself', { ...GENERATION, ...firstToken(time(1_500)) }, 1_500],
  ],
  model: GENERATION,
  tool: TOOL,
  toolArguments: { write: (value) => ({ 'langfuse.observation.input': value }), json: false },
  toolResult: { write: (value) => ({ 'langfuse.observation.output': value }), json: false },
  answer: { write: (text) => ({ 'langfuse.observation.output': text }), embedded: true },
  calls: [
    {
      name: 'the message of OpenAI',
      write: (calls) => ({
        'langfuse.observation.output': JSON.stringify({
          role: 'assistant',
          content: null,
          tool_calls: calls.map(({ id, name, args }) => ({
            id,
            type: 'function',
            function: { name, arguments: args },
          })),
        }),
      }),
      embedded: true,
    },
    {
      name: 'the message of LangChain',
      write: (calls) => ({
        'langfuse.observation.output': JSON.stringify({
          content: [],
          role: 'assistant',
          tool_calls: calls.map(({ id, name, args }) => ({ name, args, id, type: 'tool_call' })),
        }),
      }),
      embedded: true,
    },
  ],
  tools: [
    {
      name: 'the input, as the integration for OpenAI records it',
      write: (tools) => ({
        'langfuse.observation.input': JSON.stringify({
          messages: [{ role: 'user', content: 'hi' }],
          tools: tools.map(({ name, parameters }) => ({ type: 'function', function: { name, parameters } })),
        }),
      }),
      hasOutputSchema: false,
    },
  ],
  tokens: {
    input: IN_JSON,
    output: IN_JSON,
    total: IN_JSON,
    cacheRead: IN_JSON,
    cacheWrite: IN_JSON,
    reasoning: IN_JSON,
  },
  usage: (input, output) => counted('generation', input, output),
  aggregates: [
    ['an agent', (input, output) => counted('agent', input, output)],
    ['a chain', (input, output) => counted('chain', input, output)],
  ],
  streamed: { 'langfuse.observation.completion_start_time': `"${time(20)}"` },
}

function counted(type: string, input: number, output: number): Attributes {
  return { ...observation(type), 'langfuse.observation.usage_details': JSON.stringify({ input, output }) }
}

function cost(json: string): Attributes {
  return { 'langfuse.observation.cost_details': json }
}

function firstToken(text: string): Attributes {
  return { 'langfuse.observation.completion_start_time': text }
}

function time(afterMs: number): string {
  return new Date(START + afterMs).toISOString()
}

testDialect(table)

function usage(details: unknown): ReturnType<typeof readSpan>['usage'] {
  return readSpan({ ...GENERATION, 'langfuse.observation.usage_details': details }).usage
}

describe('usage in Langfuse', () => {
  it.each([
    ['its own names', '{"input":100,"output":10,"total":110}'],
    ['the names of the AI SDK before v5', '{"promptTokens":100,"completionTokens":10,"totalTokens":110}'],
    ['the names of OpenAI', '{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110}'],
    ['the names of the conventions', '{"input_tokens":100,"output_tokens":10,"total_tokens":110}'],
    ['the names of the AI SDK', '{"inputTokens":100,"outputTokens":10,"totalTokens":110}'],
    ['numbers as text', '{"input":"100","output":"10","total":"110"}'],
    ['a native object', { input: 100, output: 10, total: 110 }],
  ])('is read by %s', (_names, details) => {
    expect(usage(details)).toMatchObject({ input: 100, output: 10, total: 110 })
  })

  it('of the integrations, which count cached and reasoning tokens beside the rest, has them inside', () => {
    const openai = usage(
      '{"input":20,"output":4,"total":110,"input_cached_tokens":80,"input_audio_tokens":0,"output_reasoning_tokens":6}',
    )
    expect(openai).toMatchObject({
      input: 100,
      output: 10,
      total: 110,
      cacheRead: 80,
      reasoning: 6,
      cacheWasBeside: true,
      reasoningWasBeside: true,
    })
    const langchain = usage(
      '{"input":5,"output":4,"total":110,"input_cache_read":80,"input_cache_creation":15,"output_reasoning":6}',
    )
    expect(langchain).toMatchObject({ input: 100, output: 10, cacheRead: 80, cacheWrite: 15, reasoning: 6 })
  })

  it.each([
    ['no counts', '{"input":-1,"output":"many"}'],
    ['names that mean nothing to us', '{"images":3}'],
    ['text that was cut', '{"input":100,"out'],
    ['text that was redacted', '[REDACTED]'],
    ['a list', '[100,10]'],
    ['nothing', '{}'],
  ])('is unknown where it holds %s', (_what, details) => {
    expect(usage(details)).toMatchObject({ input: null, output: null, total: null })
  })
})

describe('errors in Langfuse', () => {
  it('are told by the level where the status is unset, as a function that threw leaves it', () => {
    const attributes = {
      ...TOOL,
      'langfuse.observation.level': 'ERROR',
      'langfuse.observation.status_message': 'no answer in 30 s',
    }
    expect(readSpan(attributes)).toMatchObject({
      status: 'unset',
      error: { type: null, message: 'no answer in 30 s' },
    })
  })

  it('are told by the status with the message of the level where it has none', () => {
    const attributes = { ...TOOL, 'langfuse.observation.status_message': 'no answer in 30 s' }
    expect(readSpan(attributes, { status: { code: 2 } }).error).toEqual({
      type: null,
      message: 'no answer in 30 s',
    })
  })

  it.each(['DEBUG', 'DEFAULT', 'WARNING', ''])('are none at the level %j', (level) => {
    const attributes = {
      ...TOOL,
      'langfuse.observation.level': level,
      'langfuse.observation.status_message': 'x',
    }
    expect(readSpan(attributes).error).toBeNull()
  })
})

describe('content in Langfuse', () => {
  it('is the input and output of an agent, as text or decoded', () => {
    const step = readSpan({
      ...observation('agent'),
      'langfuse.observation.input': 'Will it rain?',
      'langfuse.observation.output': '{"rain":true}',
    })
    expect(step.input.value).toBe('Will it rain?')
    expect(step.output.value).toEqual({ rain: true })
  })

  it('of a retriever is its query and its documents', () => {
    const step = readSpan({
      ...observation('retriever'),
      'langfuse.observation.input': 'rain',
      'langfuse.observation.output': '[{"pageContent":"It rains."}]',
    })
    expect(step.input.value).toBe('rain')
    expect(step.output.value).toEqual([{ pageContent: 'It rains.' }])
  })

  it('of a tool of LangChain is what the message holds that it answers with', () => {
    const message = {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'ToolMessage'],
      kwargs: { content: '', tool_call_id: 'call_1', name: 'forecast' },
    }
    const { output } = readTool({ ...TOOL, 'langfuse.observation.output': JSON.stringify(message) })
    expect(output).toMatchObject({ state: 'seen', value: '' })
  })

  it('of a model that answers with text and calls has both', () => {
    const output = readModel({
      ...GENERATION,
      'langfuse.observation.output':
        '{"role":"assistant","content":"Let me look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"forecast","arguments":"{}"}}]}',
    }).readOutput()
    expect(output).toMatchObject({
      text: 'Let me look.',
      calls: [{ id: 'c1', name: 'forecast', arguments: {} }],
    })
  })

  it('has a time to the first token that is exact, though a date has no parts of a millisecond', () => {
    const read = (startMs: number): number | null =>
      readModel({ ...GENERATION, ...firstToken(time(250)) }, { startMs }).firstTokenMs
    expect(read(START + 0.5)).toBe(249.5)
    expect(read(START + 250.5)).toBe(0)
    expect(read(START + 251.5)).toBeNull()
  })

  it('has no time to the first token where that is no time, or before the start', () => {
    for (const text of ['soon', '', time(-5)]) {
      expect(readModel({ ...GENERATION, ...firstToken(text) }).firstTokenMs).toBeNull()
    }
  })
})
