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
  #timer: NodeJS.Timeout | undefined
  #isRunning = false
  #forwardedMs = -Infinity
  #retainedMs = -Infinity

  constructor(options: ServiceClockOptions) {
    this.#options = options
  }

  start(): void {
    this.#isRunning = true
    this.#timer = setTimeout(() => this.#tick(), 0)
  }

  /** Makes the reports that are due now. */
  async stop(): Promise<void> {
    this.#isRunning = false
    clearTimeout(this.#timer)
    while (this.#guard('closing traces', () => this.#options.closer.closeDue())) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  #tick(): void {
    if (!this.#isRunning) return
    const { closer } = this.#options
    const started = performance.now()
    let hasMore = this.#guard('closing traces', () => closer.closeDue())
    if (started - this.#forwardedMs >= FORWARD_MS) {
      this.#forwardedMs = started
      this.#guard('forwarding', () => {
        closer.forwardDue()
        return false
      })
    }
    if (started - this.#retainedMs >= RETAIN_MS) {
      const isDone = !this.#guard('retention', () => this.#retain())
      if (isDone) this.#retainedMs = started
      else hasMore = true
    }
    // Requests that have come meanwhile are served before the next slice.
    this.#timer = setTimeout(() => this.#tick(), hasMore ? PAUSE_MS : CLOSE_MS)
  }

  /** @returns whether there is more to remove */
  #retain(): boolean {
    const { store, retention, now } = this.#options
    if (Object.keys(retention).length === 0) return false
    return store.retain(retention, now()) > 0
  }

  #guard(name: string, work: () => boolean): boolean {
    try {
      return work()
    } catch (error) {
      this.#options.log('error', `${name} failed and is tried again`, { reason: describeForLog(error) })
      return false
    }
  }
}
