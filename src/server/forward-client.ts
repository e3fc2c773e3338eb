import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as httpRequest,
} from 'node:http'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { readRetryAfter } from '../exporters/retry-after.ts'
import { VERSION } from '../pipeline/version.ts'
import { type PartialSuccess, readPartialSuccess } from './forward-response.ts'

/** What became of a request. */
export type ForwardAnswer =
  | ({ readonly outcome: 'taken' } & PartialSuccess)
  /** It may be taken later. */
  | { readonly outcome: 'retry'; readonly reason: string; readonly afterMillis: number | undefined }
  /** It will never be taken. */
  | { readonly outcome: 'refused'; readonly reason: string }

/** How requests are sent. */
export interface ForwardClientOptions {
  readonly url: URL
  /** Beside those that say what the body is. */
  readonly headers: Readonly<Record<string, string>>
  /** How long a request may take until its answer is read, in milliseconds. */
  readonly timeoutMillis: number
  /** Connections that are kept open. */
  readonly parallel: number
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
}

/** Too many requests, bad gateway, service unavailable, gateway timeout: what goes away by itself. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** How much of an answer is read, in bytes. */
const ANSWER_LIMIT = 65_536

const compress = promisify(gzip)

/** Sends requests of OTLP/HTTP in protobuf, compressed, over connections that stay open. Redirects are not followed. */
export class ForwardClient {
  readonly #options: ForwardClientOptions
  readonly #headers: Readonly<Record<string, string>>
  readonly #agent: HttpAgent
  readonly #request: typeof httpRequest

  /** @throws {TypeError} where a header cannot be sent */
  constructor(options: ForwardClientOptions) {
    const isSecure = options.url.protocol === 'https:'
    const agentOptions = { keepAlive: true, maxSockets: options.parallel }
    this.#options = options
    this.#agent = isSecure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions)
    this.#request = isSecure ? httpsRequest : httpRequest
    this.#headers = { ...readHeaders(options.headers), ...OWN_HEADERS }
  }

  /**
   * Sends a body.
   *
   * @param stop ends the request
   * @returns `null` where it was stopped, and nobody knows whether it has arrived
   */
  async send(body: Buffer, stop: AbortSignal): Promise<ForwardAnswer | null> {
    const compressed = await compress(body)
    if (stop.aborted) return null
    const first = await this.#attempt(compressed, stop)
    // The other side may close a connection that was kept just when it is used again.
    const answer = first === 'stale' ? await this.#attempt(compressed, stop) : first
    if (answer !== 'stale') return answer
    return { outcome: 'retry', reason: 'the connection was closed', afterMillis: undefined }
  }

  /** Closes what connections are kept. */
  close(): void {
    this.#agent.destroy()
  }

  async #attempt(body: Buffer, stop: AbortSignal): Promise<ForwardAnswer | 'stale' | null> {
    const { url, timeoutMillis } = this.#options
    const ending = new AbortController()
    const end = (): void => ending.abort()
    const timer = setTimeout(end, timeoutMillis)
    stop.addEventListener('abort', end, { once: true })
    const request = this.#request(url, {
      method: 'POST',
      agent: this.#agent,
      headers: { ...this.#headers, 'content-length': String(body.length) },
      signal: ending.signal,
    })
    try {
      return await this.#toAnswer(await respond(request, body))
    } catch (error) {
      if (stop.aborted) return null
      if (ending.signal.aborted) return toRetry(`no answer within ${timeoutMillis} ms`)
      if (request.reusedSocket && codeOf(error) === 'ECONNRESET') return 'stale'
      return toRetry(codeOf(error) ?? (error instanceof Error ? error.message : String(error)))
    } finally {
      clearTimeout(timer)
      stop.removeEventListener('abort', end)
    }
  }

  async #toAnswer(response: IncomingMessage): Promise<ForwardAnswer> {
    const { statusCode = 0, headers } = response
    const body = await readAnswer(response)
    if (statusCode >= 200 && statusCode < 300) {
      return { outcome: 'taken', ...readPartialSuccess(body, headers['content-type'] ?? '') }
    }
    const reason = `status ${statusCode}`
    if (!RETRYABLE.has(statusCode)) return { outcome: 'refused', reason }
    const afterMillis = readRetryAfter(headers['retry-after'] ?? null, this.#options.now())
    return { outcome: 'retry', reason, afterMillis }
  }
}

const OWN_HEADERS = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'gzip',
  'user-agent': `agent-reach/${VERSION}`,
}

/** Headers that say how a body is sent, which is ours to say. */
const FRAMING: readonly string[] = ['content-length', 'transfer-encoding', 'connection']

function readHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const read: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch {
      // The value is not told: it may be a key.
      throw toHeaderError(name)
    }
    if (FRAMING.includes(name.toLowerCase())) throw toHeaderError(name)
    read[name.toLowerCase()] = value
  }
  return read
}

function toHeaderError(name: string): TypeError {
  const expected = 'expected headers of HTTP that say nothing of the body'
  return new TypeError(`Cannot forward spans: ${expected}, found ${JSON.stringify(name)}`)
}

function respond(request: ClientRequest, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve)
    request.on('error', reject)
    request.end(body)
  })
}

/** Reads an answer to its end, so that the connection can be used again. The status is known already. */
async function readAnswer(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      // Leaving the loop closes the connection.
      if (bytes > ANSWER_LIMIT) break
      chunks.push(chunk)
    }
  } catch {
    return Buffer.alloc(0)
  }
  return Buffer.concat(chunks)
}

function toRetry(reason: string): ForwardAnswer {
  return { outcome: 'retry', reason, afterMillis: undefined }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
