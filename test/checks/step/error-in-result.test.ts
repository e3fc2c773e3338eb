import { describe, expect, test } from 'vitest'
import { codesFor, dialects, judgeSpan, toolSpan } from './dialect-spans.ts'

describe.each(dialects)('a tool result of %s', (dialect) => {
  test.each([
    ['the error flag of MCP', { content: [{ type: 'text', text: 'no such order' }], isError: true }],
    ['an error text in a field', { order_id: 'ORD-9', error: 'order not found' }],
    ['an error object', { error: { code: 'E17', message: 'no access' } }],
    ['a list of errors', { data: null, errors: [{ message: 'unknown field' }] }],
    ['an exception', { exception: 'KeyError', data: [] }],
    ['a false success', { success: false, message: 'sold out' }],
    ['a false ok', { ok: false }],
    ['a failed status', { status: 'error', message: 'sold out' }],
    ['a status of HTTP', { status: 503, body: 'try later' }],
    ['a status code of HTTP', { statusCode: 404, data: { hint: 'gone' } }],
    ['JSON in a content part', { content: [{ type: 'text', text: '{"error":"gone"}' }] }],
    ['an error text as payload', { success: false, result: 'Error: gone' }],
  ])('that tells an error by %s is an error', (_what, result) => {
    expect(codesFor(toolSpan(dialect, result))).toEqual(['error_in_result'])
  })

  test.each([
    'Error: user not found',
    'ERROR: No replacement was performed',
    '[ERROR] could not open the door',
    'Error executing tool search: bad query',
    'An unexpected error occurred while searching',
    'Exception: the lock is held',
    'ValueError: invalid literal',
    'openai.RateLimitError: slow down',
    '"KeyError: \'name\'"',
    'fatal: not a git repository',
    'HTTP 502 Bad Gateway',
    'Failed to fetch the page',
    '<tool_use_error>File has not been read yet</tool_use_error>',
    'Traceback (most recent call last):\n  File "a.py", line 1\nZeroDivisionError: division by zero',
    'reading\nTraceback (most recent call last):\n  File "a.py", line 1, in <module>\n    json.loads(x)\njson.JSONDecodeError: Expecting value',
    '/app/a.js:3\n  throw error\n\nTypeError: x is not a function\n    at run (/app/a.js:3:9)\n    at main (/app/a.js:9:1)',
    'Address: https://example.com/a\nTitle: Error 403\n====\nRequest blocked',
  ])('that begins or ends as an error message is a warning: %j', (result) => {
    expect(codesFor(toolSpan(dialect, result))).toEqual(['error_in_result:warn'])
    expect(codesFor(toolSpan(dialect, { content: [{ type: 'text', text: result }] }))).toEqual([
      'error_in_result:warn',
    ])
  })

  test.each([
    ['no errors', { errors: [], items: ['a'] }],
    ['no error', { error: null, items: ['a'] }],
    ['an error that says there is none', { error: 'none', id: 4 }],
    ['an error beside a payload', { error: 'one row skipped', rows: [{ id: 1 }] }],
    ['the errors of a checked file', { valid: true, file: 'a.ts', errors: [{ line: 3 }] }],
    ['an error that is a measure', { error: 0.07, model: 'linear' }],
    ['a record with a status of its own', { order_id: 'ORD-1', status: 'failed', total: 3 }],
    ['a status of HTTP that is fine', { status: 200, body: 'hello' }],
    ['a number that is no status', { status: 1404, id: 1 }],
    ['success', { success: true, error: '' }],
    ['a listing with errors in names', 'errors.log\nerror-handler.ts\nException.java'],
    ['a document on errors', 'Error handling in Go is explicit: every function returns an error value.'],
    ['code that raises', 'def f(x):\n    raise ValueError("no")\n    # Traceback (most recent call last):'],
    ['a log that goes on after a traceback', log()],
    ['a handled traceback', 'try\nTraceback (most recent call last):\n  File "a.py"\nKeyError: x\nDone'],
    ['a search result', '3 matches for "Error: not found" in src'],
    ['a sentence', 'The error was fixed yesterday'],
    ['a stack in the middle', 'at first\n    at run (/app/a.js:3:9)\nand then it worked'],
    ['a long text that failed', `Failed to impress: a review. ${'word '.repeat(200)}`],
  ])('with %s is not an error', (_what, result) => {
    expect(codesFor(toolSpan(dialect, result))).toEqual([])
  })
})

test('the finding carries the pointer, what was found there, and the words', () => {
  expect(
    judgeSpan({ attributes: toolSpan('gen-ai', { statusCode: 503, message: 'try later' }) }),
  ).toMatchObject([
    {
      code: 'error_in_result',
      detail: 'try later',
      evidence: [{ path: '/statusCode', expected: 'below 400', actual: 503 }],
    },
  ])
  const nested = { content: [{ type: 'text', text: '{"error":{"message":"gone"}}' }] }
  expect(judgeSpan({ attributes: toolSpan('gen-ai', nested) })).toMatchObject([
    { detail: 'gone', evidence: [{ path: '/content/0/text/error', actual: 'object' }] },
  ])
})

test('the words are masked and short', () => {
  const [finding] = judgeSpan({
    attributes: toolSpan('gen-ai', { error: `no mail for a.b@example.com ${'x'.repeat(400)}` }),
  })
  expect(finding?.detail).toMatch(/^no mail for \[e-mail\] x+…$/u)
  expect(finding?.detail?.length).toBe(200)
})

test('a retrieval is judged as a tool is', () => {
  expect(
    codesFor({ 'openinference.span.kind': 'RETRIEVER', 'output.value': 'Error: index is locked' }),
  ).toEqual(['error_in_result:warn'])
})

test('what a model writes is no result', () => {
  expect(codesFor({ 'openinference.span.kind': 'LLM', 'output.value': 'Error: I cannot do that' })).toEqual(
    [],
  )
})

function log(): string {
  return `start\nTraceback (most recent call last):\n  File "a.py", line 1\nValueError: x\nretrying\n12 rows written`
}
