import { isWhiteSpace } from './parse-bytes.ts'
import { isZstandard } from './zstd-frames.ts'

/**
 * How the documents of an input are told apart: `lines`, they are text; `records`, before each is its length in four
 * bytes; `fields`, the input is one protobuf message, or several in a row, which is the same.
 */
export type Framing = 'lines' | 'records' | 'fields'

/** How many bytes of an input {@link detectFraming} wants to see. */
export const FRAMING_HEAD_BYTES = 512

const LENGTH_BYTES = 4
const SPACE = 0x20
const OPEN_OBJECT = 0x7b
/** The first field of a message, written as bytes with their length. It is also a line feed. */
const FIRST_FIELD = 0x0a
/** Lengths of more than 144 MiB begin with bytes that text may begin with. */
const MAX_LENGTH_BYTE = 8

/**
 * Tells from its first bytes how an input is to be cut. What is neither of the binary forms is text, whatever it is.
 *
 * @param head - The first {@link FRAMING_HEAD_BYTES}, or all there are.
 */
export function detectFraming(head: Buffer): Framing {
  if ((head[0] ?? SPACE) <= MAX_LENGTH_BYTE) return isRecord(head, 0) ? 'records' : 'lines'
  // JSON has no control characters but white space; a message has its lengths and the kinds of its fields.
  return head[0] === FIRST_FIELD && head.some(isControl) ? 'fields' : 'lines'
}

function isRecord(head: Buffer, start: number): boolean {
  if (head.length < start + LENGTH_BYTES) return false
  const body = head.subarray(start + LENGTH_BYTES)
  if (head.readUInt32BE(start) > 0)
    return isZstandard(body) || body[0] === FIRST_FIELD || body[0] === OPEN_OBJECT
  // An empty request; zeros alone are what a crash leaves behind in a file.
  return body.length > 0 && start < head.length && isRecord(head, start + LENGTH_BYTES)
}

function isControl(byte: number): boolean {
  return byte < SPACE && !isWhiteSpace(byte)
}
