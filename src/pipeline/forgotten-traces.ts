/** How a trace was left when it was forgotten. */
export interface ForgottenTrace {
  /** Of its last report, those that are still to come included; 0 where there was none. */
  readonly revision: number
  /** Spans that were known of it. */
  readonly spans: number
}

/** How many are remembered, the last ones: 20,000. */
const LIMIT = 20_000

/** Traces that were let go, as far as they are remembered: what still comes of them is late. */
export class ForgottenTraces {
  readonly #left = new Map<string, ForgottenTrace>()

  has(traceId: string): boolean {
    return this.#left.has(traceId)
  }

  add(traceId: string, left: ForgottenTrace): void {
    this.#left.set(traceId, left)
    if (this.#left.size <= LIMIT) return
    const [oldest] = this.#left.keys()
    if (oldest !== undefined) this.#left.delete(oldest)
  }

  /** Gives back how a trace was left that goes on; it is forgotten no more. */
  take(traceId: string): ForgottenTrace | undefined {
    const left = this.#left.get(traceId)
    this.#left.delete(traceId)
    return left
  }
}
