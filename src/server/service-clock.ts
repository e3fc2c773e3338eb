import { setTimeout as pause } from 'node:timers/promises'
import type { ReportStore, Retention } from './report-store.ts'
import { describeForLog, type ServiceLog } from './service-log.ts'
import type { TraceCloser } from './trace-closer.ts'

/** What is done from time to time, and with what. */
export interface ServiceClockOptions {
  readonly closer: Pick<TraceCloser, 'closeDue' | 'forwardDue'>
  readonly store: Pick<ReportStore, 'retain'>
  readonly retention: Retention
  readonly now: () => number
  readonly log: ServiceLog
}

const CLOSE_MS = 100
/** Long enough for a request to come all the way to its answer between two slices, which takes several turns. */
const PAUSE_MS = 5
const FORWARD_MS = 1_000
const RETAIN_MS = 60_000

/** Closes traces that are due, forwards what has waited, removes what is too old; in slices, so that requests get by. */
export class ServiceClock {
  readonly #options: ServiceClockOptions
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  #forwardedMs = -Infinity
  #retainedMs = -Infinity

  constructor(options: ServiceClockOptions) {
    this.#options = options
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Makes the reports that are due now. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    while (await this.#closeDue()) await pause(0)
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const hasMore = await this.#work()
      // Requests that have come meanwhile are served before the next slice.
      await pause(hasMore ? PAUSE_MS : CLOSE_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** @returns whether there is more to do at once */
  async #work(): Promise<boolean> {
    const { closer } = this.#options
    const started = performance.now()
    const hasMore = await this.#closeDue()
    if (started - this.#forwardedMs >= FORWARD_MS) {
      this.#forwardedMs = started
      await this.#guard('forwarding', () => closer.forwardDue().then(() => false))
    }
    if (started - this.#retainedMs < RETAIN_MS) return hasMore
    const hasOld = await this.#guard('retention', () => this.#retain())
    if (!hasOld) this.#retainedMs = started
    return hasMore || hasOld
  }

  #closeDue(): Promise<boolean> {
    return this.#guard('closing traces', () => this.#options.closer.closeDue())
  }

  /** @returns whether there is more to remove */
  #retain(): boolean {
    const { store, retention, now } = this.#options
    if (Object.keys(retention).length === 0) return false
    return store.retain(retention, now()) > 0
  }

  async #guard(name: string, work: () => Promise<boolean> | boolean): Promise<boolean> {
    try {
      return await work()
    } catch (error) {
      this.#options.log('error', `${name} failed and is tried again`, { reason: describeForLog(error) })
      return false
    }
  }
}
