import type { Transform } from 'node:stream'
import type { InputProblem } from './document-item.ts'

/** A way of packing, as far as the one who unpacks it needs to know. */
export interface Packing {
  /** Unpacks what is written to it. */
  readonly stream: Transform
  /** Where the slice of `bytes` ends that may be written at once, so that it does not become too large. */
  endOfSlice(bytes: Buffer, start: number): number
  /** What to say of bytes that come next; `stop` where nothing of them is to be unpacked. */
  verdict(): InputProblem | 'stop' | undefined
  /** What is missing where the bytes have ended. */
  problemAtEnd(): InputProblem | undefined
  /** What an error of the stream means. */
  problemOf(error: NodeJS.ErrnoException): InputProblem
}

/**
 * Drives a stream that unpacks by hand. Reading it as a stream would lose the output that waits in its buffer when the
 * input turns out to be cut short.
 */
export class Unpacker {
  readonly #packing: Packing
  #output: Buffer[] = []
  #pending: Promise<void> = Promise.resolve()
  #wake: () => void = () => {}
  /** What is wrong with the input, if anything. */
  problem: InputProblem | undefined
  /** Whether further input is of no use. */
  stopped = false
  #hasEnded = false

  constructor(packing: Packing) {
    this.#packing = packing
    const { stream } = packing
    stream.on('data', (bytes: Buffer) => this.#output.push(bytes))
    stream.on('error', (error: NodeJS.ErrnoException) => this.#endWith(packing.problemOf(error)))
    // Before our own `end()` this means bytes that are no further member. Zero padding is customary there.
    stream.on('end', () => this.#endWith(undefined))
  }

  /**
   * @param chunk - The next bytes of the input.
   * @yields What earlier slices became, while the next one is unpacked on another thread.
   */
  async *add(chunk: Buffer): AsyncGenerator<Buffer> {
    for (let start = 0; start < chunk.length && !this.stopped;) {
      await this.#pending
      const ready = this.#take()
      const end = this.#packing.endOfSlice(chunk, start)
      this.#pending = this.#write(chunk.subarray(start, end))
      start = end
      yield* ready
      const verdict = this.#packing.verdict()
      if (verdict === undefined) continue
      this.stopped = true
      if (verdict !== 'stop') this.problem ??= verdict
    }
  }

  /** @yields The rest. */
  async *end(): AsyncGenerator<Buffer> {
    await this.#pending
    if (!this.stopped) this.problem ??= this.#packing.problemAtEnd()
    if (!this.#hasEnded) {
      const ended = new Promise<void>((resolve) => (this.#wake = resolve))
      this.#packing.stream.end()
      await ended
    }
    yield* this.#take()
  }

  /** Frees what the stream holds. */
  close(): void {
    this.#packing.stream.destroy()
  }

  #write(slice: Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (this.#hasEnded || slice.length === 0) return resolve()
      // The callback of a write is never called once the stream has ended or failed.
      this.#wake = resolve
      this.#packing.stream.write(slice, () => resolve())
    })
  }

  #endWith(problem: InputProblem | undefined): void {
    this.#hasEnded = true
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
