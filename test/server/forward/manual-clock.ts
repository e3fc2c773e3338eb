interface Sleeper {
  readonly untilMs: number
  readonly wake: () => void
}

/** A clock that stands still until it is told how much time has passed. */
export class ManualClock {
  #nowMs = 1_764_460_800_000
  readonly #sleepers = new Set<Sleeper>()

  readonly now = (): number => this.#nowMs

  readonly sleep = (millis: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const sleeper = { untilMs: this.#nowMs + millis, wake: resolve }
      this.#sleepers.add(sleeper)
      signal.addEventListener('abort', () => {
        this.#sleepers.delete(sleeper)
        resolve()
      })
    })

  advance(millis: number): void {
    this.#nowMs += millis
    for (const sleeper of this.#sleepers) {
      if (sleeper.untilMs > this.#nowMs) continue
      this.#sleepers.delete(sleeper)
      sleeper.wake()
    }
  }
}
