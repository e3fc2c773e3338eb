import type { QueuedForward, ReportStore } from './report-store.ts'

/** The part of the store that a sender needs. */
export type ForwardStore = Pick<ReportStore, 'queuedForwards' | 'removeForward' | 'noteForwardAttempt'>

/** Bodies that failed and wait: so many are passed over, then the first of them is waited for. */
const WINDOW = 32

/** The queue of the store, and which of its bodies are under way or wait to be tried again. */
export class ForwardQueue {
  readonly #store: ForwardStore
  readonly #underWay = new Set<number>()
  /** When each of those that failed may be tried again, in milliseconds since the Unix epoch. */
  readonly #notBefore = new Map<number, number>()
  /** They have arrived, and the store could not remove them. */
  readonly #arrived = new Set<number>()

  constructor(store: ForwardStore) {
    this.#store = store
  }

  /** How many are under way. */
  get underWay(): number {
    return this.#underWay.size
  }

  /**
   * Takes bodies to send, the oldest first.
   *
   * @throws {StoreError} where the store cannot be read or written
   */
  take(most: number, nowMs: number): readonly QueuedForward[] {
    for (const id of this.#arrived) this.remove(id)
    const passed = this.#underWay.size + Math.min(this.#notBefore.size, WINDOW)
    const queued = this.#store.queuedForwards(passed + most)
    this.#forgetBefore(queued[0]?.id ?? Infinity)
    const due = queued
      .filter(({ id }) => !this.#underWay.has(id) && (this.#notBefore.get(id) ?? 0) <= nowMs)
      .slice(0, most)
    for (const { id } of due) this.#underWay.add(id)
    return due
  }

  /** When the first of those that wait may be tried again; `Infinity` where none waits. */
  get nextMs(): number {
    return Math.min(Infinity, ...this.#notBefore.values())
  }

  /** It is not under way any more, and stays in the queue. */
  putBack(id: number): void {
    this.#underWay.delete(id)
  }

  /**
   * It has failed and is not to be tried before.
   *
   * @throws {StoreError} where the store cannot be written
   */
  defer(id: number, untilMs: number): void {
    this.#underWay.delete(id)
    this.#notBefore.set(id, untilMs)
    this.#store.noteForwardAttempt(id)
  }

  /**
   * It has arrived, or is given up. Where the store fails it is not sent again, but removed later.
   *
   * @throws {StoreError} where the store cannot be written
   */
  remove(id: number): void {
    this.#arrived.add(id)
    this.#store.removeForward(id)
    this.#arrived.delete(id)
    this.#underWay.delete(id)
    this.#notBefore.delete(id)
  }

  /** What was removed by others waits no longer. */
  #forgetBefore(firstId: number): void {
    for (const id of this.#notBefore.keys()) if (id < firstId) this.#notBefore.delete(id)
  }
}
