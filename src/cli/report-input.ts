import { openInput } from '../otlp/open-input.ts'

/** Something that spans are read from. */
export interface ReportInput {
  /** As the user knows it. */
  readonly name: string
  /** Stored bytes; `null` for a stream, which can be read once only and whose length nobody knows. */
  readonly bytes: number | null
  /** Whether the bytes are packed, going by the name. */
  readonly packed: boolean
  /**
   * Opens it from its start. Nothing is touched before the first chunk is asked for.
   *
   * @param onBytes told how many stored bytes each chunk has as it is read
   */
  open(onBytes?: (count: number) => void): AsyncIterable<Uint8Array>
}

/** An input that is a regular file. */
export function fileInput(name: string, path: string, bytes: number): ReportInput {
  return { name, bytes, packed: /\.(?:gz|zst)$/iu.test(path), open: (onBytes) => openInput(path, onBytes) }
}

/** An input that can be read once: standard input, or by its path a named pipe. */
export function streamInput(name: string, source: string | AsyncIterable<Uint8Array>): ReportInput {
  return { name, bytes: null, packed: false, open: (onBytes) => openInput(source, onBytes) }
}
