import { describe, expect, it } from 'vitest'
import type { ModelOutput } from '../../../src/steps/model-output.ts'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { reportOf } from '../../chain/trace-script.ts'
import { testDialect } from '../../contracts/dialect-contract.ts'
import { type DialectTable, type WrittenCall, usageUnder } from '../../contracts/dialect-table.ts'
import { readModel, readSpan, readTool } from '../read-span.ts'

/** A run as langsmith 0.12.0 writes it: its type, and the operation that it takes that for. */
function run(type: string, operation: string = type): Attributes {
  return { 'langsmith.span.kind': type, 'gen_ai.operation.name': operation, 'gen_ai.system': 'langchain' }
}

const LLM = run('llm', 'chat')
const TOOL = run('tool', 'execute_tool')
const CHAIN = run('chain')
const RETRIEVER = run('retriever', 'embeddings')

function outputs(value: unknown): Attributes {
  return { 'gen_ai.completion': JSON.stringify(value) }
}

function usage(value: unknown): Attributes {
  return { 'langsmith.usage_metadata': JSON.stringify(value) }
}

function toChatCall({ id, name, args }: WrittenCall): object {
  return { id, type: 'function', function: { name, arguments: args } }
}

/** A message as LangChain serializes it. */
function message(kwargs: object): object {
  return { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'AIMessage'], kwargs }
}

const table: DialectTable = {
  name: 'LangSmith 0.12.0 in OpenTelemetry mode',
  dialect: 'langsmith',
  kinds: [
    ['llm', LLM, 'model'],
    ['tool', TOOL, 'tool'],
    ['chain', CHAIN, 'workflow'],
    ['retriever, whose operation is embeddings', RETRIEVER, 'retrieval'],
    ['embedding', run('embedding', 'embeddings'), 'model'],
    ['prompt, whose operation is chat', run('prompt', 'chat'), 'workflow'],
    ['parser', run('parser'), 'workflow'],
    ['a type of the future', run('daydream'), 'workflow'],
    ['a type named like a member of every object', run('constructor'), 'workflow'],
    ['a chain that names the model', { ...CHAIN, 'gen_ai.request.model': 'm-1' }, 'workflow'],
    ['a run without a type', { 'langsmith.span.id': 'r-1', 'langsmith.trace.name': 'main' }, 'workflow'],
    ['a span that is traceable', { 'langsmith.traceable': 'true' }, 'workflow'],
    ['the name of a project alone', { 'langsmith.trace.session_name': 'demo' }, 'other'],
    ['metadata alone', { 'langsmith.metadata.session_id': 's-1' }, 'other'],
    ['a copy on a root of the AI SDK', { ...CHAIN, 'ai.operationId': 'ai.generateText' }, 'agent'],
  ],
  nodeName: [
    ['the name of the run', { ...CHAIN, 'langsmith.trace.name': 'planner' }, 'planner'],
    [
      'the name of the run of a tool',
      { ...TOOL, 'langsmith.trace.name': 'forecast', 'gen_ai.tool.name': 'forecast' },
      'forecast',
    ],
    ['the span name', CHAIN, 'the span'],
  ],
  agentName: { notRecorded: 'a run has a name and no agent' },
  toolName: [['gen_ai.tool.name', { ...TOOL, 'gen_ai.tool.name': 'forecast' }, 'forecast']],
  callId: [['gen_ai.tool.call.id', { ...TOOL, 'gen_ai.tool.call.id': 'call_1' }, 'call_1']],
  session: [
    ['session_id of the metadata', { ...CHAIN, 'langsmith.metadata.session_id': 's-1' }, 's-1'],
    ['thread_id of the metadata', { ...CHAIN, 'langsmith.metadata.thread_id': 't-1' }, 't-1'],
    ['conversation_id of the metadata', { ...CHAIN, 'langsmith.metadata.conversation_id': 'c-1' }, 'c-1'],
    [
      'the metadata, beside the project',
      { ...CHAIN, 'langsmith.trace.session_id': 'p-1', 'langsmith.metadata.thread_id': 't-1' },
      't-1',
    ],
  ],
  requestModel: [
    ['gen_ai.request.model', { ...LLM, 'gen_ai.request.model': 'm-1' }, 'm-1'],
    ['the metadata', { ...LLM, 'langsmith.metadata.ls_model_name': 'm-1' }, 'm-1'],
  ],
  responseModel: [['gen_ai.response.model', { ...LLM, 'gen_ai.response.model': 'm-1-0815' }, 'm-1-0815']],
  provider: [
    ['gen_ai.system, a guess', { ...LLM, 'gen_ai.system': 'openai' }, 'openai'],
    ['the metadata, before the guess', { ...LLM, 'langsmith.metadata.ls_provider': 'mistral' }, 'mistral'],
  ],
  responseId: [['gen_ai.response.id', { ...LLM, 'gen_ai.response.id': 'r-1' }, 'r-1']],
  finishReasons: [
    [
      'text joined by commas',
      { ...LLM, 'gen_ai.response.finish_reasons': 'stop, length' },
      ['stop', 'length'],
    ],
    [
      'the choices of the outputs',
      { ...LLM, ...outputs({ choices: [{ finish_reason: 'tool_calls', message: { content: null } }] }) },
      ['tool_calls'],
    ],
    [
      'a generation of LangChain',
      { ...LLM, ...outputs({ generations: [[{ text: '', generation_info: { finish_reason: 'length' } }]] }) },
      ['length'],
    ],
    [
      'a generation of LangChain in JavaScript',
      {
        ...LLM,
        ...outputs({
          generations: [[{ message: message({ content: '' }), generationInfo: { finish_reason: 'length' } }]],
        }),
      },
      ['length'],
    ],
    [
      'a generation with a message',
      {
        ...LLM,
        ...outputs({
          generations: [
            [{ message: message({ content: '' }), generation_info: { finish_reason: 'length' } }],
          ],
        }),
      },
      ['length'],
    ],
  ],
  cost: [
    ['the total of usage_metadata', { ...LLM, ...usage({ total_cost: 0.5 }) }, 0.5],
    ['both sides of usage_metadata', { ...LLM, ...usage({ input_cost: 0.25, output_cost: 0.5 }) }, 0.75],
  ],
  firstTokenMs: { notRecorded: 'the time of a first token is an event of the run, not of the span' },
  model: LLM,
  tool: TOOL,
  toolArguments: { write: (value) => ({ 'gen_ai.prompt': value }), json: false },
  toolResult: { write: (value) => ({ 'gen_ai.completion': value }), json: false },
  answer: {
    write: (text) => outputs({ choices: [{ index: 0, message: { role: 'assistant', content: text } }] }),
    embedded: true,
  },
  calls: [
    {
      name: 'the choices of a chat completion',
      write: (calls) =>
        outputs({
          choices: [{ message: { role: 'assistant', content: null, tool_calls: calls.map(toChatCall) } }],
        }),
      embedded: true,
    },
    {
      name: 'the generations of LangChain',
      write: (calls) =>
        outputs({
          generations: [
            [
              {
                text: '',
                message: message({
                  content: '',
                  tool_calls: calls.map(({ id, name, args }) => ({ id, name, args, type: 'tool_call' })),
                }),
              },
            ],
          ],
        }),
      embedded: true,
    },
    {
      name: 'a message of LangChain whose parts say it again',
      write: (calls) =>
        outputs({
          output: message({
            content: calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
            tool_calls: calls.map(({ id, name, args }) => ({ id, name, args, type: 'tool_call' })),
          }),
        }),
      embedded: true,
    },
  ],
  tools: [
    {
      name: 'gen_ai.tool.definitions',
      write: (tools) => ({
        'gen_ai.tool.definitions': JSON.stringify(
          tools.map(({ name, parameters }) => ({ type: 'function', function: { name, parameters } })),
        ),
      }),
      hasOutputSchema: false,
    },
  ],
  tokens: {
    input: ['gen_ai.usage.input_tokens'],
    output: ['gen_ai.usage.output_tokens'],
    total: ['gen_ai.usage.total_tokens'],
    cacheRead: { notRecorded: 'as a number of its own: it is a member of the details' },
    cacheWrite: { notRecorded: 'as a number of its own: it is a member of the details' },
    reasoning: { notRecorded: 'as a number of its own: it is a member of the details' },
  },
  usage: (input, output) => ({ ...LLM, ...usage({ input_tokens: input, output_tokens: output }) }),
  aggregates: [
    [
      'a chain whose output holds the messages',
      (input, output) => ({ ...CHAIN, ...usage({ input_tokens: input, output_tokens: output }) }),
    ],
    ['a chain, by the conventions', usageUnder(CHAIN)],
  ],
  streamed: { notRecorded: 'the time of a first token is an event of the run, not of the span' },
}

testDialect(table)

function readAnswer(value: unknown): ModelOutput {
  return readModel({ ...LLM, ...outputs(value) }).readOutput()
}

describe('inputs and outputs of runs in LangSmith', () => {
  it('stand for what their only member holds, as LangChain wraps the text of arguments', () => {
    const attributes = { ...TOOL, 'gen_ai.prompt': '{"input":"{\\"city\\":\\"Paris\\"}"}' }
    expect(readTool(attributes).input.value).toEqual({ city: 'Paris' })
    expect(readTool({ ...TOOL, ...outputs({ output: 'rain' }) }).output.value).toBe('rain')
    expect(readTool({ ...TOOL, ...outputs({ outputs: [1, 2] }) }).output.value).toEqual([1, 2])
  })

  it('hold the content of a tool message', () => {
    const reply = message({ content: 'rain', tool_call_id: 'call_1', status: 'success' })
    expect(readTool({ ...TOOL, ...outputs({ output: reply }) }).output.value).toBe('rain')
  })

  it('are empty, and not absent, where what is wrapped is', () => {
    expect(readTool({ ...TOOL, ...outputs({ output: '' }) }).output).toMatchObject({
      state: 'seen',
      value: '',
    })
    expect(readTool(TOOL).output.state).toBe('absent')
  })

  it('are the object itself where it has more members', () => {
    const attributes = { ...TOOL, 'gen_ai.prompt': '{"input":"Paris","days":2}' }
    expect(readTool(attributes).input.value).toEqual({ input: 'Paris', days: 2 })
  })

  it('are the query and the documents of a retriever', () => {
    const step = readSpan({
      ...RETRIEVER,
      'gen_ai.prompt': '{"query":"weather"}',
      ...outputs({ documents: [{ page_content: 'rain' }] }),
    })
    expect(step.input.value).toBe('weather')
    expect(step.output.value).toEqual([{ page_content: 'rain' }])
    expect(readSpan({ ...RETRIEVER, ...outputs({ documents: [] }) }).output.value).toEqual([])
  })

  it('are not looked for in the older keys where no run is recorded', () => {
    const step = readModel({ 'gen_ai.operation.name': 'chat', 'gen_ai.completion': '{"output":"rain"}' })
    expect(step.output.dialect).toBe('gen-ai')
    expect(step.readOutput().text).toBe('{"output":"rain"}')
  })
})

describe('answers in LangSmith', () => {
  it.each([
    ['a message of LangChain', message({ content: 'Hello' })],
    ['a message of LangChain in an output', { output: message({ content: 'Hello' }) }],
    ['its content in parts', { output: message({ content: [{ type: 'text', text: 'Hello' }] }) }],
    ['a list of messages', { messages: [{ role: 'assistant', content: 'Hello' }] }],
    ['a generation without a message', { generations: [[{ text: 'Hello' }]] }],
    ['a wrapped text', { outputs: 'Hello' }],
    ['a message', { role: 'assistant', content: 'Hello' }],
  ])('have the text of %s', (_shape, value) => {
    expect(readAnswer(value)).toMatchObject({ state: 'seen', text: 'Hello', calls: [], hasOtherParts: false })
  })

  it('are their own text where they are an object of the user', () => {
    expect(readAnswer({ city: 'Paris' })).toMatchObject({ text: '{"city":"Paris"}', calls: [] })
  })

  it('are empty where a completion has no choices', () => {
    expect(readAnswer({ choices: [] })).toMatchObject({ state: 'seen', text: null, hasOtherParts: false })
  })

  it('are cut where the JSON of the outputs stops in mid-air', () => {
    const attributes = { ...LLM, 'gen_ai.completion': '{"choices":[{"message":{"content":"Hel' }
    expect(readModel(attributes).readOutput()).toMatchObject({ state: 'truncated', text: null })
  })
})

describe('tokens in LangSmith', () => {
  const metadata = {
    input_tokens: 100,
    output_tokens: 20,
    total_tokens: 120,
    input_token_details: { cache_read: 30, cache_creation: 10 },
    output_token_details: { reasoning: 5 },
  }
  const expected = { input: 100, output: 20, total: 120, cacheRead: 30, cacheWrite: 10, reasoning: 5 }

  it('stand in usage_metadata, as JSON text or a native map', () => {
    expect(readModel({ ...LLM, ...usage(metadata) }).usage).toMatchObject(expected)
    expect(readModel({ ...LLM, 'langsmith.usage_metadata': metadata }).usage).toMatchObject(expected)
  })

  it('have their details beside the counts of the conventions', () => {
    const { usage: read } = readModel({
      ...LLM,
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 20,
      'gen_ai.usage.total_tokens': 120,
      'gen_ai.usage.input_token_details': '{"cache_read":30,"cache_creation":10}',
      'gen_ai.usage.output_token_details': '{"reasoning":5}',
    })
    expect(read).toMatchObject({ ...expected, cacheWasBeside: false, reasoningWasBeside: false })
  })

  it.each(['{"input_tokens":100,', '__REDACTED__', '[100,20]', ''])(
    'are absent where usage_metadata cannot be read: %s',
    (text) => {
      expect(readModel({ ...LLM, 'langsmith.usage_metadata': text }).usage).toMatchObject({
        input: null,
        output: null,
      })
    },
  )
})

describe('errors in LangSmith', () => {
  // Status OK is set when the run begins and cannot be taken back.
  const thrown = {
    status: { code: 1 },
    events: [
      {
        name: 'exception',
        attributes: { 'exception.type': 'Error', 'exception.message': 'Error: 404 not found' },
      },
    ],
  }

  it('are told by an exception of a run without outputs, although its status is OK', () => {
    const step = readTool({ ...TOOL, 'gen_ai.prompt': '{"city":"Paris"}' }, thrown)
    expect(step.error).toEqual({ type: 'Error', message: 'Error: 404 not found' })
  })

  it('are none where the run has outputs, or the span is none of LangSmith', () => {
    expect(readTool({ ...TOOL, ...outputs({ output: 'rain' }) }, thrown).error).toBeNull()
    expect(readTool({ 'gen_ai.operation.name': 'execute_tool' }, thrown).error).toBeNull()
  })

  it('are findings of the report', () => {
    const report = reportOf([
      { id: 'c', at: 0, ms: 9, attributes: CHAIN, status: { code: 1 } },
      { id: 't', parent: 'c', at: 1, attributes: TOOL, ...thrown },
    ])
    expect(report.findings.map(({ code }) => code)).toEqual(['not_found'])
    expect(report.overall_status).toBe('partial_failed')
  })
})
