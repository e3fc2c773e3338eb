import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { HttpAnswer } from './http-handler.ts'
import type { RequestBody } from './request-body.ts'

/** The request that is answered, and its way out. */
export interface AnswerTarget {
  readonly response: ServerResponse
  readonly body: RequestBody
  /** The server is about to stop: the connection is closed behind the answer. */
  readonly isLast: boolean
}

/** What goes over the wire. `body` is `undefined` where only the head is sent. */
interface Packet {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | AsyncIterable<string | Uint8Array> | undefined
}

/** The body of an answer that failed while it was sent. Its cause is what it threw. */
export class AnswerBodyError extends Error {
  override readonly name = 'AnswerBodyError'
}

const pack = promisify(gzip)

const MIN_PACKED_BYTES = 1_024
// So much of a body that nobody wants is read for the connection to be used again.
const MAX_SPARE_BYTES = 1024 * 1024
const MAX_DRAIN_BYTES = 256 * 1024 * 1024
const MAX_DRAIN_MS = 15_000

/**
 * Sends an answer: with its `ETag`, as 304 where the client has it already, packed where the client takes that, and
 * without its body for `HEAD`. What the client still sends of a body that was not read is thrown away meanwhile, so
 * that it gets to see the answer.
 *
 * @throws {TypeError} before anything is sent, for a header that cannot be one
 * @throws {AnswerBodyError} where the chunks of the body fail; the connection is closed then
 */
export async function sendAnswer(target: AnswerTarget, answer: HttpAnswer): Promise<void> {
  const { response, body: unread } = target
  const packet = await toPacket(response, answer)
  const mustClose =
    target.isLast || !(unread.hasArrived || (unread.declaredBytes ?? Infinity) <= MAX_SPARE_BYTES)
  response.writeHead(packet.status, mustClose ? { ...packet.headers, connection: 'close' } : packet.headers)
  if (packet.body !== undefined && !Buffer.isBuffer(packet.body)) {
    await pipeline(Readable.from(tellFailure(packet.body)), response)
    return
  }
  if (!unread.hasArrived) {
    // The end of the answer would close the connection, or have it wait for the next request.
    if (packet.body === undefined) response.flushHeaders()
    else response.write(packet.body)
    await unread.drain(mustClose ? MAX_DRAIN_BYTES : MAX_SPARE_BYTES, MAX_DRAIN_MS)
    if (!unread.hasArrived && !mustClose) response.destroy()
    response.end()
    return
  }
  response.end(packet.body)
}

async function* tellFailure<T>(body: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* body
  } catch (error) {
    throw new AnswerBodyError('The body failed', { cause: error })
  }
}

async function toPacket(response: ServerResponse, answer: HttpAnswer): Promise<Packet> {
  const { method, headers: asked } = response.req
  const headers: Record<string, string> = {
    'cache-control': 'no-cache',
    'content-type': 'application/json',
    ...answer.headers,
    'x-content-type-options': 'nosniff',
  }
  const isHead = method === 'HEAD'
  if (typeof answer.body !== 'string' && !Buffer.isBuffer(answer.body)) {
    if (isHead) await answer.body[Symbol.asyncIterator]().return?.()
    return { status: answer.status, headers, body: isHead ? undefined : answer.body }
  }
  const bytes = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body
  if (answer.status === 200 && (isHead || method === 'GET')) {
    headers['etag'] ??= toEtag(bytes)
    if (isKnown(asked['if-none-match'], headers['etag'])) return toNotModified(headers)
  }
  const body = await packFor(asked['accept-encoding'], bytes, headers)
  headers['content-length'] = String(body.length)
  return { status: answer.status, headers, body: isHead ? undefined : body }
}

function toNotModified(headers: Record<string, string>): Packet {
  const { 'content-type': _type, ...kept } = headers
  return { status: 304, headers: { ...kept, vary: withEncoding(headers['vary']) }, body: undefined }
}

function withEncoding(vary: string | undefined): string {
  return vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`
}

/** A weak one: the packed form is another sequence of bytes that says the same. */
function toEtag(bytes: Buffer): string {
  return `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
}

function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  const opaque = etag.replace(/^W\//u, '')
  return header.match(/"[^"]*"/gu)?.some((known) => known === opaque) ?? false
}

async function packFor(
  accepted: string | undefined,
  bytes: Buffer,
  headers: Record<string, string>,
): Promise<Buffer> {
  if (bytes.length <= MIN_PACKED_BYTES || headers['content-encoding'] !== undefined) return bytes
  headers['vary'] = withEncoding(headers['vary'])
  if (!takesGzip(accepted)) return bytes
  headers['content-encoding'] = 'gzip'
  return pack(bytes)
}

function takesGzip(accepted = ''): boolean {
  let any = false
  for (const entry of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
    const takes = !parameters.some((parameter) => /^q=0(\.0*)?$/u.test(parameter))
    if (name === 'gzip' || name === 'x-gzip') return takes
    if (name === '*') any = takes
  }
  return any
}
