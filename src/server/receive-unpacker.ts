import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'

const OUTPUT_CHUNK_BYTES = 64 * 1024
// What RFC 9659 asks of a decoder in HTTP: 8 MiB of window. A frame may claim gigabytes.
const ZSTD_WINDOW_LOG = 23

type Opener = () => Transform

interface ZstdOfZlib {
  readonly createZstdDecompress?: (options: object) => Transform
}

const openers: ReadonlyMap<string, Opener> = listOpeners()

/** The content codings that are taken beside `identity`, for `Accept-Encoding`. Zstandard where this Node.js has it. */
export const contentCodings: readonly string[] = [...openers.keys()]

/** A packed body that is not what its coding says, or ends too early. */
export class PackingError extends Error {
  override readonly name = 'PackingError'
}

/** Unpacks a body as it comes, in the threads of zlib, and tells of each piece before there is another. */
export class ReceiveUnpacker {
  readonly #stream: Transform
  readonly #failed: Promise<never>

  /**
   * @param coding one of {@link contentCodings}
   * @param onOutput gets each piece; what it throws ends the unpacking, and comes out of `write` or `end`
   */
  constructor(coding: string, onOutput: (piece: Buffer) => void) {
    const opener = openers.get(coding)
    if (opener === undefined) throw new RangeError(`Cannot unpack: expected a known coding, found ${coding}`)
    this.#stream = opener()
    this.#stream.on('data', (piece: Buffer) => {
      try {
        onOutput(piece)
      } catch (error) {
        this.#stream.destroy(error as Error)
      }
    })
    this.#failed = new Promise((_resolve, reject) => {
      this.#stream.on('error', (error: NodeJS.ErrnoException) => {
        // An error with a code and a number is one of zlib.
        reject('errno' in error ? new PackingError(error.message, { cause: error }) : error)
      })
    })
    // Who waits for it is told; that nobody does at the moment is no fault.
    this.#failed.catch(() => undefined)
  }

  /** Resolves when all output of these bytes has come. */
  async write(bytes: Buffer): Promise<void> {
    await this.#orFailure((done) => this.#stream.write(bytes, done))
  }

  /** Resolves when all output has come. @throws {PackingError} where the body ends too early */
  async end(): Promise<void> {
    await this.#orFailure((done) => {
      this.#stream.once('end', done)
      this.#stream.end()
    })
  }

  /** Lets go of what zlib holds. */
  close(): void {
    this.#stream.destroy()
  }

  async #orFailure(start: (done: () => void) => void): Promise<void> {
    const isDone = new Promise<void>((resolve) => {
      // zlib calls a write done that it gave up, and tells of the error afterwards.
      start(() => {
        if (!this.#stream.destroyed) resolve()
      })
    })
    await Promise.race([this.#failed, isDone])
  }
}

function listOpeners(): Map<string, Opener> {
  const options = { chunkSize: OUTPUT_CHUNK_BYTES }
  const map = new Map<string, Opener>([
    ['gzip', () => zlib.createGunzip(options)],
    ['deflate', () => zlib.createInflate(options)],
  ])
  const { createZstdDecompress } = zlib as ZstdOfZlib
  const windowKey = (zlib.constants as unknown as Record<string, number | undefined>)['ZSTD_d_windowLogMax']
  if (createZstdDecompress !== undefined && windowKey !== undefined) {
    map.set('zstd', () => createZstdDecompress({ ...options, params: { [windowKey]: ZSTD_WINDOW_LOG } }))
  }
  return map
}
