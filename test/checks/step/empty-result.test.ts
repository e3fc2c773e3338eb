import { describe, expect, test } from 'vitest'
import { codesFor, dialects, modelSpan, toolSpan } from './dialect-spans.ts'

const retrieval = { 'openinference.span.kind': 'RETRIEVER' }
const agent = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'support' }

describe.each(dialects)('a tool result of %s', (dialect) => {
  test.each([
    ['an empty list', []],
    ['an empty list under a key', { results: [] }],
    ['an empty list with its count', { results: [], total: 0, page_count: 0 }],
    ['empty lists in empty objects', { a: { b: [] }, c: null, d: '' }],
    ['a list of empty values', [null, '', {}]],
    ['a list of no text', { content: [{ type: 'text', text: '[]' }] }],
  ])('that is %s is a warning', (_what, result) => {
    expect(codesFor(toolSpan(dialect, result))).toEqual(['empty_result:warn'])
  })

  test.each([
    ['null', null],
    ['an empty text', ''],
    ['white space', ' \n\t\u200B '],
    ['an empty object', {}],
    ['what Python prints for nothing', 'None'],
    ['no content part', { content: [] }],
    ['a blank content part', { content: [{ type: 'text', text: '' }], isError: false }],
  ])('that is %s is a remark, as of a tool that only acts', (_what, result) => {
    expect(codesFor(toolSpan(dialect, result))).toEqual(['empty_result:info'])
  })

  test.each([
    ['a number', { count: 0 }],
    ['a zero beside an empty list that does not count it', { items: [], balance: 0 }],
    ['a count that is not zero', { items: [], total: 3 }],
    ['a boolean', { found: false, items: [] }],
    ['an id', { order_id: 'ORD-1', items: [] }],
    ['a list of numbers', [0]],
    ['a text', 'no matches'],
    ['an image', { content: [{ type: 'image', data: 'aGk=' }] }],
  ])('that holds %s is not empty', (_what, result) => {
    expect(codesFor(toolSpan(dialect, result))).toEqual([])
  })
})

describe('a retrieval', () => {
  test('without documents is empty', () => {
    expect(codesFor({ ...retrieval, 'output.value': '[]' })).toEqual(['empty_result'])
    expect(codesFor({ 'gen_ai.operation.name': 'retrieval', 'gen_ai.retrieval.documents': '[]' })).toEqual([
      'empty_result',
    ])
  })

  test('with documents is not', () => {
    expect(codesFor({ ...retrieval, 'retrieval.documents.0.document.content': 'a text' })).toEqual([])
  })

  test('of which nothing is recorded is not', () => {
    expect(codesFor(retrieval)).toEqual([])
  })
})

describe.each(dialects)('a model answer of %s', (dialect) => {
  test('that is blank is empty', () => {
    expect(codesFor(modelSpan(dialect, { text: ' \n' }))).toEqual(['empty_result'])
  })

  test('with text is not', () => {
    expect(codesFor(modelSpan(dialect, { text: 'null' }))).toEqual([])
  })

  test('with only calls is not', () => {
    const calls = [{ id: 'c1', name: 'search', args: '{}' }]
    expect(codesFor(modelSpan(dialect, { calls, finish: 'tool_calls' }))).toEqual([])
    expect(codesFor(modelSpan(dialect, { text: '', calls, finish: 'tool-calls' }))).toEqual([])
  })

  test('that was stopped says why, not that it is empty', () => {
    expect(codesFor(modelSpan(dialect, { text: '', finish: 'length' }))).toEqual(['truncated_output'])
    expect(codesFor(modelSpan(dialect, { text: '', finish: 'content-filter' }))).toEqual(['filtered_output'])
  })
})

describe('a model answer', () => {
  test('of reasoning without text is not empty', () => {
    const parts = [{ type: 'reasoning', content: 'hm' }]
    expect(
      codesFor({
        'gen_ai.operation.name': 'chat',
        'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts }]),
      }),
    ).toEqual([])
  })

  test('that was not recorded is not empty', () => {
    expect(codesFor({ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm-1' })).toEqual([])
  })
})

describe('the outcome of an agent', () => {
  test.each([
    ['plain text', { 'openinference.span.kind': 'AGENT', 'output.value': '  ' }],
    ['JSON text', { 'openinference.span.kind': 'AGENT', 'output.value': '{"answer":null}' }],
    ['messages', { ...agent, 'gen_ai.output.messages': messages([{ type: 'text', content: '' }]) }],
    [
      'older messages',
      { ...agent, 'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', content: '' }]) },
    ],
  ])('that is blank %s is empty', (_what, attributes) => {
    expect(codesFor(attributes)).toEqual(['empty_result'])
  })

  test.each([
    ['a call', messages([{ type: 'tool_call', name: 'search', arguments: {} }])],
    [
      'a call beside blank text',
      messages([
        { type: 'text', content: '' },
        { type: 'tool_call', name: 's' },
      ]),
    ],
    ['text', messages([{ type: 'text', content: 'done' }])],
    ['an older call', JSON.stringify([{ role: 'assistant', content: '', tool_calls: [{ id: 'c1' }] }])],
  ])('that holds %s is not', (_what, output) => {
    expect(codesFor({ ...agent, 'gen_ai.output.messages': output })).toEqual([])
  })

  test.each([
    ['stop', ['empty_result']],
    ['tool-calls', []],
    ['length', []],
    ['content-filter', []],
  ])('of the AI SDK that is blank and ended with %s gives %j', (reason, codes) => {
    const attributes = { 'ai.operationId': 'ai.generateText', 'ai.response.text': '' }
    expect(codesFor({ ...attributes, 'ai.response.finishReason': reason })).toEqual(codes)
  })

  test('that was not recorded is not empty', () => {
    expect(codesFor(agent)).toEqual([])
  })
})

test('a unit of work that is no tool, model, retrieval or agent may have no output', () => {
  expect(codesFor({ 'openinference.span.kind': 'CHAIN', 'output.value': '' })).toEqual([])
})

function messages(parts: readonly object[]): string {
  return JSON.stringify([{ role: 'assistant', parts, finish_reason: 'stop' }])
}
