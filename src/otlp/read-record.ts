import { decodeMessage } from './decode-message.ts'
import { type DocumentItem, type InputProblem, notJson, type UnreadDocument } from './document-item.ts'
import { excerpt } from './excerpt.ts'
import { parseBytes } from './parse-bytes.ts'
import type { InputRecord } from './split-records.ts'
import { unpackZstd } from './unpack-zstd.ts'
import { isZstandard } from './zstd-frames.ts'

const OPEN_OBJECT = 0x7b

/** Reads the document of a record: JSON or protobuf, plain or Zstandard, told apart by their bytes. */
export function readRecord(record: InputRecord, maxBytes: number): DocumentItem {
  const { size, bytes, isComplete } = record
  if (bytes === undefined) {
    return unread(record, {
      expected: `A record of at most ${maxBytes} bytes`,
      found: `one of ${size} bytes`,
      torn: false,
    })
  }
  if (!isComplete) {
    const found = size === 0 ? 'The end of the input' : `${bytes.length} of ${size} bytes`
    return unread(record, { expected: 'A record that is complete', found, torn: true })
  }
  const content = unpackRecord(bytes, maxBytes)
  return Buffer.isBuffer(content) ? readContent(record, content) : unread(record, content)
}

/** The content of a record as meant, or why it cannot be unpacked. */
export function unpackRecord(bytes: Buffer, maxBytes: number): Buffer | InputProblem {
  return isZstandard(bytes) ? unpackZstd(bytes, maxBytes) : bytes
}

/** Whether the content of a record is text; else it is a protobuf message. */
export function isTextContent(content: Buffer): boolean {
  return content[0] === OPEN_OBJECT
}

function readContent(record: InputRecord, content: Buffer): DocumentItem {
  const { number, end } = record
  if (isTextContent(content)) {
    const parsed = parseBytes(content)
    return parsed === undefined
      ? notJson(number, end, content, false)
      : { line: number, offset: end, value: parsed.value }
  }
  const { value, damage, damagedTraces } = decodeMessage(content)
  const [first] = damage
  if (Object.keys(value).length === 0 && content.length > 0) {
    const expected = 'A record with an OTLP message of traces'
    const found = first === undefined ? 'other fields' : excerpt(first.found)
    return unread(record, { expected, found, torn: false })
  }
  const rest = damage.length === 0 ? {} : { damage: { rejected: damage, traces: damagedTraces } }
  return { line: number, offset: end, value, ...rest }
}

function unread({ number, end }: InputRecord, problem: InputProblem): UnreadDocument {
  return { line: number, offset: end, problem }
}
