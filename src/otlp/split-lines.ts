/** One line of an input, without its `\n` but with a `\r` before it, if any. */
export interface Line {
  /** From 1. */
  readonly number: number
  /** Bytes of the input before the line. */
  readonly start: number
  /** Bytes of the input up to and with the line's `\n`. */
  readonly end: number
  /** The content; `undefined` if there is more of it than allowed. */
  readonly bytes: Buffer | undefined
  /** Whether the line has its `\n`. Only the last line of an input may lack it. */
  readonly isTerminated: boolean
}

const NEWLINE = 10

/** Cuts a stream of bytes into lines. Longer lines than allowed are counted, not kept. */
export class LineSplitter {
  readonly #maxLineBytes: number
  #pieces: Buffer[] = []
  #size = 0
  #number = 1
  #start = 0

  /** @param maxLineBytes - How many bytes of one line are kept at most. */
  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes
  }

  /** The number of the line that comes next, or is not yet complete. */
  get lineNumber(): number {
    return this.#number
  }

  /** Bytes before the line that comes next, or is not yet complete. */
  get offset(): number {
    return this.#start
  }

  /**
   * @param chunk - The next bytes of the input.
   * @yields Each line that is complete now.
   */
  *add(chunk: Buffer): Generator<Line> {
    let start = 0
    let newline = chunk.indexOf(NEWLINE)
    while (newline !== -1) {
      this.#keep(chunk.subarray(start, newline))
      yield this.#finish(true)
      start = newline + 1
      newline = chunk.indexOf(NEWLINE, start)
    }
    this.#keep(chunk.subarray(start))
  }

  /** @yields The last line, if it has no newline. */
  *end(): Generator<Line> {
    if (this.#size > 0) yield this.#finish(false)
  }

  #keep(piece: Buffer): void {
    this.#size += piece.length
    if (this.#size > this.#maxLineBytes) this.#pieces = []
    else if (piece.length > 0) this.#pieces.push(piece)
  }

  #finish(isTerminated: boolean): Line {
    const start = this.#start
    const end = start + this.#size + (isTerminated ? 1 : 0)
    const bytes = this.#size > this.#maxLineBytes ? undefined : joined(this.#pieces)
    const line: Line = { number: this.#number, start, end, bytes, isTerminated }
    this.#pieces = []
    this.#size = 0
    this.#number += 1
    this.#start = end
    return line
  }
}

/** One buffer; most lines lie in one chunk, and are not copied. */
function joined(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces
  return pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces)
}
