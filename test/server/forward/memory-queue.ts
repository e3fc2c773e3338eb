import type { ForwardStore } from '../../../src/server/forward-queue.ts'
import type { QueuedForward } from '../../../src/server/report-store.ts'

/** The forwarding queue of a store, in memory. */
export class MemoryQueue implements ForwardStore {
  readonly queued: QueuedForward[] = []
  /** What the removal of a body throws, if anything. */
  fault: Error | null = null
  #lastId = 0

  put(body: Buffer, queuedMs: number): number {
    const id = ++this.#lastId
    this.queued.push({ id, traceId: '0af7651916cd43dd8448eb211c80319c', body, attempts: 0, queuedMs })
    return id
  }

  get ids(): readonly number[] {
    return this.queued.map(({ id }) => id)
  }

  queuedForwards(limit: number): readonly QueuedForward[] {
    return this.queued.slice(0, limit)
  }

  removeForward(id: number): void {
    if (this.fault !== null) throw this.fault
    const at = this.queued.findIndex((forward) => forward.id === id)
    if (at >= 0) this.queued.splice(at, 1)
  }

  noteForwardAttempt(id: number): void {
    const at = this.queued.findIndex((forward) => forward.id === id)
    const found = this.queued[at]
    if (found !== undefined) this.queued[at] = { ...found, attempts: found.attempts + 1 }
  }
}
