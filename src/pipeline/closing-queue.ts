import type { LiveLimits } from './live-limits.ts'
import type { OpenTrace } from './open-trace.ts'
import { unrefTimer } from './unref-timer.ts'

/** How long traces are closed at a stretch, in milliseconds: the program has other things to do. */
const SLICE_MILLIS = 10

/** A trace that waits, and until when. */
interface Due {
  readonly trace: OpenTrace
  readonly at: number
}

/** What is done when the time has come. */
interface Closer {
  close(trace: OpenTrace): void
  /** Looks after traces that are idle or can be forgotten. */
  sweep(now: number): void
}

/**
 * Waits for complete traces to settle and then has them closed, a few at a time. Its timers do not hold the process.
 */
export class ClosingQueue {
  readonly #settleMillis: number
  readonly #sweepMillis: number
  readonly #closer: Closer
  /** In the order in which they are due; one that is no more to be closed then is passed over. */
  #due: Due[] = []
  #timer: NodeJS.Timeout | undefined
  #sweeper: NodeJS.Timeout | undefined
  #isLater = false

  constructor({ settleMillis, idleMillis, lateWindowMillis }: Required<LiveLimits>, closer: Closer) {
    this.#settleMillis = settleMillis
    this.#sweepMillis = Math.max(10, Math.min(30_000, idleMillis / 4, lateWindowMillis / 2))
    this.#closer = closer
  }

  /** Closes the trace when it has settled and has rested, unless something of it starts before. */
  add(trace: OpenTrace): void {
    const at = Math.max(performance.now() + this.#settleMillis, trace.restUntil)
    trace.settleAt = at
    let place = this.#due.length
    while (place > 0 && (this.#due[place - 1] as Due).at > at) place--
    this.#due.splice(place, 0, { trace, at })
    if (place === 0) this.#waitUntil(at)
  }

  /** Sweeps from now on, as there is something to look after. */
  wake(): void {
    this.#sweeper ??= unrefTimer(setInterval(() => this.#closer.sweep(performance.now()), this.#sweepMillis))
  }

  /** Does something soon, out of the way of what is being done now. */
  later(work: () => void): void {
    if (this.#isLater) return
    this.#isLater = true
    const soon = setImmediate(() => {
      this.#isLater = false
      work()
    })
    unrefTimer(soon)
  }

  /** Forgets all that waits. */
  stop(): void {
    clearTimeout(this.#timer)
    clearInterval(this.#sweeper)
    this.#timer = this.#sweeper = undefined
    this.#due = []
  }

  #closeDue(): void {
    const started = performance.now()
    let now = started
    let done = 0
    for (const { trace, at } of this.#due) {
      if (at > now || now - started > SLICE_MILLIS) break
      done++
      if (trace.settleAt === at) this.#closer.close(trace)
      now = performance.now()
    }
    this.#due.splice(0, done)
    const [next] = this.#due
    if (next !== undefined) this.#waitUntil(next.at)
  }

  #waitUntil(at: number): void {
    clearTimeout(this.#timer)
    this.#timer = unrefTimer(setTimeout(() => this.#closeDue(), Math.max(0, at - performance.now())))
  }
}
