/** What one request holds of the gate. */
export interface ReceiveLease {
  /**
   * Has the request hold so many bytes in all, if it does not hold more already.
   *
   * @returns `false` where the bytes of all requests would be more than may be; nothing changes then
   */
  reserve(bytes: number): boolean
  /** Gives all back. */
  release(): void
}

/** Bounds how many requests are in work, and how many bytes of bodies, unpacked, they hold together. */
export class ReceiveGate {
  readonly #maxRequests: number
  readonly #maxBytes: number
  #requests = 0
  #bytes = 0

  constructor(maxRequests: number, maxBytes: number) {
    this.#maxRequests = maxRequests
    this.#maxBytes = maxBytes
  }

  /** Requests in work. */
  get requests(): number {
    return this.#requests
  }

  /** Bytes that they hold. */
  get bytes(): number {
    return this.#bytes
  }

  /** @returns nothing where as many requests are in work as may be, or hold as many bytes */
  enter(): ReceiveLease | undefined {
    if (this.#requests >= this.#maxRequests || this.#bytes >= this.#maxBytes) return undefined
    this.#requests++
    let held = 0
    let isHeld = true
    return {
      reserve: (bytes) => {
        const more = Math.max(0, bytes - held)
        if (this.#bytes + more > this.#maxBytes) return false
        this.#bytes += more
        held += more
        return true
      },
      release: () => {
        if (!isHeld) return
        isHeld = false
        this.#requests--
        this.#bytes -= held
      },
    }
  }
}
