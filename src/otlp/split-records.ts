import type { Framing } from './detect-framing.ts'

/** One record of an input: a document behind its length, or a field of a protobuf message. */
export interface InputRecord {
  /** From 1. */
  readonly number: number
  /** Bytes of the input before the record. */
  readonly start: number
  /** Bytes of the input up to the record's end. */
  readonly end: number
  /** How many bytes its content has, or would have if the input did not end before. */
  readonly size: number
  /** The content; `undefined` if there is more of it than allowed. */
  readonly bytes: Buffer | undefined
  /** Whether it is all there. Only the last record of an input may not be. */
  readonly isComplete: boolean
}

/** Where the content of a record begins behind the place where the record does, and how long it is. */
interface RecordSize {
  readonly skip: number
  readonly size: number
}

/** `undefined` where more bytes are needed to tell. */
type MeasureRecord = (bytes: Buffer) => RecordSize | undefined

const MAX_VARINT_BYTES = 10

/** Cuts a stream of bytes into records. Those that are longer than allowed are counted, not kept; empty ones too. */
export class RecordSplitter {
  readonly #maxBytes: number
  readonly #measure: MeasureRecord
  #head: Buffer = Buffer.alloc(0)
  #size: RecordSize | undefined
  #pieces: Buffer[] = []
  #have = 0
  #number = 1
  #start = 0

  /** @param maxBytes - How many bytes of one record are kept at most. */
  constructor(framing: Exclude<Framing, 'lines'>, maxBytes: number) {
    this.#measure = framing === 'records' ? measurePrefixed : measureField
    this.#maxBytes = maxBytes
  }

  /** The number of the record that comes next, or is not yet complete. */
  get number(): number {
    return this.#number
  }

  /** Bytes before the record that comes next, or is not yet complete. */
  get offset(): number {
    return this.#start
  }

  /**
   * @param chunk - The next bytes of the input.
   * @yields Each record that is complete now.
   */
  *add(chunk: Buffer): Generator<InputRecord> {
    for (let at = 0; at < chunk.length;) {
      if (this.#size === undefined) at = this.#readHead(chunk, at)
      if (this.#size === undefined) continue
      const piece = chunk.subarray(at, at + this.#size.size - this.#have)
      this.#keep(piece, this.#size)
      at += piece.length
      if (this.#have < this.#size.size) continue
      const record = this.#finish(this.#size, true)
      if (record.size > 0) yield record
    }
  }

  /** @yields The last record, if it is not complete. */
  *end(): Generator<InputRecord> {
    if (this.#size !== undefined) yield this.#finish(this.#size, false)
    else if (this.#head.length > 0) yield this.#finish({ skip: this.#head.length, size: 0 }, false)
  }

  /** Takes bytes until it is known how long the record is; of them those of the content are given back. */
  #readHead(chunk: Buffer, start: number): number {
    const before = this.#head.length
    const head = Buffer.concat([this.#head, chunk.subarray(start, start + 2 * MAX_VARINT_BYTES)])
    this.#size = this.#measure(head)
    if (this.#size === undefined) {
      this.#head = head
      return chunk.length
    }
    this.#head = Buffer.alloc(0)
    // What is to be skipped was not all there before, or it would have been known.
    const content = head.subarray(this.#size.skip, before)
    if (content.length > 0) this.#keep(content, this.#size)
    return start + Math.max(this.#size.skip, before) - before
  }

  #keep(piece: Buffer, { size }: RecordSize): void {
    this.#have += piece.length
    if (piece.length > 0 && size <= this.#maxBytes) this.#pieces.push(piece)
  }

  #finish({ skip, size }: RecordSize, isComplete: boolean): InputRecord {
    const start = this.#start
    const end = start + skip + this.#have
    const bytes = size > this.#maxBytes ? undefined : joined(this.#pieces)
    const record: InputRecord = { number: this.#number, start, end, size, bytes, isComplete }
    this.#head = Buffer.alloc(0)
    this.#size = undefined
    this.#pieces = []
    this.#have = 0
    this.#number += 1
    this.#start = end
    return record
  }
}

function measurePrefixed(bytes: Buffer): RecordSize | undefined {
  return bytes.length < 4 ? undefined : { skip: 4, size: bytes.readUInt32BE(0) }
}

/** A field with all that belongs to it is a message of its own, so nothing is skipped. */
function measureField(bytes: Buffer): RecordSize | undefined {
  const tagEnd = varintEnd(bytes, 0)
  const lengthEnd = varintEnd(bytes, tagEnd)
  if (tagEnd > bytes.length || lengthEnd > bytes.length) return undefined
  let length = 0
  for (let at = lengthEnd - 1; at >= tagEnd; at--) length = length * 128 + ((bytes[at] ?? 0) & 0x7f)
  return { skip: 0, size: lengthEnd + length }
}

/** Where a number ends that begins at `start`; beyond the bytes where it goes on behind them. */
function varintEnd(bytes: Buffer, start: number): number {
  let at = start
  while (((bytes[at] ?? 0) & 0x80) !== 0 && at - start < MAX_VARINT_BYTES - 1) at += 1
  return at + 1
}

/** One buffer; most records lie in one chunk, and are not copied. */
function joined(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces
  return pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces)
}
