import { describe, expect, test } from 'vitest'
import { codesFor, codesOf, dialects, judgeSpan, modelSpan } from './dialect-spans.ts'

const tools = {
  book_flight: {
    type: 'object',
    properties: {
      to: { type: 'string' },
      seats: { type: 'integer', minimum: 1 },
      class: { enum: ['economy', 'business'] },
      date: { type: 'string', format: 'date' },
    },
    required: ['to', 'seats'],
    additionalProperties: false,
  },
  search: { type: 'object', properties: {} },
}

function call(args: string, name = 'book_flight'): { id: string; name: string; args: string } {
  return { id: 'call_1', name, args }
}

describe.each(dialects)('the calls of a model of %s', (dialect) => {
  test('may fit their tools', () => {
    const calls = [call('{"to":"OSL","seats":2}'), call('{}', 'search'), call('', 'search')]
    expect(codesFor(modelSpan(dialect, { calls, finish: 'tool_calls', tools }))).toEqual([])
  })

  test('may have arguments that are not JSON', () => {
    const calls = [call('{"to": OSL}')]
    expect(
      judgeSpan({ attributes: modelSpan(dialect, { calls, finish: 'tool_calls', tools }) }),
    ).toMatchObject([
      {
        code: 'malformed_arguments',
        severity: 'error',
        detail: 'book_flight',
        evidence: [{ path: '', expected: 'JSON', actual: '{"to": OSL}' }],
      },
    ])
  })

  test('may ask for a tool that was not offered', () => {
    const calls = [call('{}', 'book_hotel')]
    expect(
      judgeSpan({ attributes: modelSpan(dialect, { calls, finish: 'tool_calls', tools }) }),
    ).toMatchObject([
      {
        code: 'unknown_tool',
        detail: 'book_hotel',
        evidence: [{ expected: 'one of book_flight, search', actual: 'book_hotel' }],
      },
    ])
  })

  test('may lack an argument', () => {
    const calls = [call('{"to":"OSL"}')]
    expect(
      judgeSpan({ attributes: modelSpan(dialect, { calls, finish: 'tool_calls', tools }) }),
    ).toMatchObject([
      {
        code: 'invalid_arguments',
        severity: 'error',
        detail: 'book_flight',
        evidence: [{ path: '/seats', expected: 'integer', actual: null }],
      },
    ])
  })

  test.each([
    ['an argument of another type', '{"to":"OSL","seats":"2"}', ['/seats']],
    ['an argument out of range', '{"to":"OSL","seats":0}', ['/seats']],
    ['a choice that is none', '{"to":"OSL","seats":1,"class":"first"}', ['/class']],
    ['a list', '[1]', ['']],
    ['a text', '"OSL"', ['']],
  ])('may hold %s', (_what, args, paths) => {
    const findings = judgeSpan({ attributes: modelSpan(dialect, { calls: [call(args)], tools }) })
    expect(codesOf(findings)).toEqual(['invalid_arguments'])
    expect(findings[0]?.evidence.map(({ path }) => path)).toEqual(paths)
  })

  test.each([
    ['an argument nobody declared', '{"to":"OSL","seats":1,"note":"x"}'],
    ['another format', '{"to":"OSL","seats":1,"date":"tomorrow"}'],
  ])('with %s are a warning', (_what, args) => {
    expect(codesFor(modelSpan(dialect, { calls: [call(args)], tools }))).toEqual(['invalid_arguments:warn'])
  })

  test('that were cut at the token limit say so once', () => {
    const calls = [call('{"to":"OS')]
    expect(codesFor(modelSpan(dialect, { calls, finish: 'length', tools }))).toEqual(['truncated_output'])
  })

  test('are each told', () => {
    const calls = [call('{"to":1,"seats":1}'), call('{]'), call('{}', 'none')]
    expect(codesFor(modelSpan(dialect, { calls, tools }))).toEqual([
      'malformed_arguments',
      'unknown_tool',
      'invalid_arguments',
    ])
  })

  test('cannot be judged without definitions', () => {
    expect(codesFor(modelSpan(dialect, { calls: [call('{"x":1}', 'anything')] }))).toEqual([])
  })

  test('are not judged by a tool without parameters', () => {
    expect(codesFor(modelSpan(dialect, { calls: [call('{"x":1}', 'a')], tools: { a: undefined } }))).toEqual(
      [],
    )
  })
})

describe('arguments', () => {
  const long = `{"text":"${'x'.repeat(200)}`

  test('that stop in mid-air may have been cut where they were recorded', () => {
    expect(codesFor(modelSpan('openinference', { calls: [call(long, 'search')], tools }))).toEqual([])
  })

  test('that stop early were written so', () => {
    expect(codesFor(modelSpan('openinference', { calls: [call('{"a": 1', 'search')], tools }))).toEqual([
      'malformed_arguments',
    ])
  })

  test('that were encoded twice are read once', () => {
    const twice = JSON.stringify('{"to":"OSL","seats":2}')
    expect(codesFor(modelSpan('ai-sdk 5', { calls: [call(twice)], tools }))).toEqual([])
  })

  test('may be recorded as an object', () => {
    const parts = [{ type: 'tool_call', id: 'c', name: 'book_flight', arguments: { to: 'OSL' } }]
    expect(
      codesFor({
        'gen_ai.operation.name': 'chat',
        'gen_ai.tool.definitions': JSON.stringify([{ name: 'book_flight', parameters: tools.book_flight }]),
        'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts }]),
      }),
    ).toEqual(['invalid_arguments'])
  })

  test.each(['__REDACTED__', '[REDACTED]', '***'])('that read %s are not judged', (args) => {
    for (const dialect of dialects)
      expect(codesFor(modelSpan(dialect, { calls: [call(args)], tools }))).toEqual([])
  })

  test('of which one is redacted are judged by the others', () => {
    const calls = [call('{"to":"[REDACTED]","seats":"[REDACTED]","class":"first"}')]
    const [finding] = judgeSpan({ attributes: modelSpan('gen-ai', { calls, tools }) })
    expect(finding?.evidence.map(({ path }) => path)).toEqual(['/class'])
  })

  test('that are not recorded are not judged', () => {
    const parts = [{ type: 'tool_call', id: 'c', name: 'book_flight' }]
    expect(
      codesFor({
        'gen_ai.operation.name': 'chat',
        'gen_ai.tool.definitions': JSON.stringify([{ name: 'book_flight', parameters: tools.book_flight }]),
        'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts }]),
      }),
    ).toEqual([])
  })
})

describe('a tool that was not offered', () => {
  test('may be one that the provider runs', () => {
    const calls = JSON.stringify([
      { toolCallId: 'c', toolName: 'web_search', input: '{}', providerExecuted: true },
    ])
    const attributes = { ...modelSpan('ai-sdk 6', { tools }), 'ai.response.toolCalls': calls }
    expect(codesFor(attributes)).toEqual([])
  })

  test('may be in a definition that an attribute limit dropped', () => {
    const attributes = modelSpan('openinference', { calls: [call('{}', 'book_hotel')], tools })
    expect(codesFor(attributes, { droppedAttributesCount: 3 })).toEqual([])
  })

  test('may be in definitions that were cut', () => {
    const attributes = modelSpan('gen-ai', { calls: [call('{}', 'book_hotel')], tools })
    const cut = String(attributes['gen_ai.tool.definitions']).slice(0, 100)
    expect(codesFor({ ...attributes, 'gen_ai.tool.definitions': cut })).toEqual([])
  })
})

test.each([
  ['Anthropic', { name: 'a', input_schema: { required: ['x'] } }],
  ['MCP', { name: 'a', inputSchema: { required: ['x'] } }],
  ['OpenAI', { type: 'function', function: { name: 'a', parameters: { required: ['x'] } } }],
  ['AI SDK', { type: 'function', name: 'a', inputSchema: { jsonSchema: { required: ['x'] } } }],
])('definitions may be written as %s has them', (_who, definition) => {
  expect(
    codesFor({
      ...modelSpan('gen-ai', { calls: [call('{}', 'a')] }),
      'gen_ai.tool.definitions': JSON.stringify([definition]),
    }),
  ).toEqual(['invalid_arguments'])
})
