import { describe, expect, it } from 'vitest'
import type { ModelOutput } from '../../../src/steps/model-output.ts'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { testDialect } from '../../contracts/dialect-contract.ts'
import { type DialectTable, usageUnder } from '../../contracts/dialect-table.ts'
import { readModel, readSpan, readTool } from '../read-span.ts'

const LLM = { 'openinference.span.kind': 'LLM' }
const TOOL = { 'openinference.span.kind': 'TOOL' }

function spanKind(value: string): Attributes {
  return { 'openinference.span.kind': value }
}

const MESSAGE = 'llm.output_messages.0.message'

const table: DialectTable = {
  name: 'OpenInference 2.12',
  dialect: 'openinference',
  kinds: [
    ['LLM', spanKind('LLM'), 'model'],
    ['EMBEDDING', spanKind('EMBEDDING'), 'model'],
    ['TOOL', spanKind('TOOL'), 'tool'],
    ['RETRIEVER', spanKind('RETRIEVER'), 'retrieval'],
    ['RERANKER', spanKind('RERANKER'), 'retrieval'],
    ['AGENT', spanKind('AGENT'), 'agent'],
    ['GUARDRAIL', spanKind('GUARDRAIL'), 'guardrail'],
    ['EVALUATOR', spanKind('EVALUATOR'), 'evaluation'],
    ['CHAIN', spanKind('CHAIN'), 'workflow'],
    ['PROMPT', spanKind('PROMPT'), 'workflow'],
    ['UNKNOWN', spanKind('UNKNOWN'), 'workflow'],
    ['lower case', spanKind('tool'), 'tool'],
    ['a kind of the future', spanKind('DREAM'), 'workflow'],
    ['keys of OpenInference without a kind', { 'llm.model_name': 'm-1', 'output.value': 'x' }, 'other'],
  ],
  nodeName: [
    ['the tool name', { ...TOOL, 'tool.name': 'forecast', 'agent.name': 'its caller' }, 'forecast'],
    ['the agent name', { ...spanKind('AGENT'), 'agent.name': 'researcher' }, 'researcher'],
    ['the span name of a chain', { ...spanKind('CHAIN'), 'agent.name': 'researcher' }, 'the span'],
  ],
  agentName: [
    ['agent.name', { ...spanKind('AGENT'), 'agent.name': 'researcher' }, 'researcher'],
    ['graph.node.name', { ...spanKind('AGENT'), 'graph.node.name': 'researcher' }, 'researcher'],
  ],
  toolName: [['tool.name', { ...TOOL, 'tool.name': 'forecast' }, 'forecast']],
  callId: [
    ['tool.id', { ...TOOL, 'tool.id': 'call_1' }, 'call_1'],
    ['tool_call.id, of the instrumentation for the AI SDK', { ...TOOL, 'tool_call.id': 'call_2' }, 'call_2'],
  ],
  session: [['session.id', { ...LLM, 'session.id': 's-1' }, 's-1']],
  requestModel: [
    ['llm.model_name', { ...LLM, 'llm.model_name': 'm-1' }, 'm-1'],
    ['llm.request.model_name', { ...LLM, 'llm.request.model_name': 'm-2', 'llm.model_name': 'm-1' }, 'm-2'],
    ['embedding.model_name', { ...spanKind('EMBEDDING'), 'embedding.model_name': 'e-1' }, 'e-1'],
  ],
  responseModel: [['llm.response.model_name', { ...LLM, 'llm.response.model_name': 'm-1-0815' }, 'm-1-0815']],
  provider: [
    ['llm.provider', { ...LLM, 'llm.provider': 'azure', 'llm.system': 'openai' }, 'azure'],
    ['llm.system', { ...LLM, 'llm.system': 'openai' }, 'openai'],
  ],
  responseId: { notRecorded: 'the conventions have no key for it' },
  finishReasons: [
    ['llm.finish_reason', { ...LLM, 'llm.finish_reason': 'tool_calls' }, ['tool_calls']],
    ['another spelling', { ...LLM, 'llm.finish_reason': 'MAX_TOKENS' }, ['length']],
  ],
  cost: [
    ['llm.cost.total', { ...LLM, 'llm.cost.total': 0.5 }, 0.5],
    ['llm.cost.total as text', { ...LLM, 'llm.cost.total': '0.5' }, 0.5],
    ['both sides', { ...LLM, 'llm.cost.prompt': 0.25, 'llm.cost.completion': 0.5 }, 0.75],
  ],
  firstTokenMs: { notRecorded: 'the conventions have no key for it' },
  model: LLM,
  tool: TOOL,
  toolArguments: { write: (value) => ({ 'input.value': value }), json: false },
  toolResult: { write: (value) => ({ 'output.value': value }), json: false },
  answer: { write: (text) => ({ [`${MESSAGE}.content`]: text }), embedded: false },
  calls: [
    {
      name: 'flattened messages',
      write: (calls) =>
        Object.fromEntries([
          [`${MESSAGE}.role`, 'assistant'],
          ...calls.flatMap(({ id, name, args }, index): readonly (readonly [string, unknown])[] => [
            [`${MESSAGE}.tool_calls.${index}.tool_call.id`, id],
            [`${MESSAGE}.tool_calls.${index}.tool_call.function.name`, name],
            [`${MESSAGE}.tool_calls.${index}.tool_call.function.arguments`, args],
          ]),
        ]) as Attributes,
      embedded: false,
    },
  ],
  tools: [
    {
      name: 'llm.tools.N.tool.json_schema',
      write: (tools) =>
        Object.fromEntries(
          tools.map(({ name, parameters }, index) => [
            `llm.tools.${index}.tool.json_schema`,
            JSON.stringify({ type: 'function', function: { name, parameters } }),
          ]),
        ),
      hasOutputSchema: false,
    },
    {
      name: 'native llm.tools.N.tool.json_schema',
      write: (tools) =>
        Object.fromEntries(
          tools.map(({ name, parameters, output }, index) => [
            `llm.tools.${index}.tool.json_schema`,
            { name, input_schema: parameters, output_schema: output },
          ]),
        ),
      hasOutputSchema: true,
    },
  ],
  tokens: {
    input: ['llm.token_count.prompt'],
    output: ['llm.token_count.completion'],
    total: ['llm.token_count.total'],
    cacheRead: ['llm.token_count.prompt_details.cache_read', 'llm.token_count.prompt_details.cache_input'],
    cacheWrite: ['llm.token_count.prompt_details.cache_write'],
    reasoning: ['llm.token_count.completion_details.reasoning'],
  },
  usage: usageUnder(LLM, ['llm.token_count.prompt', 'llm.token_count.completion']),
  aggregates: [
    ['an agent', usageUnder(spanKind('AGENT'), ['llm.token_count.prompt', 'llm.token_count.completion'])],
    ['a chain', usageUnder(spanKind('CHAIN'), ['llm.token_count.prompt', 'llm.token_count.completion'])],
    ['a model call around them', usageUnder(LLM, ['llm.token_count.prompt', 'llm.token_count.completion'])],
  ],
  streamed: { 'llm.invocation_parameters': '{"stream":true}' },
}

testDialect(table)

function readAnswer(attributes: Attributes, droppedAttributesCount = 0): ModelOutput {
  return readModel({ ...LLM, ...attributes }, { droppedAttributesCount }).readOutput()
}

describe('answers in OpenInference', () => {
  it('may be flattened into content parts', () => {
    const output = readAnswer({
      [`${MESSAGE}.contents.0.message_content.type`]: 'text',
      [`${MESSAGE}.contents.0.message_content.text`]: 'one',
      [`${MESSAGE}.contents.1.message_content.type`]: 'image',
      [`${MESSAGE}.contents.1.message_content.image.image.url`]: 'https://images.example/1.png',
    })
    expect(output).toMatchObject({ state: 'seen', text: 'one', hasOtherParts: true })
  })

  it('join several messages', () => {
    const output = readAnswer({
      [`${MESSAGE}.content`]: 'one',
      'llm.output_messages.1.message.content': 'two',
    })
    expect(output).toMatchObject({ text: 'one\ntwo' })
  })

  it('are dropped, and not empty, where all that is left of a message is its role', () => {
    expect(readAnswer({ [`${MESSAGE}.role`]: 'assistant' }, 40)).toMatchObject({
      state: 'dropped',
      text: null,
    })
    expect(readAnswer({ [`${MESSAGE}.role`]: 'assistant' })).toMatchObject({ state: 'seen', text: null })
  })

  it('are cut where their JSON stops in mid-air', () => {
    expect(readAnswer({ [`${MESSAGE}.content`]: '{"city":"Par' })).toMatchObject({ state: 'truncated' })
  })

  it('stand in output.value where they are not flattened', () => {
    expect(readAnswer({ 'output.value': 'Hello' })).toMatchObject({
      state: 'seen',
      text: 'Hello',
      hasOtherParts: false,
    })
    expect(readAnswer({ 'output.value': '{"choices":[]}' })).toMatchObject({
      state: 'seen',
      hasOtherParts: true,
    })
    expect(readAnswer({ 'output.value': '__REDACTED__' })).toMatchObject({ state: 'redacted', text: null })
    expect(readAnswer({ 'output.value': '{"choices":[' })).toMatchObject({
      state: 'truncated',
      hasOtherParts: true,
    })
  })

  it('are read of a response in output.value where messages are not flattened', () => {
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'forecast', arguments: '{"city":"Paris"}' },
    }
    const choices = [{ finish_reason: 'tool_calls', message: { content: null, tool_calls: [call] } }]
    expect(readAnswer({ 'output.value': JSON.stringify({ id: 'c1', choices }) })).toMatchObject({
      state: 'seen',
      text: null,
      calls: [{ id: 'call_1', name: 'forecast', arguments: { city: 'Paris' } }],
      finishReasons: ['tool_calls'],
    })
    const answer = { choices: [{ message: { content: 'Hello' } }] }
    expect(readAnswer({ 'output.value': JSON.stringify(answer) })).toMatchObject({
      text: 'Hello',
      hasOtherParts: false,
    })
  })

  it('are their own text where output.value is an object of the user', () => {
    expect(readAnswer({ 'output.value': '{"output":[{"city":"Paris"}]}' })).toMatchObject({
      text: '{"output":[{"city":"Paris"}]}',
      hasOtherParts: true,
    })
  })

  it('are read from the flattened messages where output.value holds the whole response', () => {
    const output = readAnswer({ 'output.value': '{"choices":[]}', [`${MESSAGE}.content`]: 'Hello' })
    expect(output).toMatchObject({ text: 'Hello', hasOtherParts: false })
  })
})

describe('tools in OpenInference', () => {
  it('have arguments in input.value, and in tool.parameters where that is missing', () => {
    const parameters = { 'tool.parameters': '{"city":"Paris"}' }
    expect(readTool({ ...TOOL, ...parameters }).input.value).toEqual({ city: 'Paris' })
    expect(readTool({ ...TOOL, ...parameters, 'input.value': '{"city":"Rome"}' }).input.value).toEqual({
      city: 'Rome',
    })
  })

  it('have the arguments of a function of Python, as smolagents hands them over', () => {
    const read = (input: object): unknown =>
      readTool({ ...TOOL, 'input.value': JSON.stringify(input) }).input.value
    const named = { args: [], sanitize_inputs_outputs: true, kwargs: { query: 'weather' } }
    expect(read(named)).toEqual({ query: 'weather' })
    const positional = { args: ['Paris'], sanitize_inputs_outputs: false, kwargs: {} }
    expect(read(positional)).toEqual(positional)
  })

  it('have the MIME type of their output, in lower case', () => {
    const attributes = { ...TOOL, 'output.value': '{}', 'output.mime_type': 'Application/JSON' }
    expect(readSpan(attributes).outputMimeType).toBe('application/json')
  })

  it('may carry their own definition', () => {
    const attributes = {
      ...TOOL,
      'tool.json_schema':
        '{"name":"forecast","parameters":{"type":"object"},"outputSchema":{"type":"array"}}',
    }
    expect(readTool(attributes).readTools()).toEqual([
      { name: 'forecast', parameters: { type: 'object' }, outputSchema: { type: 'array' } },
    ])
  })
})

describe('documents in OpenInference', () => {
  const RETRIEVER = spanKind('RETRIEVER')

  it('are the output of a retrieval', () => {
    const step = readSpan({
      ...RETRIEVER,
      'input.value': 'weather in Paris',
      'retrieval.documents.0.document.id': 'd1',
      'retrieval.documents.0.document.content': 'rain',
      'retrieval.documents.1.document.score': 0.5,
    })
    expect(step.input.value).toBe('weather in Paris')
    expect(step.output.value).toEqual([
      { id: 'd1', content: 'rain' },
      { id: null, content: null },
    ])
  })

  it('are absent, and not empty, where none is recorded', () => {
    expect(readSpan(RETRIEVER).output.state).toBe('absent')
  })
})
