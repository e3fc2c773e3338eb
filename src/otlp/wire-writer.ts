import { WIRE_BYTES, WIRE_FIXED32, WIRE_FIXED64, WIRE_VARINT } from './wire-cursor.ts'

const MAX_VARINT_BYTES = 10
const TWO_32 = 2 ** 32

/** Writes a protobuf message, field by field, into bytes that grow. */
export class WireWriter {
  #bytes: Buffer
  #at = 0

  /** @param capacity Bytes that it has from the start. */
  constructor(capacity: number = 256) {
    this.#bytes = Buffer.allocUnsafe(capacity)
  }

  /** What was written. Nothing may be written after it. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#at)
  }

  /** An unsigned number below 2^53; of one below 0 the 64 bits of its complement. */
  varint(field: number, value: number): void {
    this.#reserve(2 * MAX_VARINT_BYTES)
    this.#number(field * 8 + WIRE_VARINT)
    this.#number64(value >>> 0, Math.floor(value / TWO_32))
  }

  /** A signed number of 64 bits. */
  int64(field: number, value: bigint): void {
    this.#reserve(2 * MAX_VARINT_BYTES)
    this.#number(field * 8 + WIRE_VARINT)
    this.#number64(Number(value & 0xffff_ffffn), Number((value >> 32n) & 0xffff_ffffn))
  }

  bool(field: number, value: boolean): void {
    this.varint(field, value ? 1 : 0)
  }

  fixed32(field: number, value: number): void {
    this.#reserve(MAX_VARINT_BYTES + 4)
    this.#number(field * 8 + WIRE_FIXED32)
    this.#at = this.#bytes.writeUInt32LE(value >>> 0, this.#at)
  }

  fixed64(field: number, value: bigint): void {
    this.#reserve(MAX_VARINT_BYTES + 8)
    this.#number(field * 8 + WIRE_FIXED64)
    this.#at = this.#bytes.writeBigUInt64LE(value, this.#at)
  }

  double(field: number, value: number): void {
    this.#reserve(MAX_VARINT_BYTES + 8)
    this.#number(field * 8 + WIRE_FIXED64)
    this.#at = this.#bytes.writeDoubleLE(value, this.#at)
  }

  /** Text as UTF-8; a half of a surrogate pair becomes U+FFFD. */
  text(field: number, value: string): void {
    const length = Buffer.byteLength(value)
    this.header(field, length)
    this.#reserve(length)
    this.#at += this.#bytes.write(value, this.#at, length, 'utf8')
  }

  bytes(field: number, value: Uint8Array): void {
    this.header(field, value.length)
    this.#reserve(value.length)
    this.#bytes.set(value, this.#at)
    this.#at += value.length
  }

  /** Fields that were written before. */
  raw(fields: Buffer): void {
    this.#reserve(fields.length)
    this.#at += fields.copy(this.#bytes, this.#at)
  }

  /** A field with the bytes of another message. */
  slice(field: number, source: Buffer, start: number, end: number): void {
    this.header(field, end - start)
    this.copy(source, start, end)
  }

  /** Whole fields of another message. */
  copy(source: Buffer, start: number, end: number): void {
    this.#reserve(end - start)
    this.#at += source.copy(this.#bytes, this.#at, start, end)
  }

  /** The beginning of a field of `length` bytes, which are written next. */
  header(field: number, length: number): void {
    this.#reserve(2 * MAX_VARINT_BYTES)
    this.#number(field * 8 + WIRE_BYTES)
    this.#number(length)
  }

  /** The beginning of a message of unknown length. @returns what {@link end} wants */
  begin(field: number): number {
    this.#reserve(MAX_VARINT_BYTES + 1)
    this.#number(field * 8 + WIRE_BYTES)
    this.#at += 1
    return this.#at
  }

  /** The end of the message that began there. Messages end in the opposite order of their beginnings. */
  end(start: number): void {
    const length = this.#at - start
    const more = varintBytes(length) - 1
    if (more > 0) {
      this.#reserve(more)
      this.#bytes.copyWithin(start + more, start, this.#at)
    }
    this.#at = start - 1
    this.#number(length)
    this.#at = start + more + length
  }

  #number(value: number): void {
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.#at++] = (rest % 0x80) | 0x80
    this.#bytes[this.#at++] = rest
  }

  #number64(low: number, high: number): void {
    let lower = low
    let upper = high >>> 0
    while (upper > 0 || lower >= 0x80) {
      this.#bytes[this.#at++] = (lower & 0x7f) | 0x80
      lower = ((lower >>> 7) | (upper << 25)) >>> 0
      upper >>>= 7
    }
    this.#bytes[this.#at++] = lower
  }

  #reserve(count: number): void {
    const needed = this.#at + count
    if (needed <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(grown, 0, 0, this.#at)
    this.#bytes = grown
  }
}

/** How many bytes a field has of so many bytes, whose number is below 16. */
export function fieldBytes(length: number): number {
  return 1 + varintBytes(length) + length
}

function varintBytes(value: number): number {
  let count = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) count += 1
  return count
}
