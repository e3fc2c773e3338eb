import { constants } from 'node:buffer'
import { decompress } from './decompress.ts'
import { DocumentAssembler } from './document-assembler.ts'
import type { DocumentItem, InputProblem } from './document-item.ts'
import { LineSplitter } from './split-lines.ts'

/** How an input is read. */
export interface ReadOptions {
  /**
   * How many bytes a line, or a document of several lines, may have. A longer one is skipped and told.
   *
   * @default 268435456 (256 MiB); never more than the longest string of the engine
   */
  readonly maxLineBytes?: number | undefined
}

const DEFAULT_MAX_LINE_BYTES = 256 * 1024 * 1024

/**
 * Reads the JSON documents of an input: one a line (JSON Lines, as the Collector's file exporter writes them),
 * pretty-printed over many lines, or several after each other; plain or gzip, told apart by their bytes. Blank
 * lines, `\r\n` and a byte order mark are no trouble; bytes that are not UTF-8 are read as U+FFFD. What cannot
 * be read is told in its place, and reading goes on. Holds one document at a time.
 *
 * @param chunks - The bytes as stored, in chunks of any size. What they throw is thrown on.
 * @param options - See {@link ReadOptions}.
 * @yields Documents and problems, in the order of the input.
 */
export async function* readDocuments(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadOptions = {},
): AsyncGenerator<DocumentItem> {
  const maxBytes = Math.min(options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES, constants.MAX_STRING_LENGTH)
  const lines = new LineSplitter(maxBytes)
  const documents = new DocumentAssembler(maxBytes)
  let problem: InputProblem | undefined
  const unpacked = decompress(chunks, (found) => (problem = found))
  for await (const chunk of unpacked) {
    for (const line of lines.add(chunk)) yield* documents.add(line)
  }
  for (const line of lines.end()) yield* documents.add(line)
  yield* documents.end()
  if (problem !== undefined) yield { line: lines.lineNumber, offset: lines.offset, problem }
}
