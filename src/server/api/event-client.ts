/** What a client that is behind still gets, page by page. */
export interface Backlog {
  /** Frames of the next page; `null` where there is none, and the client is live from then on. */
  next(): readonly Buffer[] | null
}

/** Heartbeats that a client may leave where they are. */
const MAX_BEATS = 8

/**
 * The stream of one client: first what it missed, read as it takes it, then what is pushed. What it does not take
 * waits here, up to a limit; beyond it the stream ends, and the client resumes when it comes back.
 */
export class EventClient implements AsyncIterable<Buffer>, AsyncIterator<Buffer, undefined> {
  readonly #backlog: Backlog
  readonly #maxBytes: number
  readonly #onEnd: () => void
  #queue: Buffer[] = []
  #bytes = 0
  #beats = 0
  #isLive = false
  #hasEnded = false
  #wake: (() => void) | null = null

  /** @param onEnd called once, however the stream ends */
  constructor(backlog: Backlog, maxBytes: number, onEnd: () => void) {
    this.#backlog = backlog
    this.#maxBytes = maxBytes
    this.#onEnd = onEnd
  }

  /** It has all that was stored before, and is to be told of what comes. */
  get isLive(): boolean {
    return this.#isLive
  }

  /**
   * Adds a frame; ends the stream where more waits than may.
   *
   * @returns whether the stream goes on
   */
  push(frame: Buffer): boolean {
    if (this.#hasEnded) return false
    this.#add(frame)
    if (this.#bytes > this.#maxBytes) this.end()
    else this.#wakeUp()
    return !this.#hasEnded
  }

  /** Adds a heartbeat; ends the stream where so many wait that nobody seems to be there. Returns as `push` does. */
  beat(frame: Buffer): boolean {
    this.#beats++
    if (this.#beats > MAX_BEATS) this.end()
    return this.push(frame)
  }

  /** Ends the stream. What waits is let go: the client has the id of what it got last. */
  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#queue = []
    this.#bytes = 0
    this.#onEnd()
    this.#wakeUp()
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer, undefined> {
    return this
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    while (!this.#hasEnded) {
      this.#tryToFill()
      const chunk = this.#take()
      if (chunk !== null) return { done: false, value: chunk }
      if (this.#hasEnded) break
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return { done: true, value: undefined }
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.end()
    return { done: true, value: undefined }
  }

  #tryToFill(): void {
    try {
      this.#fill()
    } catch (error) {
      this.end()
      throw error
    }
  }

  /** Reads on in the backlog where nothing waits. Being live begins in the same step in which the backlog ends. */
  #fill(): void {
    if (this.#isLive || this.#queue.length > 0) return
    const page = this.#backlog.next()
    if (page === null) this.#isLive = true
    // A page is taken at once and is no backlog of its own, however long its rows are.
    else for (const frame of page) this.#add(frame)
  }

  #add(frame: Buffer): void {
    this.#queue.push(frame)
    this.#bytes += frame.length
  }

  #take(): Buffer | null {
    this.#beats = 0
    if (this.#queue.length === 0) return null
    const chunk = this.#queue.length === 1 ? (this.#queue[0] ?? null) : Buffer.concat(this.#queue)
    this.#queue = []
    this.#bytes = 0
    return chunk
  }

  #wakeUp(): void {
    this.#wake?.()
    this.#wake = null
  }
}
