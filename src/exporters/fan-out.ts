import type { ReportSink } from '../report/report-sink.ts'
import { toClosedError } from './closed-error.ts'
import { toError } from './to-error.ts'

/**
 * Creates a sink that hands each report to several sinks at once. One that fails stops none of the others.
 *
 * Where sinks fail, `write`, `flush` and `close` reject with an `AggregateError` once all have answered: its message
 * names them by their place in the list, from 1, and its `errors` are theirs.
 *
 * A sink that is tried again or has a queue of its own is wrapped before it goes in; around all of them, `retrying`
 * would do nothing, as a second attempt would write twice where the first one did.
 *
 * @throws {TypeError} where there is no sink
 */
export function fanOut(sinks: readonly ReportSink[]): ReportSink {
  if (sinks.length === 0) throw new TypeError('Cannot fan out: expected at least one sink, found none')
  // A list that is changed later changes nothing here.
  const all = [...sinks]
  let closed = false
  return {
    write: async (report) => {
      if (closed) throw toClosedError(report, 'fan-out sink')
      await runAll(`write report ${report.report_id}`, all, (sink) => sink.write(report))
    },
    flush: () => runAll('flush', all, (sink) => sink.flush()),
    close: async () => {
      closed = true
      await runAll('close', all, (sink) => sink.close())
    },
  }
}

async function runAll(
  what: string,
  sinks: readonly ReportSink[],
  run: (sink: ReportSink) => Promise<void>,
): Promise<void> {
  // `async`, so that a sink that throws at once is a sink that fails like any other.
  const results = await Promise.allSettled(sinks.map(async (sink) => run(sink)))
  const errors: unknown[] = []
  const names: string[] = []
  for (const [at, result] of results.entries()) {
    if (result.status === 'fulfilled') continue
    const error: unknown = result.reason
    errors.push(error)
    names.push(`sink ${at + 1}: ${toError(error).message}`)
  }
  if (errors.length === 0) return
  const expected = `expected all ${sinks.length} sinks to do it`
  throw new AggregateError(errors, `Cannot ${what}: ${expected}, found ${names.join('; ')}`)
}
