import { describe, expect, test } from 'vitest'
import { codesFor, dialects, judgeSpan, modelSpan } from './dialect-spans.ts'

describe.each(dialects)('a model of %s', (dialect) => {
  test.each(['length', 'max_tokens', 'MAX_TOKENS', 'max_output_tokens'])(
    'that ended with %s was cut',
    (finish) => {
      expect(codesFor(modelSpan(dialect, { text: 'and th', finish }))).toEqual(['truncated_output'])
    },
  )

  test.each(['content_filter', 'content-filter', 'SAFETY', 'refusal'])(
    'that ended with %s was filtered',
    (finish) => {
      expect(codesFor(modelSpan(dialect, { text: 'I', finish }))).toEqual(['filtered_output'])
    },
  )

  test.each(['stop', 'end_turn', 'tool_calls', 'stop_sequence', 'unknown'])('may end with %s', (finish) => {
    expect(codesFor(modelSpan(dialect, { text: 'done', finish }))).toEqual([])
  })
})

test('a finish reason inside the messages counts where the span has none', () => {
  const messages = [
    { role: 'assistant', parts: [{ type: 'text', content: 'and th' }], finish_reason: 'length' },
  ]
  expect(
    judgeSpan({
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.output.messages': JSON.stringify(messages) },
    }),
  ).toMatchObject([
    { code: 'truncated_output', evidence: [{ path: 'finish_reason', expected: null, actual: 'length' }] },
  ])
})

test('an agent is not judged by a finish reason', () => {
  const agent = { 'ai.operationId': 'ai.generateText', 'ai.response.finishReason': 'length' }
  expect(codesFor(agent)).toEqual([])
})
