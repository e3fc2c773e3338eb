import type { ChainReport } from '../report/chain-report.ts'
import type { ReportSink } from '../report/report-sink.ts'
import { createDirectorySink } from './directory-sink.ts'
import { isDoneWithin } from './is-done-within.ts'
import { queued, type QueuedSink } from './queued.ts'
import { toError } from './to-error.ts'

/** Where reports go: the path of a folder for one file per chain, a sink, or several of both. */
export type ReportTarget = string | ReportSink | readonly (string | ReportSink)[]

/** How an outlet tells of what goes wrong. */
export interface ReportOutletOptions {
  /** How long `flush` and `close` take at most, in milliseconds. */
  readonly timeoutMillis: number
  /** Told when a sink begins to fail, and at last how many reports could not be written. */
  readonly onError: (error: Error) => void
}

/**
 * Hands reports to sinks in the background: each sink has a queue of its own, so that one that is slow or fails holds
 * up no other. Nothing here rejects.
 */
export class ReportOutlet {
  readonly #sinks: readonly QueuedSink[]
  readonly #options: ReportOutletOptions

  /** @throws {TypeError} where a folder has no name, or what is given is no sink */
  constructor(target: ReportTarget, options: ReportOutletOptions) {
    const { timeoutMillis, onError } = options
    const targets = isList(target) ? target : [target]
    if (targets.length === 0) refuse('an empty list; false is for nowhere')
    this.#options = options
    this.#sinks = targets
      .map((each) =>
        typeof each === 'string' ? createDirectorySink({ directory: each }) : requireSink(each),
      )
      .map((sink) => (isQueued(sink) ? sink : queued(sink, { closeTimeoutMillis: timeoutMillis, onError })))
  }

  /** Reports that are not written yet, over all sinks. */
  get waiting(): number {
    return this.#sinks.reduce((sum, { counts }) => sum + counts.waiting, 0)
  }

  /** Takes a report; what becomes of it is told by `onError`. */
  write(report: ChainReport): void {
    for (const sink of this.#sinks) void this.#guard(() => sink.write(report))
  }

  /**
   * Resolves when all that was taken is durable, or the time is over: then it is told what still waits.
   *
   * @param timeoutMillis the time where it is not that of the outlet
   * @returns `false` where the time was over
   */
  async flush(timeoutMillis: number = this.#options.timeoutMillis): Promise<boolean> {
    const all = Promise.all(this.#sinks.map((sink) => this.#guard(() => sink.flush())))
    if (await isDoneWithin(all, timeoutMillis)) return true
    const found = `${this.waiting} still waiting after ${this.#options.timeoutMillis} ms`
    this.#options.onError(new Error(`Cannot flush the reports: expected all to be written, found ${found}`))
    return false
  }

  /** Flushes and lets go of the sinks, within the time. */
  async close(): Promise<void> {
    const all = Promise.all(this.#sinks.map((sink) => this.#guard(() => sink.close())))
    await isDoneWithin(all, this.#options.timeoutMillis)
  }

  /** Resolves whatever the sink does. */
  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#options.onError(toError(error))
    }
  }
}

function isList(target: ReportTarget): target is readonly (string | ReportSink)[] {
  return Array.isArray(target)
}

function requireSink(sink: ReportSink): ReportSink {
  const found: Partial<ReportSink> | null = typeof sink === 'object' ? sink : null
  if (found === null) refuse(typeof sink)
  for (const part of ['write', 'flush', 'close'] as const) {
    if (typeof found[part] !== 'function') refuse(`one without ${part}()`)
  }
  return sink
}

function refuse(found: string): never {
  throw new TypeError(
    `Cannot write reports: expected reports to be a path, a sink or a list of both, found ${found}`,
  )
}

function isQueued(sink: ReportSink): sink is QueuedSink {
  const { counts } = sink as Partial<QueuedSink>
  return typeof counts?.waiting === 'number' && typeof counts.dropped === 'number'
}
