import { type HttpRequest } from './http/http-handler.ts'
import { HttpProblem } from './http/http-problem.ts'
import { contentCodings, PackingError, ReceiveUnpacker } from './receive-unpacker.ts'

/** Bounds of a body that is received. */
export interface BodyLimits {
  /** Bytes, as they come and unpacked. */
  readonly maxBytes: number
  /** Has the request hold so many bytes; throws where that is too much beside all others. */
  readonly reserve: (bytes: number) => void
}

/** A body, unpacked. */
export interface ReceivedBody {
  readonly bytes: Buffer
  /** How many bytes came. */
  readonly receivedBytes: number
}

const ALIASES: Readonly<Record<string, string>> = { 'x-gzip': 'gzip', '': 'identity' }

/**
 * Reads and unpacks the body of a request, as it comes and never further than it may be: a body that was made to unpack
 * to any size costs no more than the limit.
 *
 * @throws {HttpProblem} 415 for a coding that is not taken, 413 beyond the limit, 400 for packed data that is damaged
 * @throws {RequestAbortedError} where the client went away
 */
export async function receiveBody(request: HttpRequest, limits: BodyLimits): Promise<ReceivedBody> {
  const coding = readCoding(request)
  const { maxBytes, reserve } = limits
  const declaredBytes = Number(request.headers['content-length'] ?? 0)
  if (declaredBytes > maxBytes) throw toTooLarge(maxBytes)
  reserve(declaredBytes)
  const pieces: Buffer[] = []
  let size = 0
  const add = (piece: Buffer): void => {
    size += piece.length
    if (size > maxBytes) throw toTooLarge(maxBytes)
    reserve(size)
    pieces.push(piece)
  }
  const receivedBytes =
    coding === 'identity'
      ? await countBytes(request.body, maxBytes, add)
      : await unpack(request.body, maxBytes, new ReceiveUnpacker(coding, add))
  return {
    bytes: pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces, size),
    receivedBytes,
  }
}

async function unpack(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  unpacker: ReceiveUnpacker,
): Promise<number> {
  try {
    const receivedBytes = await countBytes(chunks, maxBytes, (chunk) => unpacker.write(chunk))
    // Senders put the coding on an empty body, too.
    if (receivedBytes > 0) await unpacker.end()
    return receivedBytes
  } catch (error) {
    if (!(error instanceof PackingError)) throw error
    throw new HttpProblem(400, `The body cannot be unpacked: ${error.message}`, {
      members: { violations: [{ field: '', description: error.message }] },
    })
  } finally {
    unpacker.close()
  }
}

async function countBytes(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  take: (chunk: Buffer) => Promise<void> | void,
): Promise<number> {
  let count = 0
  for await (const chunk of chunks) {
    count += chunk.length
    if (count > maxBytes) throw toTooLarge(maxBytes)
    await take(chunk)
  }
  return count
}

function readCoding({ headers }: HttpRequest): string {
  const given = (headers['content-encoding'] ?? '').trim().toLowerCase()
  const coding = ALIASES[given] ?? given
  if (coding === 'identity' || contentCodings.includes(coding)) return coding
  throw new HttpProblem(415, `The body may be packed as ${contentCodings.join(', ')}, or not at all`, {
    headers: { 'accept-encoding': contentCodings.join(', ') },
  })
}

function toTooLarge(maxBytes: number): HttpProblem {
  return new HttpProblem(413, `A body may have ${maxBytes} bytes, as it comes and unpacked`)
}
