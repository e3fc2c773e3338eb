import { isAscii, isUtf8, transcode } from 'node:buffer'

const MAX_SHORT = 96

/**
 * Parses UTF-8 bytes as one JSON value; bytes that are not UTF-8 are read as U+FFFD.
 *
 * @returns The value in a box, as it may be `null` or `false`; `undefined` if the bytes are not JSON.
 */
export function parseBytes(bytes: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(toText(bytes)) as unknown }
  } catch {
    return undefined
  }
}

/**
 * Text of UTF-8 bytes. Before Node 24 `toString('utf8')` is several times slower than these two ways for what it is
 * not needed for: bytes that are ASCII only, and bytes that are valid UTF-8.
 */
export function toText(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1')
  return isUtf8(bytes) ? transcode(bytes, 'utf8', 'utf16le').toString('utf16le') : bytes.toString('utf8')
}

/**
 * Text of the UTF-8 bytes from `start` to `end`. A short one in ASCII is read where it stands: to make a view of its bytes
 * would take longer.
 */
export function readText(bytes: Buffer, start: number, end: number): string {
  if (end - start > MAX_SHORT) return toText(bytes.subarray(start, end))
  for (let i = start; i < end; i++) {
    if ((bytes[i] ?? 0) >= 0x80) return toText(bytes.subarray(start, end))
  }
  return bytes.toString('latin1', start, end)
}

/** Whether there is nothing but JSON white space. */
export function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) {
    if (!isWhiteSpace(byte)) return false
  }
  return true
}

/** Whether the byte is JSON white space: space, tab, line feed or carriage return. */
export function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
}

/** The bytes without a UTF-8 byte order mark at their start. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}
