import { createGunzip, type Gunzip } from 'node:zlib'
import type { InputProblem } from './document-item.ts'

const MAGIC_BYTES = 4
// Deflate expands at most about 1,032 times, so one slice becomes at most some 66 MB in memory.
const SLICE_BYTES = 64 * 1024
const OUTPUT_CHUNK_BYTES = 64 * 1024

/**
 * Passes bytes through, unpacked if they are gzip. What decides is the magic number, never a name. Gzip members
 * that follow each other are one stream. Of a truncated or damaged stream comes what can be unpacked, and then
 * `onProblem` is called; damage can cost up to 64 KiB of output before the damaged place. It is called too for
 * Zstandard, which is not read, and for what follows gzip and is not gzip.
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
    for await (const chunk of withWholeMagic(chunks)) {
      if (isFirst && isZstandard(chunk)) {
        onProblem({ expected: 'OTLP/JSON, plain or gzip', found: 'Zstandard data', torn: false })
        return
      }
      if (isFirst && isGzip(chunk)) unpacker = new Unpacker()
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

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

function isZstandard(bytes: Buffer): boolean {
  return bytes.length >= MAGIC_BYTES && bytes.readUInt32LE(0) === 0xfd2fb528
}

// The same bytes, with a first chunk that holds the whole magic number if there are as many bytes.
async function* withWholeMagic(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    if (head === undefined) {
      yield bytes
      continue
    }
    head = Buffer.concat([head, bytes])
    if (head.length < MAGIC_BYTES) continue
    yield head
    head = undefined
  }
  if (head !== undefined && head.length > 0) yield head
}

/**
 * Drives a gunzip stream by hand. Reading it as a stream would lose the output that waits in its buffer when the
 * input turns out to be cut short.
 */
class Unpacker {
  readonly #gunzip: Gunzip = createGunzip({ chunkSize: OUTPUT_CHUNK_BYTES })
  #output: Buffer[] = []
  #pending: Promise<void> = Promise.resolve()
  #wake: () => void = () => {}
  problem: InputProblem | undefined
  /** Whether further input is of no use. */
  stopped = false

  constructor() {
    this.#gunzip.on('data', (bytes: Buffer) => this.#output.push(bytes))
    this.#gunzip.on('error', (error: NodeJS.ErrnoException) => this.#stop(problemOf(error)))
    // Before our own `end()` this means bytes that are no further member. Zero padding is customary there.
    this.#gunzip.on('end', () => this.#stop(undefined))
  }

  // What earlier slices became is handed out while the next one is unpacked on another thread.
  async *add(chunk: Buffer): AsyncGenerator<Buffer> {
    for (let start = 0; start < chunk.length && !this.stopped; start += SLICE_BYTES) {
      await this.#pending
      const ready = this.#take()
      this.#pending = this.#write(chunk.subarray(start, start + SLICE_BYTES))
      yield* ready
    }
  }

  async *end(): AsyncGenerator<Buffer> {
    await this.#pending
    if (!this.stopped) {
      const ended = new Promise<void>((resolve) => (this.#wake = resolve))
      this.#gunzip.end()
      await ended
    }
    yield* this.#take()
  }

  close(): void {
    this.#gunzip.destroy()
  }

  #write(slice: Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (this.stopped) return resolve()
      // The callback of a write is never called once the stream has ended or failed.
      this.#wake = resolve
      this.#gunzip.write(slice, () => resolve())
    })
  }

  #stop(problem: InputProblem | undefined): void {
    this.stopped = true
    this.problem ??= problem
    this.#wake()
  }

  #take(): Buffer[] {
    const output = this.#output
    this.#output = []
    return output
  }
}

function problemOf(error: NodeJS.ErrnoException): InputProblem {
  if (error.code === 'Z_BUF_ERROR') {
    return { expected: 'A complete gzip stream', found: 'The end of the input', torn: true }
  }
  return { expected: 'A gzip stream', found: `Damaged data (${error.message})`, torn: false }
}
