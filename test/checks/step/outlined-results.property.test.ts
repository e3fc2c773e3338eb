import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonText } from '../../steps/json-text.ts'
import { type DialectOfTest, judgeSpan } from './dialect-spans.ts'

/** What members of results are called: fields of errors, of payloads, of parts of content, and of neither. */
const NAMES = [
  ...'error errors err exception success ok status statusCode http_status message code'.split(' '),
  ...'result data rows content type text isError structuredContent total count id name __proto__'.split(' '),
]

/** Parts of content, the fields of which are not found by chance. */
const parts = fc
  .tuple(
    fc.constantFrom('', ' ', 'Error: no such order', '{"error":"x"}', '[]', 'None', '12 orders'),
    fc.boolean(),
  )
  .chain(([text, isError]) => {
    const list = [{ type: 'text', text }]
    return fc.constantFrom(list, { content: list }, { content: list, isError }, { isError, content: [] })
  })
  .map((value) => JSON.stringify(value))

const results = fc.oneof(
  { arbitrary: jsonText(NAMES), weight: 5 },
  { arbitrary: parts, weight: 1 },
  {
    arbitrary: fc.jsonValue().map((value) => JSON.stringify({ value })),
    weight: 1,
  },
)

function span(dialect: DialectOfTest, result: unknown): Parameters<typeof judgeSpan>[0] {
  const own = {
    'gen-ai': { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.result': result },
    openinference: {
      'openinference.span.kind': 'TOOL',
      'output.value': result,
      'output.mime_type': 'application/json',
    },
    'ai-sdk': { 'ai.operationId': 'ai.toolCall', 'ai.toolCall.result': result },
  }
  return {
    attributes: own[dialect.startsWith('ai-sdk') ? 'ai-sdk' : (dialect as 'gen-ai' | 'openinference')],
  }
}

describe('a short result is judged without being decoded', () => {
  it.each<DialectOfTest>(['gen-ai', 'openinference', 'ai-sdk 6'])(
    'just as the same result that is recorded as an object, in %s',
    (dialect) => {
      fc.assert(
        fc.property(results, (text) => {
          // An object is never outlined: all that is said of it is said of what it holds.
          const decoded = judgeSpan(span(dialect, JSON.parse(text) as unknown))
          expect(judgeSpan(span(dialect, text))).toEqual(decoded)
        }),
        { numRuns: 2_000 },
      )
    },
  )

  it('just as a retrieval that is', () => {
    const retrieval = (documents: unknown): Parameters<typeof judgeSpan>[0] => ({
      attributes: { 'gen_ai.operation.name': 'retrieval', 'gen_ai.retrieval.documents': documents },
    })
    fc.assert(
      fc.property(results, (text) => {
        expect(judgeSpan(retrieval(text))).toEqual(judgeSpan(retrieval(JSON.parse(text))))
      }),
      { numRuns: 500 },
    )
  })
})
