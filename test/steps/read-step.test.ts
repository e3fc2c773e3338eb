import { describe, expect, it } from 'vitest'
import type { Attributes } from '../../src/steps/span-view.ts'
import { isAgentStep } from '../../src/steps/step.ts'
import { readModel, readSpan, readTool } from './read-span.ts'

/** One fact under the key of each dialect; each names its dialect where it can. */
const TOOL: Readonly<Record<string, Attributes>> = {
  'ai-sdk': {
    'ai.operationId': 'ai.toolCall',
    'ai.toolCall.name': 'from ai-sdk',
    'ai.toolCall.id': 'id from ai-sdk',
    'ai.toolCall.args': '{"from":"ai-sdk"}',
    'ai.toolCall.result': '{"from":"ai-sdk"}',
  },
  'gen-ai': {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'from gen-ai',
    'gen_ai.tool.call.id': 'id from gen-ai',
    'gen_ai.tool.call.arguments': '{"from":"gen-ai"}',
    'gen_ai.tool.call.result': '{"from":"gen-ai"}',
  },
  openinference: {
    'openinference.span.kind': 'TOOL',
    'tool.name': 'from openinference',
    'tool.id': 'id from openinference',
    'input.value': '{"from":"openinference"}',
    'output.value': '{"from":"openinference"}',
  },
}

function toolOf(...dialects: readonly string[]): Attributes {
  return Object.assign({}, ...dialects.map((dialect) => TOOL[dialect])) as Attributes
}

function toolNames(attributes: Attributes): readonly string[] {
  return readModel(attributes)
    .readTools()
    .map(({ name }) => name)
}

describe('a span with keys of several dialects', () => {
  it.each([
    [['ai-sdk', 'gen-ai', 'openinference'], 'ai-sdk'],
    [['openinference', 'gen-ai', 'ai-sdk'], 'ai-sdk'],
    [['ai-sdk', 'openinference'], 'ai-sdk'],
    [['openinference', 'gen-ai'], 'gen-ai'],
    [['openinference'], 'openinference'],
  ])('%j gives each field of a tool from %s, whatever the order of keys', (dialects, winner) => {
    const step = readTool(toolOf(...dialects))
    expect(step).toMatchObject({ toolName: `from ${winner}`, callId: `id from ${winner}` })
    expect(step.input).toMatchObject({ dialect: winner, value: { from: winner } })
    expect(step.output).toMatchObject({ dialect: winner, value: { from: winner } })
  })

  it('gives each field from the first dialect that has it', () => {
    const step = readTool({
      'ai.operationId': 'ai.toolCall',
      'ai.toolCall.name': 'forecast',
      'gen_ai.tool.call.id': 'call_1',
      'gen_ai.tool.call.arguments': '{"city":"Paris"}',
      'output.value': 'rain',
      'session.id': 's-1',
      'llm.cost.total': 0.5,
    })
    expect(step).toMatchObject({
      toolName: 'forecast',
      callId: 'call_1',
      sessionId: 's-1',
      recordedCost: 0.5,
    })
    expect(step.input.value).toEqual({ city: 'Paris' })
    expect(step.output.value).toBe('rain')
  })

  it('gives the kind from the first dialect that tells one', () => {
    expect(readSpan({ 'gen_ai.operation.name': 'chat', 'openinference.span.kind': 'CHAIN' }).kind).toBe(
      'model',
    )
    expect(readSpan({ 'ai.operationId': 'ai.toolCall', 'gen_ai.operation.name': 'chat' }).kind).toBe('tool')
    expect(readSpan({ 'openinference.span.kind': 'TOOL', reflection_status: 'done' }).kind).toBe('tool')
  })

  it('passes over values of the wrong type, and over empty names', () => {
    const step = readTool({
      ...toolOf('openinference'),
      'ai.toolCall.name': '',
      'gen_ai.tool.name': ['a list'],
      'ai.toolCall.id': null,
      'gen_ai.tool.call.id': undefined,
      'ai.toolCall.args': undefined,
      'gen_ai.tool.call.arguments': null,
    })
    expect(step).toMatchObject({ toolName: 'from openinference', callId: 'id from openinference' })
    expect(step.input.dialect).toBe('openinference')
  })

  it('takes our own keys and their aliases before those of any dialect', () => {
    const step = readTool({
      ...toolOf('ai-sdk', 'gen-ai'),
      'agent_reach.node.name': 'own',
      token_count: 7,
      'ai.usage.tokens': 9,
    })
    expect(step.nodeName).toBe('own')
    expect(step.usage.total).toBe(7)
  })

  it('gives usage from the spans that the AI SDK writes with keys of two dialects', () => {
    const step = readModel({
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.usage.promptTokens': 12,
      'ai.usage.completionTokens': 3,
      'gen_ai.usage.input_tokens': 99,
      'gen_ai.usage.output_tokens': 99,
      'llm.token_count.prompt': 98,
      'llm.token_count.prompt_details.cache_read': 4,
    })
    expect(step.usage).toMatchObject({ input: 12, output: 3, cacheRead: 4 })
  })

  it('gives the answer of the first dialect that records one', () => {
    const openinference = {
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'from openinference',
    }
    const genAi = { 'gen_ai.output.messages': '[{"role":"assistant","content":"from gen-ai"}]' }
    const aiSdk = { 'ai.operationId': 'ai.generateText.doGenerate', 'ai.response.text': 'from ai-sdk' }
    const chat = { 'gen_ai.operation.name': 'chat' }
    expect(readModel({ ...openinference, ...genAi, ...aiSdk }).readOutput().text).toBe('from ai-sdk')
    expect(readModel({ ...openinference, ...genAi }).readOutput().text).toBe('from gen-ai')
    expect(readModel({ ...openinference, ...chat }).readOutput().text).toBe('from openinference')
  })

  it('gives the tools of the first dialect that records some', () => {
    const openinference = { 'llm.tools.0.tool.json_schema': '{"name":"from openinference"}' }
    const genAi = { 'gen_ai.operation.name': 'chat', 'gen_ai.tool.definitions': '[{"name":"from gen-ai"}]' }
    const aiSdk = { 'ai.prompt.tools': ['{"name":"from ai-sdk"}'] }
    expect(toolNames({ ...openinference, ...genAi, ...aiSdk })).toEqual(['from ai-sdk'])
    expect(toolNames({ ...openinference, ...genAi })).toEqual(['from gen-ai'])
    expect(toolNames({ ...openinference, 'gen_ai.operation.name': 'chat' })).toEqual(['from openinference'])
  })
})

describe('a span of no dialect', () => {
  it.each<[what: string, attributes: Attributes]>([
    ['an HTTP request', { 'http.request.method': 'GET', 'url.path': '/' }],
    ['a database call', { 'db.system.name': 'postgresql' }],
    ['no attributes', {}],
    [
      'keys that every object inherits',
      Object.assign(Object.create(null) as object, { constructor: 'chat' }),
    ],
  ])('is kept and is no step: %s', (_what, attributes) => {
    const step = readSpan(attributes, { name: 'GET /' })
    expect(step).toMatchObject({ kind: 'other', nodeName: 'GET /', marks: [] })
    expect(isAgentStep(step)).toBe(false)
  })
})

describe('names', () => {
  it('are made well-formed', () => {
    expect(readSpan({}, { name: 'a\ud800' }).spanName).toBe('a\ufffd')
    expect(readSpan({ 'session.id': '\udc00' }).sessionId).toBe('\ufffd')
  })

  it('are cut after 1,024 UTF-16 code units, and messages after 4,096', () => {
    const long = 'a'.repeat(100_000)
    const step = readTool(
      {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': long,
        'error.type': long,
        'session.id': long,
      },
      { name: long, status: { code: 2, message: long } },
    )
    expect(step.spanName).toHaveLength(1_024)
    expect(step.nodeName).toHaveLength(1_024)
    expect(step.toolName).toHaveLength(1_024)
    expect(step.sessionId).toHaveLength(1_024)
    expect(step.error?.type).toHaveLength(1_024)
    expect(step.error?.message).toHaveLength(4_096)
  })

  it('of lists are at most 1,000', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => `n${index}`)
    expect(readSpan({ 'agent_reach.node.requires': many }).requires).toHaveLength(1_000)
    expect(readSpan({ 'agent_reach.node.requires': many.join(',') }).requires).toHaveLength(1_000)
    expect(readSpan({ 'agent_reach.node.requires': JSON.stringify(many) }).requires).toHaveLength(1_000)
  })

  it('that are missing are `unnamed`', () => {
    expect(readSpan({}, { name: '' }).nodeName).toBe('unnamed')
    expect(readTool({ 'gen_ai.operation.name': 'execute_tool' }, { name: '' }).toolName).toBe('unnamed')
  })

  it('that are numbers are their decimal text', () => {
    expect(readSpan({ 'session.id': 7 }).sessionId).toBe('7')
    expect(readSpan({ 'session.id': 9_007_199_254_740_993n }).sessionId).toBe('9007199254740993')
    expect(readSpan({ 'session.id': Number.NaN }).sessionId).toBeNull()
  })
})

describe('content', () => {
  it('is decoded once, however often it is asked for', () => {
    const step = readModel({
      'gen_ai.operation.name': 'chat',
      'gen_ai.output.messages': '[{"role":"assistant","content":"Hello"}]',
      'gen_ai.tool.definitions': '[{"name":"forecast"}]',
    })
    expect(step.output.value).toBe(step.output.value)
    expect(step.readOutput()).toBe(step.readOutput())
    expect(step.readTools()).toBe(step.readTools())
  })
})

describe('numbers written as long texts', () => {
  it.each([
    `${'1'.repeat(200_000)}x`,
    `${' '.repeat(200_000)}x`,
    `1e${'1'.repeat(200_000)}`,
    '1'.repeat(200_000),
  ])('cost little time and are no counts', (text) => {
    const started = performance.now()
    expect(readSpan({ 'gen_ai.usage.input_tokens': text }).usage.input).toBeNull()
    expect(performance.now() - started).toBeLessThan(500)
  })

  it('that overflow a double are no counts', () => {
    expect(readSpan({ 'gen_ai.usage.input_tokens': 10n ** 400n }).usage.input).toBeNull()
    expect(readSpan({ 'gen_ai.usage.input_tokens': '1e400' }).usage.input).toBeNull()
  })
})
