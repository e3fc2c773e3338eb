import { unrefTimer } from '../pipeline/unref-timer.ts'
import type { ChainReport } from '../report/chain-report.ts'
import type { ReportSink } from '../report/report-sink.ts'
import { toClosedError } from './closed-error.ts'
import { isDoneWithin } from './is-done-within.ts'
import { requireTimerMillis, requireWholeNumber } from './require-whole-number.ts'
import { toError } from './to-error.ts'

/** What became of the reports that a queued sink took. */
export interface QueueCounts {
  /** Not written yet, those under way included. */
  readonly waiting: number
  /** Taken by the sink below. */
  readonly written: number
  /** Refused by the sink below, or still waiting when the time of `close` was over. */
  readonly failed: number
  /** Thrown away because the queue was full. */
  readonly dropped: number
}

/** How a queue is kept. */
export interface QueuedOptions {
  /**
   * Reports that wait at most; the oldest is dropped when another one comes. Up to 32 more are under way.
   *
   * @default 1000
   */
  readonly maxQueueSize?: number
  /**
   * How long a report waits at most before the queue is written and flushed, in milliseconds. A queue that is half
   * full is written at once.
   *
   * @default 2000
   */
  readonly flushIntervalMillis?: number
  /**
   * How long `close` takes at most, in milliseconds.
   *
   * @default 5000
   */
  readonly closeTimeoutMillis?: number
  /** Called with each report that is dropped, and with how many there are so far. What it throws is ignored. */
  readonly onDrop?: (report: ChainReport, dropped: number) => void
  /**
   * Called when the sink below begins to fail, once until it did well again, and after `close` if anything could not
   * be written. What it throws is ignored.
   */
  readonly onError?: (error: Error, counts: QueueCounts) => void
}

/** A sink that can tell what became of its reports. */
export interface QueuedSink extends ReportSink {
  /** As it is now. */
  readonly counts: QueueCounts
}

/** Reports that are handed to the sink below at a time. */
const BATCH = 32

/**
 * Creates a sink that takes reports at once and writes them in the background, for programs that must neither wait
 * for a sink nor fail with it. Its timer does not hold a process; a program that ends calls `close`.
 *
 * `write` rejects after `close` and never else. `flush` resolves when everything that was written before it has been
 * handed over and the sink below was flushed; `close` does the same, closes the sink below and waits no longer than
 * its time. Neither rejects: errors go to `onError`. A report that the sink below refuses is not tried again, put
 * `retrying` in between for that; after a failure the background waits for its next time.
 *
 * @throws {RangeError} where a number is not whole or too low: 1 for the queue and the interval, 0 for `close`
 */
export function queued(sink: ReportSink, options: QueuedOptions = {}): QueuedSink {
  return new BackgroundSink(sink, options)
}

class BackgroundSink implements QueuedSink {
  readonly #sink: ReportSink
  readonly #options: QueuedOptions
  readonly #maxQueueSize: number
  readonly #flushIntervalMillis: number
  readonly #closeTimeoutMillis: number
  /** Oldest first. */
  #waiting: ChainReport[] = []
  #accepted = 0
  #written = 0
  #failed = 0
  #dropped = 0
  /** What the sink below fails at and was told of. */
  readonly #failing = new Set<'write' | 'flush'>()
  /** The end of the last piece of work: pieces run one after another and never reject. */
  #work: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #isInBackground = false
  #isOver = false
  #closing: Promise<void> | undefined
  #closingSink: Promise<void> | undefined

  constructor(sink: ReportSink, options: QueuedOptions) {
    const { maxQueueSize = 1_000, flushIntervalMillis = 2_000, closeTimeoutMillis = 5_000 } = options
    const of = 'a queued sink'
    this.#sink = sink
    this.#options = options
    this.#maxQueueSize = requireWholeNumber({ of, name: 'maxQueueSize', value: maxQueueSize, minimum: 1 })
    this.#flushIntervalMillis = requireTimerMillis({
      of,
      name: 'flushIntervalMillis',
      value: flushIntervalMillis,
      minimum: 1,
    })
    this.#closeTimeoutMillis = requireTimerMillis({
      of,
      name: 'closeTimeoutMillis',
      value: closeTimeoutMillis,
      minimum: 0,
    })
  }

  get counts(): QueueCounts {
    return {
      waiting: this.#accepted - this.#finished,
      written: this.#written,
      failed: this.#failed,
      dropped: this.#dropped,
    }
  }

  /** Reports of which it is known what became; the oldest ones, as the queue keeps its order. */
  get #finished(): number {
    return this.#written + this.#failed + this.#dropped
  }

  async write(report: ChainReport): Promise<void> {
    if (this.#closing !== undefined) throw toClosedError(report, 'queued sink')
    const oldest = this.#waiting.length < this.#maxQueueSize ? undefined : this.#waiting.shift()
    this.#waiting.push(report)
    this.#accepted++
    if (oldest !== undefined) {
      const dropped = ++this.#dropped
      ignoreErrors(() => this.#options.onDrop?.(oldest, dropped))
    }
    this.#schedule()
  }

  flush(): Promise<void> {
    if (this.#closing !== undefined) return this.#closing
    const target = this.#accepted
    return this.#append(async () => {
      await this.#drain(target)
      await this.#flushSink()
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Sees to it that what waits is written: at once where that is much, else after a while. */
  #schedule(): void {
    if (this.#isInBackground || this.#closing !== undefined || this.#waiting.length === 0) return
    // A sink that fails is left alone until the next time; the queue is there to fill meanwhile.
    if (this.#waiting.length * 2 >= this.#maxQueueSize && this.#failing.size === 0) this.#writeInBackground()
    else this.#timer ??= unrefTimer(setTimeout(() => this.#writeInBackground(), this.#flushIntervalMillis))
  }

  #writeInBackground(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#isInBackground || this.#waiting.length === 0) return
    this.#isInBackground = true
    const target = this.#accepted
    void this.#append(async () => {
      await this.#drain(target, true)
      await this.#flushSink()
      this.#isInBackground = false
      this.#schedule()
    })
  }

  #append(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work)
    return this.#work
  }

  /** Writes until as many reports are finished as are given, or until the first failure. */
  async #drain(target: number, untilFailure = false): Promise<void> {
    while (!this.#isOver && this.#waiting.length > 0 && this.#finished < target) {
      await this.#writeBatch()
      if (untilFailure && this.#failing.has('write')) return
    }
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#waiting.splice(0, BATCH)
    const results = await Promise.allSettled(batch.map(async (report) => this.#sink.write(report)))
    // What comes in after the end was counted as failed.
    if (this.#isOver) return
    const errors = results.flatMap((result): unknown[] =>
      result.status === 'rejected' ? [result.reason] : [],
    )
    this.#written += batch.length - errors.length
    this.#failed += errors.length
    this.#settle('write', errors)
  }

  async #flushSink(): Promise<void> {
    if (this.#isOver) return
    const [result] = await Promise.allSettled([(async () => this.#sink.flush())()])
    if (!this.#isOver) this.#settle('flush', result.status === 'rejected' ? [result.reason] : [])
  }

  #settle(what: 'write' | 'flush', errors: readonly unknown[]): void {
    if (errors.length === 0) this.#failing.delete(what)
    else if (!this.#failing.has(what)) {
      this.#failing.add(what)
      this.#tell(errors[0])
    }
  }

  #tell(reason: unknown): void {
    const error = toError(reason)
    ignoreErrors(() => this.#options.onError?.(error, this.counts))
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer)
    const done = this.#append(async () => {
      await this.#drain(this.#accepted)
      await this.#closeSink()
    })
    const isDone = await isDoneWithin(done, this.#closeTimeoutMillis)
    const left = this.#accepted - this.#finished
    const refused = this.#failed
    this.#isOver = true
    this.#failed += left
    this.#waiting = []
    // The sink may still let go of what it holds, but nobody waits for it any more.
    if (!isDone) void this.#closeSink()
    if (this.#failed + this.#dropped > 0) this.#tell(this.#toLossError(refused, left))
    else if (!isDone) {
      const within = `within ${this.#closeTimeoutMillis} ms`
      this.#tell(new Error(`Cannot close the sink: expected it to be closed ${within}, found it still open`))
    }
  }

  #closeSink(): Promise<void> {
    this.#closingSink ??= (async () => this.#sink.close())().catch((error: unknown) => this.#tell(error))
    return this.#closingSink
  }

  #toLossError(refused: number, left: number): Error {
    const lost = `Cannot write ${this.#failed + this.#dropped} of ${this.#accepted} reports`
    const parts = [
      `${refused} refused`,
      `${this.#dropped} dropped from a full queue`,
      `${left} not written after ${this.#closeTimeoutMillis} ms`,
    ]
    return new Error(`${lost}: expected the sink to take them, found ${parts.join(', ')}`)
  }
}

/** A callback of the caller must not stop the queue. */
function ignoreErrors(run: () => void): void {
  try {
    run()
  } catch {
    // There is nobody to tell: this was how errors are told.
  }
}
