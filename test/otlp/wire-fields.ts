/** A number as protobuf writes it, of up to 64 bits. */
function varint(value: number | bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(rest)])
}

/** A field that is a number of any length. */
export function numberField(field: number, value: number | bigint): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)])
}

/** A field of bytes, text or a message, whose parts are given. */
export function bytesField(field: number, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as Uint8Array)))
  return Buffer.concat([varint(field * 8 + 2), varint(content.length), content])
}

/** A field of eight bytes that are an unsigned number. */
export function fixed64Field(field: number, value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return Buffer.concat([varint(field * 8 + 1), bytes])
}

/** A field of eight bytes that are a floating-point number. */
export function doubleField(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return Buffer.concat([varint(field * 8 + 1), bytes])
}

/** A field of four bytes that are an unsigned number. */
export function fixed32Field(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return Buffer.concat([varint(field * 8 + 5), bytes])
}

/** A field in the old form of a message, between two marks. */
export function groupField(field: number, ...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([varint(field * 8 + 3), ...parts, varint(field * 8 + 4)])
}
