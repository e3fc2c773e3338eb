import { diag } from '@opentelemetry/api'

/**
 * Stands between our code and the program that records spans: an SDK calls its processors unguarded, so that what
 * they throw breaks the code of the user.
 */
export class HostGuard {
  readonly #told = new Set<string>()
  #swallowed = 0

  /** Errors that were swallowed so far. */
  get swallowed(): number {
    return this.#swallowed
  }

  /**
   * Runs work that must not throw, nor reject where it goes on in a promise.
   *
   * @param where names the place in the first message to `diag`; later errors of the same place are only counted
   */
  run<T>(where: string, work: () => T): T | undefined {
    try {
      const result = work()
      if (isThenable(result)) result.then(undefined, (error: unknown) => this.tell(where, error))
      return result
    } catch (error) {
      this.tell(where, error)
      return undefined
    }
  }

  /** Counts an error and tells `diag` of the first one of its place. */
  tell(where: string, error: unknown): void {
    this.#swallowed++
    this.warnOnce(
      where,
      `agent-reach: an error in ${where} was swallowed, later ones are counted only`,
      error,
    )
  }

  /** Says something to `diag` once. */
  warnOnce(topic: string, message: string, detail?: unknown): void {
    if (this.#told.has(topic)) return
    this.#told.add(topic)
    try {
      if (detail === undefined) diag.warn(message)
      else diag.warn(message, detail instanceof Error ? detail.message : detail)
    } catch {
      // A logger that throws is no reason to throw.
    }
  }
}

/** A hook may be an async function, whatever its type says: what it rejects with would end the process. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
