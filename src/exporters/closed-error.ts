import type { ChainReport } from '../report/chain-report.ts'

/**
 * Says that a report came after `close`.
 *
 * @param sink what refuses it, in words: `directory sink`
 */
export function toClosedError(report: ChainReport, sink: string): Error {
  return new Error(`Cannot write report ${report.report_id}: the ${sink} is closed`)
}
