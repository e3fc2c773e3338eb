import type { ChainReport } from '../report/chain-report.ts'
import type { ReportSink } from '../report/report-sink.ts'
import { toClosedError } from './closed-error.ts'
import { createKeyedQueue } from './keyed-queue.ts'
import { requireTimerMillis } from './require-whole-number.ts'
import { readRetryAfter } from './retry-after.ts'
import { SinkError } from './sink-error.ts'

/** What an HTTP sink is made of. */
export interface HttpSinkOptions {
  /** Where reports are posted to, `http:` or `https:`, without a user name or password in it. */
  readonly url: string | URL
  /** Headers of every request beside `Content-Type`, such as `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * How long one request may take until its answer is read, in milliseconds.
   *
   * @default 10000
   */
  readonly timeoutMillis?: number
}

/** What an answer says about the report that was posted. */
type AnswerClass = 'success' | 'retryable' | 'failure'

/** Requests that are under way at a time. */
const CONCURRENCY = 8

/** How much of the body of an answer is read to keep its connection, in bytes; a longer one is cut off. */
const BODY_LIMIT = 65_536

/** Too many requests, bad gateway, service unavailable, gateway timeout: what goes away by itself. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504])

/**
 * Creates a sink that posts each report as `application/json` with the global `fetch`. Requests of one chain follow
 * each other, so that a revision never overtakes the one before; at most 8 are under way at a time.
 *
 * `write` resolves on an answer of 200 to 299 and rejects with a `SinkError` on any other, a redirect too. It is
 * `retryable` on 429, 502, 503, 504, where nobody answers and where the answer takes too long; `retryAfterMillis` is
 * what the header `Retry-After` says. There is one attempt a report: `retrying` makes more.
 *
 * @throws {TypeError} where `url` or `headers` cannot be sent
 * @throws {RangeError} where `timeoutMillis` is no whole number from 1
 */
export function createHttpSink(options: HttpSinkOptions): ReportSink {
  const url = readUrl(options.url)
  const headers = new Headers(options.headers)
  headers.set('Content-Type', 'application/json')
  const timeoutMillis = requireTimerMillis({
    of: 'an HTTP sink',
    name: 'timeoutMillis',
    value: options.timeoutMillis ?? 10_000,
    minimum: 1,
  })
  const queue = createKeyedQueue(CONCURRENCY)
  let closed = false

  const post = async (body: string, place: string): Promise<void> => {
    const signal = AbortSignal.timeout(timeoutMillis)
    // A redirect would turn the POST into a GET whose answer says nothing about the report.
    const request = { method: 'POST', headers, body, signal, redirect: 'manual' } as const
    const response = await fetch(url, request).catch((cause: unknown) => {
      throw toUnansweredError(place, cause, timeoutMillis)
    })
    await discardBody(response)
    const answer = classify(response.status)
    if (answer !== 'success') throw toAnswerError(place, response, answer)
  }

  return {
    write: async (report) => {
      if (closed) throw toClosedError(report, 'HTTP sink')
      const body = JSON.stringify(report)
      await queue.run(`${report.trace_id} ${report.chain_id}`, () => post(body, toPlace(report, url)))
    },
    flush: () => queue.settled(),
    close: async () => {
      closed = true
      await queue.settled()
    },
  }
}

function readUrl(value: string | URL): URL {
  const text = String(value)
  if (!URL.canParse(text)) throw toUrlError(`'${text}'`)
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw toUrlError(url.protocol)
  // Neither is told: it would bring the password into a log.
  if (url.username !== '' || url.password !== '') throw toUrlError('one with them')
  return url
}

function toUrlError(found: string): TypeError {
  const expected = 'expected url to be an http: or https: address without user name and password'
  return new TypeError(`Cannot create an HTTP sink: ${expected}, found ${found}`)
}

/** Without the query of the address, in which a key may stand. */
function toPlace(report: ChainReport, url: URL): string {
  return `Cannot post report ${report.report_id} to ${url.origin}${url.pathname}`
}

function classify(status: number): AnswerClass {
  if (status >= 200 && status < 300) return 'success'
  return RETRYABLE.has(status) ? 'retryable' : 'failure'
}

function toAnswerError(place: string, response: Response, answer: AnswerClass): SinkError {
  const found = `${response.status} ${response.statusText}`.trim()
  return new SinkError(`${place}: expected an answer of 200 to 299, found ${found}`, {
    retryable: answer === 'retryable',
    retryAfterMillis: readRetryAfter(response.headers.get('Retry-After'), Date.now()),
  })
}

function toUnansweredError(place: string, cause: unknown, timeoutMillis: number): SinkError {
  const isTimeout = cause instanceof Error && cause.name === 'TimeoutError'
  const found = isTimeout ? `none within ${timeoutMillis} ms` : describeNetworkError(cause)
  return new SinkError(`${place}: expected an answer, found ${found}`, { retryable: true, cause })
}

/** `fetch failed` says nothing; what happened is told by the innermost cause. */
function describeNetworkError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return describeNetworkError(error.cause)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return error.message === '' ? code || error.name : error.message
}

/** Reads the body to its end, so that the connection can be used again. What goes wrong there changes no answer. */
async function discardBody({ body }: Response): Promise<void> {
  if (body === null) return
  try {
    let bytes = 0
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength
      // Leaving the loop cancels the body.
      if (bytes > BODY_LIMIT) break
    }
  } catch {
    // The status is known already.
  }
}
