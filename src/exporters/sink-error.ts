/** What a sink knows of a write that failed. */
export interface SinkErrorOptions {
  /** The same write may do later: the other side is busy or cannot be reached. */
  readonly retryable: boolean
  /** How long the other side asks to wait before the next attempt, in milliseconds; left out where it says nothing. */
  readonly retryAfterMillis?: number | undefined
  /** The error below. */
  readonly cause?: unknown
}

/** Says why a sink could not write a report, and whether it is of use to try again. */
export class SinkError extends Error {
  override readonly name: string = 'SinkError'
  /** The same write may do later: the other side is busy or cannot be reached. */
  readonly retryable: boolean
  /** How long the other side asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMillis: number | undefined

  constructor(message: string, options: SinkErrorOptions) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.retryable = options.retryable
    this.retryAfterMillis = options.retryAfterMillis
  }
}
