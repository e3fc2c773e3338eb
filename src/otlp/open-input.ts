import { createReadStream } from 'node:fs'

const CHUNK_BYTES = 1024 * 1024

/**
 * Opens an input for reading: a file by its path, or a stream that is open already, such as standard input.
 * Nothing is opened before the first chunk is asked for, so that many inputs can be prepared at once. A file can
 * be read again by a further call, a stream cannot.
 *
 * @param source - The path of a file, or the stream.
 * @param onBytes - Told how many bytes each chunk has as it is read, before any unpacking.
 * @yields The bytes as stored, of files in chunks of 1 MiB.
 * @throws {Error} While reading, the error of the file system, as when there is no such file (`ENOENT`).
 */
export async function* openInput(
  source: string | AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterable<Uint8Array> =
    typeof source === 'string' ? createReadStream(source, { highWaterMark: CHUNK_BYTES }) : source
  for await (const chunk of chunks) {
    onBytes(chunk.byteLength)
    yield chunk
  }
}
