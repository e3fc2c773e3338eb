import { setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { ChainReport } from '../report/chain-report.ts'
import type { ReportSink } from '../report/report-sink.ts'
import { toClosedError } from './closed-error.ts'
import { createKeyedQueue } from './keyed-queue.ts'
import { requireTimerMillis, requireWholeNumber } from './require-whole-number.ts'

/** How often and when a write is tried again. */
export interface RetryingOptions {
  /**
   * Attempts a report, the first one included.
   *
   * @default 3
   */
  readonly attempts?: number
  /**
   * The wait after the first attempt, in milliseconds; it doubles after each further one.
   *
   * @default 500
   */
  readonly baseDelayMillis?: number
  /**
   * The longest wait that the doubling comes to, in milliseconds.
   *
   * @default 5000
   */
  readonly maxDelayMillis?: number
  /**
   * Gives a number from 0 to 1: which part of the second half of a wait is waited, so that many programs do not come
   * back all at once.
   *
   * @default Math.random
   */
  readonly jitter?: () => number
  /**
   * Waits a number of milliseconds, or until the signal is given, which `close` does.
   *
   * @default a timer, which holds the process as a request would
   */
  readonly sleep?: (millis: number, signal: AbortSignal) => Promise<void>
}

/** The longest wait that the other side may ask for, in milliseconds. What asks for more is given up at once. */
const LONGEST_RETRY_AFTER = 30_000

type Settings = Required<RetryingOptions>

/**
 * Creates a sink that tries a write again where its error has `retryable: true`, as a `SinkError` of `createHttpSink`
 * may; any other error is passed on at once. The wait is never shorter than the error's `retryAfterMillis`; a report
 * is given up where that is longer than 30 s. Reports of one chain wait for each other, so that a revision never
 * overtakes the one before.
 *
 * `write` rejects with the error of the last attempt. `close` cuts waits short: what waits or
 * fails then has one last attempt.
 *
 * @throws {RangeError} where a number is not whole, `attempts` is below 1 or a delay is below 0
 */
export function retrying(sink: ReportSink, options: RetryingOptions = {}): ReportSink {
  const settings = readSettings(options)
  const queue = createKeyedQueue(Infinity)
  const closing = new AbortController()
  // Every wait listens to it; Node would warn of a leak from the eleventh on.
  setMaxListeners(0, closing.signal)

  const attempt = async (report: ChainReport, done: number, isLast: boolean): Promise<void> => {
    try {
      await sink.write(report)
    } catch (error) {
      const wait = isLast ? undefined : findWait(error, done, settings)
      if (wait === undefined) throw error
      if (!closing.signal.aborted) await settings.sleep(wait, closing.signal)
      await attempt(report, done + 1, done + 2 >= settings.attempts || closing.signal.aborted)
    }
  }

  return {
    write: async (report) => {
      if (closing.signal.aborted) throw toClosedError(report, 'retrying sink')
      await queue.run(`${report.trace_id} ${report.chain_id}`, () =>
        attempt(report, 0, settings.attempts === 1),
      )
    },
    flush: async () => {
      await queue.settled()
      await sink.flush()
    },
    close: async () => {
      closing.abort()
      await queue.settled()
      await sink.close()
    },
  }
}

function readSettings(options: RetryingOptions): Settings {
  const { attempts = 3, baseDelayMillis = 500, maxDelayMillis = 5_000, jitter = Math.random } = options
  const of = 'a retrying sink'
  return {
    attempts: requireWholeNumber({ of, name: 'attempts', value: attempts, minimum: 1 }),
    baseDelayMillis: requireTimerMillis({ of, name: 'baseDelayMillis', value: baseDelayMillis, minimum: 0 }),
    maxDelayMillis: requireTimerMillis({ of, name: 'maxDelayMillis', value: maxDelayMillis, minimum: 0 }),
    jitter,
    sleep: options.sleep ?? sleepUnlessClosed,
  }
}

/**
 * How long to wait after an attempt, in milliseconds; nothing where there is to be no other. An error is known by its
 * fields, not by its class, of which a program may have two copies.
 */
function findWait(error: unknown, done: number, settings: Settings): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  if (!('retryable' in error) || error.retryable !== true) return undefined
  const asked = 'retryAfterMillis' in error ? error.retryAfterMillis : undefined
  const least = typeof asked === 'number' ? asked : 0
  if (least > LONGEST_RETRY_AFTER) return undefined
  const longest = Math.min(settings.maxDelayMillis, settings.baseDelayMillis * 2 ** done)
  return Math.max(least, (longest / 2) * (1 + settings.jitter()))
}

async function sleepUnlessClosed(millis: number, signal: AbortSignal): Promise<void> {
  // A signal ends the wait and is no error.
  await delay(millis, undefined, { signal }).catch(() => {})
}
