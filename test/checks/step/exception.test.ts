import { describe, expect, test } from 'vitest'
import { classifyError } from '../../../src/findings/error-class.ts'
import { codesOf, judgeSpan } from './dialect-spans.ts'

const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'fetch_page' }

function thrown(type: string, message: string, attributes: object = tool): ReturnType<typeof judgeSpan> {
  return judgeSpan({
    attributes: { ...attributes },
    status: { code: 2, message },
    events: [{ name: 'exception', attributes: { 'exception.type': type, 'exception.message': message } }],
  })
}

describe('a failed step', () => {
  test('gives one finding with its type and message', () => {
    expect(thrown('ValueError', 'unsupported currency')).toMatchObject([
      {
        code: 'exception',
        severity: 'error',
        detail: 'ValueError: unsupported currency',
        blamedSpanId: null,
      },
    ])
  })

  test.each([
    ['model', { 'gen_ai.operation.name': 'chat' }],
    ['agent', { 'openinference.span.kind': 'AGENT' }],
    ['workflow', { 'openinference.span.kind': 'CHAIN' }],
    ['tool of the AI SDK', { 'ai.operationId': 'ai.toolCall', 'ai.toolCall.name': 'fetch_page' }],
  ])('is told of a %s', (_kind, attributes) => {
    expect(codesOf(thrown('ValueError', 'x', attributes))).toEqual(['exception'])
  })

  test('is not told of a span that is no step', () => {
    expect(thrown('ValueError', 'x', { 'http.request.method': 'GET' })).toEqual([])
  })

  test('has no detail where nothing is recorded', () => {
    expect(judgeSpan({ attributes: tool, status: { code: 2 } })).toMatchObject([
      { code: 'exception', detail: null },
    ])
  })

  test('masks secrets in its detail', () => {
    const [finding] = thrown('AuthenticationError', `bad key sk-${'a1'.repeat(12)}`)
    expect(finding).toMatchObject({ code: 'auth_failed', detail: 'AuthenticationError: bad key [secret]' })
  })

  test('takes its words from the result where the status has none', () => {
    const attributes = { ...tool, 'error.type': 'tool_error' }
    const result = { content: [{ type: 'text', text: 'No such file or directory: a.txt' }], isError: true }
    expect(
      judgeSpan({ attributes: { ...attributes, 'gen_ai.tool.call.result': JSON.stringify(result) } }),
    ).toMatchObject([{ code: 'not_found', detail: 'tool_error: No such file or directory: a.txt' }])
  })

  test('does not take a long result for its words', () => {
    const result = `line 1: 404 entries\n${'x'.repeat(600)}`
    const findings = judgeSpan({
      attributes: { ...tool, 'gen_ai.tool.call.result': result },
      status: { code: 2 },
    })
    expect(findings).toMatchObject([{ code: 'exception', detail: null }])
  })

  test('is judged by its error alone, not by an empty or erroneous result beside it', () => {
    for (const result of ['', '{"error":"no"}', 'Error: no']) {
      const attributes = { ...tool, 'gen_ai.tool.call.result': result }
      expect(codesOf(judgeSpan({ attributes, status: { code: 2, message: 'failed' } }))).toEqual([
        'exception',
      ])
    }
  })
})

describe('classifyError() by type', () => {
  test.each([
    ['TimeoutError', 'timeout'],
    ['ETIMEDOUT', 'timeout'],
    ['DeadlineExceeded', 'timeout'],
    ['openai.APITimeoutError', 'timeout'],
    ['java.net.SocketTimeoutException', 'timeout'],
    ['openai.RateLimitError', 'rate_limited'],
    ['TooManyRequestsException', 'rate_limited'],
    ['ThrottlingException', 'rate_limited'],
    ['429', 'rate_limited'],
    ['AuthenticationError', 'auth_failed'],
    ['PermissionDeniedError', 'auth_failed'],
    ['401', 'auth_failed'],
    ['EACCES', 'auth_failed'],
    ['ServiceUnavailableError', 'service_error'],
    ['litellm.InternalServerError', 'service_error'],
    ['APIConnectionError', 'service_error'],
    ['ECONNREFUSED', 'service_error'],
    ['ENOTFOUND', 'service_error'],
    ['503', 'service_error'],
    ['FileNotFoundError', 'not_found'],
    ['ENOENT', 'not_found'],
    ['NotFoundError', 'not_found'],
    ['ContextWindowExceededError', 'context_overflow'],
    ['MaxTurnsExceeded', 'step_limit'],
    ['GraphRecursionError', 'step_limit'],
    ['AgentMaxStepsError', 'step_limit'],
    ['AbortError', null],
    ['AI_NoSuchToolError', null],
    ['ToolNotFoundError', null],
    ['ModuleNotFoundError', null],
    ['TypeError', null],
    ['_OTHER', null],
  ])('%s is %s', (type, code) => {
    expect(classifyError(type, '')).toBe(code)
  })

  test('a telling type wins over the message', () => {
    expect(classifyError('TimeoutError', '429 Too Many Requests')).toBe('timeout')
  })
})

describe('classifyError() by message', () => {
  test.each([
    ['Request timed out.', 'timeout'],
    ['timeout of 5000ms exceeded', 'timeout'],
    ['page.goto: Timeout 30000ms exceeded.', 'timeout'],
    ['The operation was aborted due to timeout', 'timeout'],
    ['context deadline exceeded', 'timeout'],
    ['请求超时', 'timeout'],
    ['429 You exceeded your current quota', 'rate_limited'],
    ["Error code: 429 - {'error': {'message': 'slow down'}}", 'rate_limited'],
    ['Request failed with status code 429', 'rate_limited'],
    ['Too Many Requests', 'rate_limited'],
    ['Rate limit reached for gpt-4o in organization', 'rate_limited'],
    ['触发限流', 'rate_limited'],
    ['Incorrect API key provided', 'auth_failed'],
    ['HTTP 403: Forbidden', 'auth_failed'],
    ['401 Unauthorized', 'auth_failed'],
    ["[Errno 13] Permission denied: '/etc/shadow'", 'auth_failed'],
    ['权限不足', 'auth_failed'],
    ['HTTP Error 404: Not Found', 'not_found'],
    ['404 Client Error: Not Found for url', 'not_found'],
    ["ENOENT: no such file or directory, open 'a.txt'", 'not_found'],
    ['The model `m-9` does not exist', 'not_found'],
    ['Order 17 not found', 'not_found'],
    ['bash: foo: command not found', 'not_found'],
    ['订单不存在', 'not_found'],
    ["This model's maximum context length is 8192 tokens", 'context_overflow'],
    ['prompt is too long: 210000 tokens > 200000 maximum', 'context_overflow'],
    ["Error code: 400 - {'code': 'context_length_exceeded'}", 'context_overflow'],
    ['max_tokens: 9000 exceeds the limit of the model', 'context_overflow'],
    ['Error code: 503 - Service Unavailable', 'service_error'],
    ['getaddrinfo ENOTFOUND api.example.com', 'service_error'],
    ['connect ECONNREFUSED 127.0.0.1:5432', 'service_error'],
    ['overloaded_error: Overloaded', 'service_error'],
    ['502 Bad Gateway', 'service_error'],
    ['服务不可用', 'service_error'],
    ['Recursion limit of 25 reached without hitting a stop condition', 'step_limit'],
    ['Agent stopped: max turns (10) exceeded', 'step_limit'],
    ['Reached maximum number of iterations', 'step_limit'],
    ['Agent reached maximum iteration in headless mode', 'step_limit'],
  ])('%s is %s', (message, code) => {
    expect(classifyError(null, message)).toBe(code)
  })

  test.each([
    'expected 429 rows, got 7',
    'the sum of 401 and 404 is 805',
    'port 5000 is in use',
    'Error: 500 rows exceed the limit of this view',
    'tool `order_lookup` not found',
    'No module named numpy',
    'the regex pattern was not found in it',
    'invalid argument: timeout must be a number',
    'This operation was aborted',
    'Forbidden function evaluation: open',
    'the prompt mentions a context window',
    'step 7 failed',
    '',
  ])('%s is of no class', (message) => {
    expect(classifyError(null, message)).toBe(null)
  })

  test('only the first 500 characters are looked at', () => {
    expect(classifyError('Error', `${'x '.repeat(260)}429 Too Many Requests`)).toBe(null)
  })
})
