/** Called after reports were stored; what was stored is read from the store. */
export type StoredListener = () => void

/**
 * Tells that reports were stored. What makes them calls `publish` after each commit; whoever shows them live listens.
 * It carries no reports: the store has them in order, and a listener that was late misses none.
 */
export class ReportFeed {
  readonly #listeners = new Set<StoredListener>()

  /** Tells every listener. One that throws keeps none of the others from hearing of it, nor the caller from going on. */
  publish(): void {
    for (const listener of this.#listeners) {
      try {
        listener()
      } catch {
        // Reports are stored by now; a page that cannot show them live is no reason to fail.
      }
    }
  }

  /** @returns a function that ends it */
  subscribe(listener: StoredListener): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }
}
