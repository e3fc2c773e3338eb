import type { IncomingMessage } from 'node:http'
import { RequestAbortedError } from './http-handler.ts'
import { HttpProblem } from './http-problem.ts'

/** The body of a request: read by its handler, or not, or in part. */
export class RequestBody {
  readonly #incoming: IncomingMessage
  /** Tells the client to send its body; `undefined` where it does not wait for that. */
  #sendContinue: (() => void) | undefined

  constructor(incoming: IncomingMessage, sendContinue: (() => void) | undefined) {
    this.#incoming = incoming
    this.#sendContinue = sendContinue
  }

  /** `Content-Length`, in bytes; `undefined` where the client does not say, or there is no body. */
  get declaredBytes(): number | undefined {
    const header = this.#incoming.headers['content-length']
    return header === undefined ? undefined : Number(header)
  }

  /** The client has sent all of it. */
  get hasArrived(): boolean {
    return this.#incoming.complete
  }

  /**
   * Reads the body.
   *
   * @yields chunks as they come
   * @throws {RequestAbortedError} where the client goes away
   */
  async *chunks(): AsyncGenerator<Buffer> {
    this.#sendContinue?.()
    this.#sendContinue = undefined
    // Reading may stop early, and the connection is still needed for the answer.
    const chunks = this.#incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
    const reading = chunks[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { value, done } = await nextChunk(reading)
        if (done === true) break
        yield value
      }
    } finally {
      await reading.return?.()
    }
    if (!this.#incoming.complete) throw new RequestAbortedError('The client went away')
  }

  /** See `readBody` of `HttpRequest`. */
  async read(limitBytes: number): Promise<Buffer> {
    if ((this.declaredBytes ?? 0) > limitBytes) throw toTooLarge(limitBytes)
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of this.chunks()) {
      size += chunk.length
      if (size > limitBytes) throw toTooLarge(limitBytes)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks, size)
  }

  /**
   * Throws away what still comes, as long as it is within bounds. A connection that is closed while bytes of the client
   * are unread is reset, and the client may never see its answer.
   */
  async drain(limitBytes: number, limitMs: number): Promise<void> {
    const incoming = this.#incoming
    await new Promise<void>((resolve) => {
      let left = limitBytes
      const stop = (): void => {
        clearTimeout(timer)
        incoming.off('data', count).off('end', stop).off('close', stop)
        incoming.pause()
        resolve()
      }
      const count = (chunk: Buffer): void => {
        left -= chunk.length
        if (left < 0) stop()
      }
      const timer = setTimeout(stop, limitMs)
      if (incoming.complete || incoming.destroyed) stop()
      else incoming.on('data', count).on('end', stop).on('close', stop)
    })
  }
}

async function nextChunk(reading: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer, unknown>> {
  try {
    return await reading.next()
  } catch (error) {
    throw new RequestAbortedError('The client went away', { cause: error })
  }
}

function toTooLarge(limitBytes: number): HttpProblem {
  return new HttpProblem(413, `The body may have ${limitBytes} bytes`)
}
