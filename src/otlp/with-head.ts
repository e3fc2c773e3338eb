/**
 * Passes bytes on with a first chunk that has at least `headBytes`, if there are as many, so that what they are can be
 * told by looking at it.
 *
 * @param chunks - The bytes, in chunks of any size.
 * @param headBytes - How many bytes are looked at.
 * @yields The same bytes.
 */
export async function* withHead(
  chunks: AsyncIterable<Uint8Array>,
  headBytes: number,
): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    if (head === undefined) {
      yield bytes
      continue
    }
    head = head.length === 0 ? bytes : Buffer.concat([head, bytes])
    if (head.length < headBytes) continue
    yield head
    head = undefined
  }
  if (head !== undefined && head.length > 0) yield head
}
