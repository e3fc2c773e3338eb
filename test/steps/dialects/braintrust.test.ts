import { describe, expect, it } from 'vitest'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { testDialect } from '../../contracts/dialect-contract.ts'
import type { DialectTable, UsageWriter } from '../../contracts/dialect-table.ts'
import { readModel, readSpan, readTool } from '../read-span.ts'

function type(name: string): Attributes {
  return { 'braintrust.span_attributes': JSON.stringify({ type: name }) }
}

const LLM = type('llm')
const TOOL = type('tool')

function metadata(value: object): Attributes {
  return { 'braintrust.metadata': JSON.stringify(value) }
}

function metrics(value: object): Attributes {
  return { 'braintrust.metrics': JSON.stringify(value) }
}

/** The metrics of a span of a type: tokens in and out. */
function counted(name: string): UsageWriter {
  return (prompt, completion) => ({
    ...type(name),
    ...metrics({ prompt_tokens: prompt, completion_tokens: completion }),
  })
}

function output(value: unknown): Attributes {
  return { 'braintrust.output_json': JSON.stringify(value) }
}

const table: DialectTable = {
  name: 'Braintrust 3.35.0',
  dialect: 'braintrust',
  kinds: [
    ['llm', LLM, 'model'],
    ['tool', TOOL, 'tool'],
    ['function', type('function'), 'workflow'],
    ['task', type('task'), 'workflow'],
    ['eval', type('eval'), 'workflow'],
    ['score', type('score'), 'evaluation'],
    ['classifier', type('classifier'), 'evaluation'],
    ['a type of the future', type('daydream'), 'workflow'],
    ['a type named like a member of every object', type('constructor'), 'workflow'],
    ['a type under a key of its own', { 'braintrust.span_attributes.type': 'llm' }, 'model'],
    ['native attributes', { 'braintrust.span_attributes': { type: 'tool' } }, 'tool'],
    [
      'attributes that were cut, beside an output',
      { ...output(1), 'braintrust.span_attributes': '{"ty' },
      'workflow',
    ],
    ['scores alone', { 'braintrust.scores': '{"exact":1}' }, 'evaluation'],
    ['an input alone', { 'braintrust.input_json': '{}' }, 'workflow'],
    [
      'where it belongs, which is written on every span',
      { 'braintrust.parent': 'project_name:demo', 'braintrust.context_json': '{}', 'http.route': '/' },
      'other',
    ],
    [
      'a copy on a call that another dialect knows',
      { ...type('task'), 'gen_ai.operation.name': 'chat' },
      'model',
    ],
  ],
  nodeName: [
    [
      'the name of the attributes',
      { 'braintrust.span_attributes': '{"type":"task","name":"planner"}' },
      'planner',
    ],
    ['the span name', LLM, 'the span'],
  ],
  agentName: { notRecorded: 'a span of Braintrust has a name and no agent' },
  toolName: [
    ['the span name', TOOL, 'step'],
    ['gen_ai.tool.name of the host', { ...TOOL, 'gen_ai.tool.name': 'forecast' }, 'forecast'],
  ],
  callId: { notRecorded: 'Braintrust has no field for it' },
  session: [
    ['the metadata', { ...LLM, ...metadata({ session_id: 's-1' }) }, 's-1'],
    ['a key of the metadata', { ...LLM, 'braintrust.metadata.thread_id': 't-1' }, 't-1'],
  ],
  requestModel: [
    ['the metadata', { ...LLM, ...metadata({ model: 'm-1' }) }, 'm-1'],
    ['a key of the metadata', { ...LLM, 'braintrust.metadata.model': 'm-1' }, 'm-1'],
  ],
  responseModel: { notRecorded: 'the metadata holds one model' },
  provider: [['the metadata', { ...LLM, ...metadata({ provider: 'openai' }) }, 'openai']],
  responseId: { notRecorded: 'Braintrust has no field for it' },
  finishReasons: [
    [
      'the choices of the output',
      { ...LLM, ...output([{ index: 0, finish_reason: 'tool_calls', message: { content: null } }]) },
      ['tool_calls'],
    ],
  ],
  cost: [
    ['the metrics', { ...LLM, ...metrics({ estimated_cost: 0.5 }) }, 0.5],
    ['a key of the metrics', { ...LLM, 'braintrust.metrics.estimated_cost': '0.5' }, 0.5],
  ],
  firstTokenMs: [['the metrics, seconds', { ...LLM, ...metrics({ time_to_first_token: 0.25 }) }, 250]],
  model: LLM,
  tool: TOOL,
  toolArguments: { write: (value) => ({ 'braintrust.input_json': value }), json: true },
  toolResult: { write: (value) => ({ 'braintrust.output_json': value }), json: true },
  answer: {
    write: (text) => output([{ index: 0, message: { role: 'assistant', content: text } }]),
    embedded: true,
  },
  calls: [
    {
      name: 'the choices of a completion',
      write: (calls) =>
        output([
          {
            index: 0,
            finish_reason: 'tool_calls',
            message: {
              role: 'assistant',
              content: null,
              tool_calls: calls.map(({ id, name, args }) => ({
                id,
                type: 'function',
                function: { name, arguments: args },
              })),
            },
          },
        ]),
      embedded: true,
    },
    {
      name: 'the output of the Responses API',
      write: (calls) =>
        output(
          calls.map(({ id, name, args }, index) => ({
            type: 'function_call',
            id: `fc_${index}`,
            call_id: id,
            name,
            arguments: args,
          })),
        ),
      embedded: true,
    },
  ],
  tools: [
    {
      name: 'the metadata',
      write: (tools) =>
        metadata({
          tools: tools.map(({ name, parameters }) => ({ type: 'function', function: { name, parameters } })),
        }),
      hasOutputSchema: false,
    },
  ],
  tokens: {
    input: ['braintrust.metrics.prompt_tokens'],
    output: ['braintrust.metrics.completion_tokens'],
    total: ['braintrust.metrics.tokens'],
    cacheRead: ['braintrust.metrics.prompt_cached_tokens'],
    cacheWrite: ['braintrust.metrics.prompt_cache_creation_tokens'],
    reasoning: ['braintrust.metrics.completion_reasoning_tokens'],
  },
  usage: counted('llm'),
  aggregates: [['a task', counted('task')]],
  streamed: { 'braintrust.metrics.time_to_first_token': 0.01 },
}

testDialect(table)

describe('tokens in Braintrust', () => {
  const recorded = {
    prompt_tokens: 100,
    completion_tokens: 20,
    tokens: 120,
    prompt_cached_tokens: 30,
    prompt_cache_creation_tokens: 10,
    completion_reasoning_tokens: 5,
  }

  it('stand in the metrics, as JSON text or a native map', () => {
    const expected = { input: 100, output: 20, total: 120, cacheRead: 30, cacheWrite: 10, reasoning: 5 }
    expect(readModel({ ...LLM, ...metrics(recorded) }).usage).toMatchObject(expected)
    expect(readModel({ ...LLM, 'braintrust.metrics': recorded }).usage).toMatchObject(expected)
  })

  it('of the host go before what was added for Braintrust', () => {
    const attributes = { ...LLM, ...metrics(recorded), 'gen_ai.usage.input_tokens': 90 }
    expect(readModel(attributes).usage.input).toBe(90)
  })

  it('are absent where the metrics were cut', () => {
    expect(readModel({ ...LLM, 'braintrust.metrics': '{"prompt_tokens":1' }).usage.input).toBeNull()
  })
})

describe('content in Braintrust', () => {
  it('may stand under keys without a promise of JSON', () => {
    const step = readTool({ ...TOOL, 'braintrust.input': 'Paris', 'braintrust.output': 'rain' })
    expect([step.input.value, step.output.value]).toEqual(['Paris', 'rain'])
    expect(step.output.malformed).toBe(false)
  })

  it('that had to be JSON and is not is malformed', () => {
    expect(readTool({ ...TOOL, 'braintrust.output_json': 'rain' }).output.malformed).toBe(true)
  })

  it('is the answer of a model as plain JSON text, too', () => {
    expect(readModel({ ...LLM, ...output('Hello') }).readOutput()).toMatchObject({ text: 'Hello' })
  })

  it('is absent, and not empty, on a span that only says where it belongs', () => {
    expect(readSpan({ ...TOOL, 'braintrust.parent': 'project_id:1' }).output.state).toBe('absent')
  })
})
