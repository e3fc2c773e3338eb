import { describe, expect, test } from 'vitest'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { codesFor, dialects, modelSpan, toolSpan } from './dialect-spans.ts'

const schema = { type: 'object', required: ['a'], additionalProperties: false }
const declared: Attributes = {
  'gen_ai.tool.definitions': JSON.stringify([{ name: 'order_query', outputSchema: schema }]),
}

/** The keys under which each dialect holds the result of a tool. */
const resultKeys = {
  'gen-ai': 'gen_ai.tool.call.result',
  openinference: 'output.value',
  'ai-sdk 4': 'ai.toolCall.result',
  'ai-sdk 5': 'ai.toolCall.result',
  'ai-sdk 6': 'ai.toolCall.result',
} as const

describe.each(dialects)('a tool result of %s says nothing', (dialect) => {
  const key = resultKeys[dialect]
  const { [key]: _, ...silent } = { ...toolSpan(dialect, {}), ...declared }

  test('where it is not recorded', () => {
    expect(codesFor(silent)).toEqual([])
  })

  test('where an attribute limit may have dropped it', () => {
    expect(codesFor(silent, { droppedAttributesCount: 4 })).toEqual([])
  })

  test.each(['__REDACTED__', '[REDACTED]', '<filtered>', '****', '"__REDACTED__"'])(
    'where it is redacted as %s',
    (text) => {
      expect(codesFor({ ...silent, [key]: text })).toEqual([])
    },
  )

  test.each(['{"error": "the da', '{"a": [', '[{"b": 1}, {"c"', '{"error":"x"... [truncated]'])(
    'where it was cut: %s',
    (text) => {
      expect(codesFor({ ...silent, [key]: text })).toEqual([])
    },
  )

  test('where it is longer than what is looked at', () => {
    expect(codesFor({ ...silent, [key]: `{"error":"${'x'.repeat(70_000)}"}` })).toEqual([])
    expect(codesFor({ ...silent, [key]: `[${' '.repeat(70_000)}]` })).toEqual([])
  })
})

describe.each(dialects)('a model answer of %s says nothing', (dialect) => {
  test('where it is redacted', () => {
    expect(
      codesFor({ ...modelSpan(dialect, { text: '__REDACTED__' }), 'gen_ai.output.type': 'json' }),
    ).toEqual([])
  })

  test('where no content is recorded', () => {
    const model = {
      'gen-ai': { 'gen_ai.operation.name': 'chat' },
      openinference: { 'openinference.span.kind': 'LLM' },
      'ai-sdk 4': { 'ai.operationId': 'ai.generateText.doGenerate' },
      'ai-sdk 5': { 'ai.operationId': 'ai.streamText.doStream' },
      'ai-sdk 6': { 'ai.operationId': 'ai.generateObject.doGenerate' },
    }[dialect]
    expect(codesFor({ ...model, 'gen_ai.output.type': 'json' })).toEqual([])
    expect(codesFor({ ...model, 'gen_ai.output.type': 'json' }, { droppedAttributesCount: 9 })).toEqual([])
  })
})

test('messages that were cut say nothing', () => {
  const model = { 'gen_ai.operation.name': 'chat', 'gen_ai.output.type': 'json' }
  expect(codesFor({ ...model, 'gen_ai.output.messages': '[{"role":"assistant","parts":[{"ty' })).toEqual([])
})

test('content of a span that is no step says nothing', () => {
  expect(
    codesFor({ 'http.request.method': 'GET', 'output.value': 'Error: no' }, { status: { code: 2 } }),
  ).toEqual([])
})
