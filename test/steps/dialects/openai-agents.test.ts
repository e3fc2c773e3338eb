import { describe, expect, it } from 'vitest'
import { toOpenaiAgentsAttributes } from '../../../src/steps/dialects/openai-agents.ts'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { testDialect } from '../../contracts/dialect-contract.ts'
import type { DialectTable, WrittenCall } from '../../contracts/dialect-table.ts'
import { readModel, readSpan, readTool } from '../read-span.ts'

/** What is made of the `span_data` of a span. */
function data(type: string, members: Attributes = {}, trace: Attributes = {}): Attributes {
  return toOpenaiAgentsAttributes({ type, ...members }, trace)
}

const GENERATION = data('generation')
const FUNCTION = data('function')

function toChatCall({ id, name, args }: WrittenCall): object {
  return { id, type: 'function', function: { name, arguments: args } }
}

const MEMBER = { notRecorded: 'as a key of its own: it is a member of the usage' }

const table: DialectTable = {
  name: 'OpenAI Agents SDK 0.20.0',
  dialect: 'openai-agents',
  kinds: [
    ['agent', data('agent', { name: 'support' }), 'agent'],
    ['function', FUNCTION, 'tool'],
    ['generation', GENERATION, 'model'],
    ['response', data('response'), 'model'],
    ['handoff', data('handoff', { from_agent: 'a', to_agent: 'b' }), 'tool'],
    ['guardrail', data('guardrail', { name: 'no-secrets', triggered: false }), 'guardrail'],
    ['mcp_tools', data('mcp_tools', { server: 'files' }), 'workflow'],
    ['custom', data('custom', { name: 'cleanup', data: {} }), 'workflow'],
    ['task', data('custom', { name: 'task', data: { sdk_span_type: 'task' } }), 'workflow'],
    ['turn', data('custom', { name: 'turn', data: { sdk_span_type: 'turn', turn: 1 } }), 'workflow'],
    ['transcription', data('transcription'), 'model'],
    ['speech', data('speech'), 'model'],
    ['speech_group', data('speech_group'), 'workflow'],
    ['a type of the future', data('daydream'), 'workflow'],
    ['a type named like a member of every object', data('constructor'), 'workflow'],
    ['no type', toOpenaiAgentsAttributes({}, {}), 'workflow'],
  ],
  nodeName: [
    ['the name of an agent', data('agent', { name: 'support' }), 'support'],
    ['the name of a function', data('function', { name: 'forecast' }), 'forecast'],
    ['the span name', GENERATION, 'the span'],
  ],
  agentName: [['agent.name', data('agent', { name: 'support' }), 'support']],
  toolName: [['function.name', data('function', { name: 'forecast' }), 'forecast']],
  callId: { notRecorded: 'the SDK writes no call ids on function spans' },
  session: [['group_id of the trace', data('agent', {}, { group_id: 'g-1' }), 'g-1']],
  requestModel: [['generation.model', data('generation', { model: 'm-1' }), 'm-1']],
  responseModel: [['the response', data('response', { _response: { model: 'm-1-0815' } }), 'm-1-0815']],
  provider: { notRecorded: 'the SDK names the model only' },
  responseId: [['response.response_id', data('response', { response_id: 'resp_1' }), 'resp_1']],
  finishReasons: [
    [
      'the choices of a generation',
      data('generation', { output: [{ choices: [{ finish_reason: 'length', message: { content: '' } }] }] }),
      ['length'],
    ],
  ],
  cost: { notRecorded: 'the SDK counts tokens only' },
  firstTokenMs: { notRecorded: 'the SDK measures whole calls only' },
  model: GENERATION,
  tool: FUNCTION,
  toolArguments: { write: (value) => ({ 'openai_agents.function.input': value }), json: false },
  toolResult: { write: (value) => ({ 'openai_agents.function.output': value }), json: false },
  answer: {
    write: (text) => data('generation', { output: [{ role: 'assistant', content: text }] }),
    embedded: true,
    uncut: true,
  },
  calls: [
    {
      name: 'the chat completion of a generation',
      write: (calls) =>
        data('generation', {
          output: [
            {
              choices: [{ message: { role: 'assistant', content: null, tool_calls: calls.map(toChatCall) } }],
            },
          ],
        }),
      embedded: true,
    },
    {
      name: 'the messages of a generation',
      write: (calls) =>
        data('generation', {
          output: [{ role: 'assistant', content: null, tool_calls: calls.map(toChatCall) }],
        }),
      embedded: true,
    },
    {
      name: 'the output of a response',
      write: (calls) =>
        data('response', {
          _response: {
            id: 'resp_1',
            output: calls.map(({ id, name, args }, index) => ({
              type: 'function_call',
              id: `fc_${index}`,
              call_id: id,
              name,
              arguments: args,
            })),
          },
        }),
      embedded: true,
    },
  ],
  tools: [
    {
      name: 'the response',
      write: (tools) =>
        data('response', {
          _response: {
            tools: tools.map(({ name, parameters }) => ({ type: 'function', name, parameters })),
          },
        }),
      hasOutputSchema: false,
    },
  ],
  tokens: {
    input: MEMBER,
    output: MEMBER,
    total: MEMBER,
    cacheRead: MEMBER,
    cacheWrite: MEMBER,
    reasoning: MEMBER,
  },
  usage: (input, output) => data('generation', { usage: { input_tokens: input, output_tokens: output } }),
  aggregates: [
    ['a task', (input, output) => sum('task', input, output)],
    ['a turn', (input, output) => sum('turn', input, output)],
  ],
  streamed: { notRecorded: 'the SDK measures whole calls only' },
}

/** A custom span that the SDK puts around calls, with the sum of what they use. */
function sum(type: string, input: number, output: number): Attributes {
  const usage = { input_tokens: input, output_tokens: output }
  return data('custom', { name: type, data: { sdk_span_type: type, usage } })
}

testDialect(table)

describe('tokens of the OpenAI Agents SDK', () => {
  const counted = { input: 100, output: 20 }

  it.each([
    ['a generation', data('generation', { usage: { input_tokens: 100, output_tokens: 20 } })],
    [
      'a generation of Chat Completions',
      data('generation', { usage: { prompt_tokens: 100, completion_tokens: 20 } }),
    ],
    ['a generation, in camel case', data('generation', { usage: { inputTokens: 100, outputTokens: 20 } })],
    ['a response', data('response', { _response: { usage: { input_tokens: 100, output_tokens: 20 } } })],
    ['a task as the program has it', data('task', { usage: { input_tokens: 100, output_tokens: 20 } })],
    [
      'a turn',
      data('custom', { data: { sdk_span_type: 'turn', usage: { input_tokens: 100, output_tokens: 20 } } }),
    ],
  ])('are those of %s', (_what, attributes) => {
    expect(readSpan(attributes).usage).toMatchObject(counted)
  })

  it('have their details, cached tokens inside input and reasoning inside output', () => {
    const usage = {
      input_tokens: 100,
      output_tokens: 20,
      total_tokens: 120,
      input_tokens_details: { cached_tokens: 30, cache_write_tokens: 10 },
      output_tokens_details: { reasoning_tokens: 5 },
    }
    const expected = {
      ...counted,
      total: 120,
      cacheRead: 30,
      cacheWrite: 10,
      reasoning: 5,
      cacheWasBeside: false,
      reasoningWasBeside: false,
    }
    expect(readModel(data('response', { _response: { usage } })).usage).toEqual(expected)
    const { input_tokens, output_tokens, ...details } = usage
    const ingested = { input_tokens, output_tokens, details }
    expect(readModel(data('generation', { usage: ingested })).usage).toEqual(expected)
  })

  it('of a task have cached tokens in one number', () => {
    const usage = {
      requests: 2,
      input_tokens: 100,
      output_tokens: 20,
      total_tokens: 120,
      cached_input_tokens: 30,
      cache_write_input_tokens: 0,
    }
    const task = data('custom', { data: { sdk_span_type: 'task', usage } })
    expect(readSpan(task).usage).toMatchObject({ ...counted, total: 120, cacheRead: 30, cacheWrite: 0 })
  })

  it('are absent where the exporter of the SDK left out the response', () => {
    expect(readModel(data('response', { response_id: 'resp_1' })).usage).toMatchObject({
      input: null,
      output: null,
    })
  })
})

describe('content of the OpenAI Agents SDK', () => {
  it('is absent, and not empty, where the SDK fills in empty text for what it may not record', () => {
    const step = readTool(data('function', { name: 'forecast', input: '', output: '' }))
    expect([step.input.state, step.output.state]).toEqual(['absent', 'absent'])
  })

  it('has the text of a response, and tells of its reasoning', () => {
    const output = [
      { type: 'reasoning', summary: [] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
    ]
    expect(readModel(data('response', { _response: { output } })).readOutput()).toMatchObject({
      state: 'seen',
      text: 'Hello',
      hasOtherParts: true,
    })
  })

  it('of an answer is absent where only the id of the response is known', () => {
    const answer = readModel(data('response', { response_id: 'resp_1' })).readOutput()
    expect(answer).toMatchObject({ state: 'absent', text: null, calls: [] })
  })
})
