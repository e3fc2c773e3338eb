import { createGunzip } from 'node:zlib'
import type { InputProblem } from './document-item.ts'
import { createZstdStream, endOfZstdSlice } from './unpack-zstd.ts'
import { type Packing, Unpacker } from './unpacker.ts'
import { withHead } from './with-head.ts'
import { isZstandard, ZstdFrames } from './zstd-frames.ts'

const MAGIC_BYTES = 4
// Deflate expands at most about 1,032 times, so one slice becomes at most some 66 MB in memory.
const GZIP_SLICE_BYTES = 64 * 1024
const OUTPUT_CHUNK_BYTES = 64 * 1024

/**
 * Passes bytes through, unpacked if they are gzip or Zstandard. What decides is the magic number, never a name. Gzip
 * members and Zstandard frames that follow each other are one stream. Of a truncated or damaged stream comes what can
 * be unpacked, and then `onProblem` is called; damage can cost up to 64 KiB of output before the damaged place, of
 * Zstandard a block more. It is called too for what follows and is packed otherwise.
 *
 * @param chunks - The bytes as stored, in chunks of any size.
 * @param onProblem - Called at most once, after the last chunk.
 * @yields The bytes as meant, in chunks of any size.
 */
export async function* decompress(
  chunks: AsyncIterable<Uint8Array>,
  onProblem: (problem: InputProblem) => void,
): AsyncGenerator<Buffer> {
  let unpacker: Unpacker | undefined
  let isFirst = true
  try {
    for await (const chunk of withHead(chunks, MAGIC_BYTES)) {
      if (isFirst) unpacker = openUnpacker(chunk)
      isFirst = false
      if (unpacker === undefined) yield chunk
      else yield* unpacker.add(chunk)
      if (unpacker?.stopped === true) break
    }
    if (unpacker === undefined) return
    yield* unpacker.end()
    if (unpacker.problem !== undefined) onProblem(unpacker.problem)
  } finally {
    unpacker?.close()
  }
}

function openUnpacker(head: Buffer): Unpacker | undefined {
  if (isGzip(head)) return new Unpacker(createGzip())
  return isZstandard(head) ? new Unpacker(createZstandard()) : undefined
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

function createGzip(): Packing {
  return {
    stream: createGunzip({ chunkSize: OUTPUT_CHUNK_BYTES }),
    endOfSlice: (bytes, start) => Math.min(bytes.length, start + GZIP_SLICE_BYTES),
    verdict: () => undefined,
    problemAtEnd: () => undefined,
    problemOf: (error) => (error.code === 'Z_BUF_ERROR' ? truncated('gzip') : damaged('gzip', error.message)),
  }
}

function createZstandard(): Packing {
  const frames = new ZstdFrames()
  return {
    stream: createZstdStream(OUTPUT_CHUNK_BYTES),
    endOfSlice: (bytes, start) => endOfZstdSlice(frames, bytes, start),
    verdict: () => {
      if (frames.fault !== undefined) return damaged('Zstandard', frames.fault)
      return frames.isPadding ? 'stop' : undefined
    },
    problemAtEnd: () => (frames.isComplete ? undefined : truncated('Zstandard')),
    problemOf: (error) => damaged('Zstandard', error.message),
  }
}

function truncated(packing: string): InputProblem {
  return { expected: `A complete ${packing} stream`, found: 'The end of the input', torn: true }
}

function damaged(packing: string, what: string): InputProblem {
  return { expected: `A ${packing} stream`, found: `Damaged data (${what})`, torn: false }
}
