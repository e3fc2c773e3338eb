import type { ChainReport } from '../report/chain-report.ts'
import type { ReportSink } from '../report/report-sink.ts'
import { toClosedError } from './closed-error.ts'
import { requireWholeNumber } from './require-whole-number.ts'

/** What a memory sink is made of. */
export interface MemorySinkOptions {
  /**
   * Reports that are kept; the oldest goes when another one comes.
   *
   * @default 1000
   */
  readonly limit?: number
}

/** A sink whose reports can be looked at. */
export interface MemorySink extends ReportSink {
  /** The reports that are kept, in the order in which they were written, those of `close` and before too. */
  readonly reports: readonly ChainReport[]
  /** Forgets all reports; more can be written. */
  clear(): void
}

/**
 * Creates a sink that keeps the last reports in memory, each revision as a report of its own, for tests and for
 * programs that show their reports themselves.
 *
 * @throws {RangeError} where `limit` is no whole number from 1
 */
export function createMemorySink(options: MemorySinkOptions = {}): MemorySink {
  const limit = requireWholeNumber({
    of: 'a memory sink',
    name: 'limit',
    value: options.limit ?? 1_000,
    minimum: 1,
  })
  /** In the order of insertion, so that the oldest is found without moving the others. */
  const kept = new Map<number, ChainReport>()
  let written = 0
  let closed = false

  return {
    get reports() {
      return [...kept.values()]
    },
    clear: () => kept.clear(),
    write: async (report) => {
      if (closed) throw toClosedError(report, 'memory sink')
      kept.set(written, report)
      kept.delete(written - limit)
      written++
    },
    flush: async () => {},
    close: async () => {
      closed = true
    },
  }
}
