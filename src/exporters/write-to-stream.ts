import type { Writable } from 'node:stream'

/**
 * Writes a text to a stream and waits until the stream has taken it, so that a reader who is slow is waited for.
 *
 * The caller listens to `error` of the stream, which comes beside the rejection and would else end the process.
 *
 * @throws {Error} the error of the stream, as when its reader has gone (`EPIPE`) or it is closed
 */
export async function writeToStream(stream: Writable, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    // A stream that is destroyed while it writes may never answer.
    const onClose = (): void => reject(stream.errored ?? new Error('the stream is closed'))
    stream.once('close', onClose)
    stream.write(text, (error) => {
      stream.off('close', onClose)
      if (error === null || error === undefined) resolve()
      else reject(error)
    })
  })
}
