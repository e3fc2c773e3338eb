import { readText } from './parse-bytes.ts'

/** A field that is written as a number of any length. */
export const WIRE_VARINT = 0
/** A field of eight bytes. */
export const WIRE_FIXED64 = 1
/** A field that is written as bytes behind their number. */
export const WIRE_BYTES = 2
/** A field of four bytes. */
export const WIRE_FIXED32 = 5
const WIRE_GROUP = 3
const WIRE_GROUP_END = 4

const MAX_VARINT_BYTES = 10
/** Groups in one another; of those libraries of protobuf that have a bound most have this one. */
const MAX_GROUP_LEVELS = 100
/** The bit of a byte of a number that says that another follows. */
const MORE = 0x80
/** The lowest number of a field is 1, which stands above three bits. */
const FIRST_TAG = 8
const TWO_32 = 2 ** 32

/** Bytes that protobuf cannot have where they stand. */
export class WireFault extends Error {
  override readonly name = 'WireFault'
  readonly expected: string
  readonly found: string

  constructor(expected: string, found: string) {
    super(`Cannot read protobuf: expected ${expected}, found ${found}`)
    this.expected = expected
    this.found = found
  }
}

/** Reads the parts of a protobuf message one after the other, and never beyond the end that it is given. */
export class WireCursor {
  /** Where the next part begins. */
  at = 0
  readonly #bytes: Buffer
  #low = 0
  #high = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** A number of 32 bits; of a longer one its low bits. */
  readUint32(end: number): number {
    this.#readVarint(end)
    return this.#low
  }

  readBool(end: number): boolean {
    this.#readVarint(end)
    return this.#low !== 0 || this.#high !== 0
  }

  /** A signed number of 64 bits: decimal text where a number cannot hold it. */
  readInt64(end: number): number | string {
    this.#readVarint(end)
    const number = (this.#high | 0) * TWO_32 + this.#low
    if (Number.isSafeInteger(number)) return number
    return String((BigInt(this.#high | 0) << 32n) | BigInt(this.#low))
  }

  readFixed32(end: number): number {
    return this.#bytes.readUInt32LE(this.#pass(4, end))
  }

  /** An unsigned number of 64 bits as decimal text. */
  readFixed64(end: number): string {
    return String(this.#bytes.readBigUInt64LE(this.#pass(8, end)))
  }

  readDouble(end: number): number {
    return this.#bytes.readDoubleLE(this.#pass(8, end))
  }

  /** A length, and the end of what has it; that is not passed yet. */
  readEnd(end: number): number {
    const start = this.at
    if (start < end) {
      // Most lengths take one byte.
      const byte = this.#bytes[start] ?? MORE
      if (byte < MORE && byte < end - start) {
        this.at = start + 1
        return start + 1 + byte
      }
    }
    this.#readVarint(end)
    const length = this.#high * TWO_32 + this.#low
    if (length > end - this.at)
      throw new WireFault(`At most ${end - this.at} bytes`, `${length}${this.#place()}`)
    return this.at + length
  }

  readBytes(end: number): Buffer {
    const stop = this.readEnd(end)
    const bytes = this.#bytes.subarray(this.at, stop)
    this.at = stop
    return bytes
  }

  readText(end: number): string {
    const stop = this.readEnd(end)
    const start = this.at
    this.at = stop
    return readText(this.#bytes, start, stop)
  }

  /**
   * The number of a field, and in the lowest three bits how it is written.
   *
   * @throws {WireFault} where there is no such number
   */
  readTag(end: number): number {
    if (this.at < end) {
      const byte = this.#bytes[this.at] ?? MORE
      if (byte < MORE && byte >= FIRST_TAG) {
        this.at += 1
        return byte
      }
    }
    const tag = this.readUint32(end)
    if (tag >>> 3 === 0 || this.#high !== 0)
      throw new WireFault('A field', `number ${tag >>> 3}${this.#place()}`)
    return tag
  }

  /**
   * Passes a field that nobody reads.
   *
   * @throws {WireFault} where it is not whole
   */
  skip(tag: number, end: number): void {
    const wire = tag & 7
    if (wire === WIRE_VARINT) this.#readVarint(end)
    else if (wire === WIRE_FIXED64) this.#pass(8, end)
    else if (wire === WIRE_FIXED32) this.#pass(4, end)
    else if (wire === WIRE_BYTES) this.at = this.readEnd(end)
    else if (wire === WIRE_GROUP) this.#skipGroup(tag >>> 3, end)
    else throw new WireFault('A field', `one of kind ${wire}${this.#place()}`)
  }

  /** Groups may lie in groups: a byte opens one, which takes no stack, and memory for so many only. */
  #skipGroup(number: number, end: number): void {
    const open = [number]
    while (open.length > 0) {
      const tag = this.readTag(end)
      if ((tag & 7) === WIRE_GROUP) {
        if (open.length >= MAX_GROUP_LEVELS)
          throw new WireFault(`At most ${MAX_GROUP_LEVELS} groups in one another`, `more${this.#place()}`)
        open.push(tag >>> 3)
      } else if ((tag & 7) !== WIRE_GROUP_END) this.skip(tag, end)
      else if (open.pop() !== tag >>> 3) throw new WireFault('The end of a group', `another${this.#place()}`)
    }
  }

  #readVarint(end: number): void {
    let low = 0
    let high = 0
    const stop = Math.min(end, this.at + MAX_VARINT_BYTES)
    for (let shift = 0; this.at < stop; shift += 7) {
      const byte = this.#bytes[this.at++] ?? 0
      const bits = byte & 0x7f
      if (shift < 28) low |= bits << shift
      else if (shift === 28) {
        low |= bits << 28
        high = bits >>> 4
      } else high |= bits << (shift - 32)
      if (byte < MORE) {
        this.#low = low >>> 0
        this.#high = high >>> 0
        return
      }
    }
    throw new WireFault('A whole number', `no end of one${this.#place()}`)
  }

  #pass(count: number, end: number): number {
    const start = this.at
    if (count > end - start) throw new WireFault(`${count} bytes`, `${end - start}${this.#place()}`)
    this.at = start + count
    return start
  }

  #place(): string {
    return ` before byte ${this.at}`
  }
}
