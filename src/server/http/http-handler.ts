import type { IncomingHttpHeaders } from 'node:http'

/** A request as a handler sees it. It has passed the checks of host and token. */
export interface HttpRequest {
  /** In upper case. `HEAD` comes as `GET`; its answer is sent without the body. */
  readonly method: string
  /** The path as it came, without the query, still percent-encoded. */
  readonly path: string
  /** Values of the `{…}` parts of the route, percent-decoded. They may hold any character. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders
  /** Aborts when the client goes away before it has its answer. */
  readonly signal: AbortSignal
  /**
   * Reads the body as it came, packed if it is packed.
   *
   * @param limitBytes reading stops beyond it
   * @throws {HttpProblem} with status 413 beyond the limit
   * @throws {RequestAbortedError} where the client went away
   */
  readBody(limitBytes: number): Promise<Buffer>
  /** The body in chunks as they come, for who counts them himself. Ends with an error where the client goes away. */
  readonly body: AsyncIterable<Buffer>
}

/** What is sent: text (UTF-8), bytes, or chunks as they come. */
export type HttpBody = string | Buffer | AsyncIterable<string | Uint8Array>

/**
 * What a handler answers. Text and bytes get an `ETag`, answer `If-None-Match`, and are packed where the client takes
 * it; chunks are sent as they are.
 */
export interface HttpAnswer {
  readonly status: number
  /**
   * Names in lower case. A value with characters that do not belong into a header makes the answer a 500. Without
   * `content-type` a body is `application/json`.
   */
  readonly headers?: Readonly<Record<string, string>>
  readonly body: HttpBody
}

/**
 * Answers a request. What it throws becomes an answer too: an {@link HttpProblem} as it says, a `StoreError` 503 with
 * `Retry-After` where it passes, anything else 500 without its text.
 */
export type HttpHandler = (request: HttpRequest) => Promise<HttpAnswer> | HttpAnswer

/** The client went away before its request was read. Nobody is left to answer. */
export class RequestAbortedError extends Error {
  override readonly name = 'RequestAbortedError'
}
