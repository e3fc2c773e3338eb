/** A step below that failed, as far as an error above it can be explained by it. */
export interface FailureBelow {
  readonly nodeName: string
  readonly spanId: string
  /** Digest of the error's type and message; `null` where it failed without an error. */
  readonly errorDigest: string | null
}

/** How many failures below one step are told apart. */
const LIMIT = 16

/**
 * The failed steps below one that is still open, for its own mark: an error that one of them explains is told where
 * it broke. What is known so far: the report weighs it again, over the whole chain.
 */
export class FailuresBelow {
  /** The last failure of each node among the children; a later success of the node takes it away. */
  readonly #children = new Map<string, FailureBelow>()
  #deeper: FailureBelow[] = []

  /** Notes how a child ended, with the failures below it. */
  note(nodeName: string, failure: FailureBelow | null, below: FailuresBelow | null): void {
    if (failure === null) this.#children.delete(nodeName)
    else if (this.#children.size < LIMIT) this.#children.set(nodeName, failure)
    if (below !== null) this.#deeper = [...this.#deeper, ...below.all()].slice(0, LIMIT)
  }

  /** Takes over what is known below a span that is no step itself. */
  absorb(below: FailuresBelow): void {
    for (const [nodeName, failure] of below.#children) this.note(nodeName, failure, null)
    this.#deeper = [...this.#deeper, ...below.#deeper].slice(0, LIMIT)
  }

  /** The failure that explains an error: one with the same type and message, or that of the only failed child. */
  explain(errorDigest: string): FailureBelow | null {
    const same = this.all().find((failure) => failure.errorDigest === errorDigest)
    const only = this.#children.size === 1 ? [...this.#children.values()][0] : undefined
    return same ?? only ?? null
  }

  /** Every failure that is not made good. */
  all(): readonly FailureBelow[] {
    return [...this.#children.values(), ...this.#deeper]
  }
}
