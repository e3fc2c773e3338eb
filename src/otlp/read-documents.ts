import { constants } from 'node:buffer'
import { decompress } from './decompress.ts'
import { detectFraming, type Framing, FRAMING_HEAD_BYTES } from './detect-framing.ts'
import { DocumentAssembler } from './document-assembler.ts'
import type { DocumentItem, InputProblem } from './document-item.ts'
import { readRecord } from './read-record.ts'
import { LineSplitter } from './split-lines.ts'
import { RecordSplitter } from './split-records.ts'
import { withHead } from './with-head.ts'

/** How an input is read. */
export interface ReadOptions {
  /**
   * How many bytes a line, a document of several lines, or a record may have. A longer one is skipped and told.
   *
   * @default 268435456 (256 MiB); never more than the longest string of the engine
   */
  readonly maxLineBytes?: number | undefined
}

/** How many bytes a document may have unless something else is asked for: 256 MiB, as far as the engine allows. */
export const MAX_DOCUMENT_BYTES: number = Math.min(256 * 1024 * 1024, constants.MAX_STRING_LENGTH)

/**
 * Reads the documents of an input:
 *
 * - JSON, one document a line (JSON Lines, as the Collector's file exporter writes them), pretty-printed over many
 *   lines, or several after each other. Blank lines, `\r\n` and a byte order mark are no trouble; bytes that are not
 *   UTF-8 are read as U+FFFD.
 * - Records, each behind its length in four bytes (as the file exporter writes protobuf, and what it packs message by
 *   message): protobuf or JSON, plain or Zstandard.
 * - A protobuf message as the whole input, or several in a row.
 *
 * Each of it plain, gzip or Zstandard, told apart by the bytes. What cannot be read is told in its place, and reading
 * goes on. Holds one document at a time.
 *
 * @param chunks - The bytes as stored, in chunks of any size. What they throw is thrown on.
 * @param options - See {@link ReadOptions}.
 * @yields Documents and problems, in the order of the input.
 */
export async function* readDocuments(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadOptions = {},
): AsyncGenerator<DocumentItem> {
  const maxBytes = Math.min(options.maxLineBytes ?? MAX_DOCUMENT_BYTES, constants.MAX_STRING_LENGTH)
  let reader: DocumentReader | undefined
  let problem: InputProblem | undefined
  const unpacked = decompress(chunks, (found) => (problem = found))
  for await (const chunk of withHead(unpacked, FRAMING_HEAD_BYTES)) {
    reader ??= createReader(detectFraming(chunk), maxBytes)
    yield* reader.add(chunk)
  }
  if (reader !== undefined) yield* reader.end()
  if (problem !== undefined) yield { ...(reader?.place() ?? START), problem }
}

const START = { line: 1, offset: 0 }

/** Makes documents of the bytes of an input. */
interface DocumentReader {
  add(chunk: Buffer): Generator<DocumentItem>
  end(): Generator<DocumentItem>
  /** Where the document stands that comes next, or is not yet complete. */
  place(): { readonly line: number; readonly offset: number }
}

function createReader(framing: Framing, maxBytes: number): DocumentReader {
  return framing === 'lines' ? createLineReader(maxBytes) : createRecordReader(framing, maxBytes)
}

function createLineReader(maxBytes: number): DocumentReader {
  const lines = new LineSplitter(maxBytes)
  const documents = new DocumentAssembler(maxBytes)
  return {
    *add(chunk) {
      for (const line of lines.add(chunk)) yield* documents.add(line)
    },
    *end() {
      for (const line of lines.end()) yield* documents.add(line)
      yield* documents.end()
    },
    place: () => ({ line: lines.lineNumber, offset: lines.offset }),
  }
}

function createRecordReader(framing: Exclude<Framing, 'lines'>, maxBytes: number): DocumentReader {
  const records = new RecordSplitter(framing, maxBytes)
  return {
    *add(chunk) {
      for (const record of records.add(chunk)) yield readRecord(record, maxBytes)
    },
    *end() {
      for (const record of records.end()) yield readRecord(record, maxBytes)
    },
    place: () => ({ line: records.number, offset: records.offset }),
  }
}
