import { Transform, type TransformCallback } from 'node:stream'
import { type Context, createContext, Script } from 'node:vm'
import * as zlib from 'node:zlib'
import { Decompress } from 'fzstd'
import type { InputProblem } from './document-item.ts'
import { ZstdFrames } from './zstd-frames.ts'

/** What newer versions of Node have for Zstandard. */
interface NativeZstd {
  createZstdDecompress?(options: { readonly chunkSize: number }): Transform
  zstdDecompressSync?(bytes: Uint8Array, options: { readonly maxOutputLength: number }): Buffer
}

const native: NativeZstd = zlib as NativeZstd

/** Together these become no more than 16 MiB in memory. */
const SLICE_BLOCKS = 128
const SLICE_BYTES = 64 * 1024

/** Where a slice of Zstandard data ends that may be unpacked at once. */
export function endOfZstdSlice(frames: ZstdFrames, bytes: Buffer, start: number): number {
  const end = Math.min(bytes.length, start + SLICE_BYTES)
  return frames.pass(bytes.subarray(start, end), 0, SLICE_BLOCKS) + start
}

/**
 * Makes a stream that unpacks Zstandard: that of Node where it has one (from 22.15 on), else one of ours. Only what
 * {@link ZstdFrames} has passed may be written to it.
 *
 * @param chunkSize - How many bytes a chunk that comes out has at most, of Node's stream.
 */
export function createZstdStream(chunkSize: number): Transform {
  return native.createZstdDecompress?.({ chunkSize }) ?? new ZstdStream()
}

class ZstdStream extends Transform {
  readonly #decoder = new Decompress((bytes) => this.push(bytes))

  override _transform(bytes: Buffer, _: BufferEncoding, done: TransformCallback): void {
    done(errorOf(() => pushInTime(this.#decoder, bytes, false)))
  }

  override _flush(done: TransformCallback): void {
    // A last frame that is very short waits for its end to be told.
    done(errorOf(() => pushInTime(this.#decoder, new Uint8Array(), true)))
  }
}

/** Honest slices take a tenth of a second. */
const MAX_SLICE_MILLIS = 5_000

interface Push {
  push: () => void
}

let timed: { readonly script: Script; readonly context: Context & Push } | undefined

/**
 * A block can be made so that fzstd, which copies without looking at the end of its buffer, spends minutes on it. Only
 * a script can be interrupted.
 */
function pushInTime(decoder: Decompress, bytes: Uint8Array, isLast: boolean): void {
  timed ??= {
    script: new Script('push()'),
    context: createContext({ push: () => {} }) as Context & Push,
  }
  timed.context.push = () => decoder.push(bytes, isLast)
  timed.script.runInContext(timed.context, { timeout: MAX_SLICE_MILLIS })
}

function errorOf(act: () => void): Error | null {
  try {
    act()
    return null
  } catch (error) {
    return error as Error
  }
}

/**
 * Unpacks all frames of Zstandard data that is held as a whole.
 *
 * @param bytes - The data.
 * @param maxBytes - How many bytes it may have when it is unpacked. No more memory than that and 144 MiB is taken.
 */
export function unpackZstd(bytes: Buffer, maxBytes: number): Buffer | InputProblem {
  const frames = new ZstdFrames()
  const end = frames.pass(bytes, 0)
  if (frames.fault !== undefined) return damaged(frames.fault)
  if (!frames.isComplete) return damaged('the end of it')
  try {
    const unpacked = unpackWithin(bytes.subarray(0, end), maxBytes)
    return unpacked ?? { expected: `A record of at most ${maxBytes} bytes`, found: 'more', torn: false }
  } catch (error) {
    return damaged((error as Error).message)
  }
}

function damaged(found: string): InputProblem {
  return { expected: 'A record of Zstandard data', found: `Damaged data (${found})`, torn: false }
}

/** `undefined` where there is more. */
function unpackWithin(bytes: Buffer, maxBytes: number): Buffer | undefined {
  if (native.zstdDecompressSync === undefined) return unpackSlices(bytes, maxBytes)
  try {
    return native.zstdDecompressSync(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw error
  }
}

function unpackSlices(bytes: Buffer, maxBytes: number): Buffer | undefined {
  const pieces: Uint8Array[] = []
  let size = 0
  const decoder = new Decompress((piece) => {
    size += piece.length
    if (size <= maxBytes) pieces.push(piece)
  })
  const frames = new ZstdFrames()
  for (let start = 0; start < bytes.length;) {
    const end = endOfZstdSlice(frames, bytes, start)
    pushInTime(decoder, bytes.subarray(start, end), end === bytes.length)
    if (size > maxBytes) return undefined
    start = end
  }
  return Buffer.concat(pieces, size)
}
