import type { Writable } from 'node:stream'

/**
 * Writes text to a stream, as fast as the stream takes it. A reader that has gone away (`agent-reach … | head`) is
 * no error: what is written after that goes nowhere.
 */
export class TextOutput {
  readonly #stream: Writable
  #isClosed = false
  #error: Error | null = null

  constructor(stream: Writable) {
    this.#stream = stream
    // Without a listener the error of a pipe would end the process with a stack trace.
    stream.on('error', (error: NodeJS.ErrnoException) => this.#fail(error))
  }

  /** Whether nobody reads any more. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /**
   * Resolves when the stream has taken the text.
   *
   * @throws the error of the stream, other than that its reader has gone away
   */
  async write(text: string): Promise<void> {
    if (text !== '' && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#stream.write(text, (error) => {
          // The listener is called only later.
          if (error !== null && error !== undefined) this.#fail(error)
          resolve()
        })
      })
    }
    if (this.#error !== null) throw this.#error
  }

  #fail(error: NodeJS.ErrnoException): void {
    this.#isClosed = true
    if (error.code !== 'EPIPE') this.#error ??= error
  }
}
