import type { ChainReport } from '../report/chain-report.ts'
import type { Bar } from './report-options.ts'

/** What a chain is held against. */
export interface BarOptions {
  readonly bar: Bar
  /** A report of which part of the evidence is missing may still pass. */
  readonly allowPartial: boolean
}

/** Why a chain fails a bar. */
export type BarBreach = 'failed' | 'partial_failed' | 'alert' | 'partial_report'

/** Why a chain fails a bar, the worst reason there is; `null` where it passes. */
export function judgeBar(report: ChainReport, { bar, allowPartial }: BarOptions): BarBreach | null {
  const { overall_status: status } = report
  if (status === 'failed') return 'failed'
  if (status === 'partial_failed' && bar !== 'failed') return 'partial_failed'
  // An alert of severity info tells what happened without calling it bad.
  if (bar === 'alert' && report.alerts.some(({ severity }) => severity !== 'info')) return 'alert'
  return report.completeness === 'partial' && !allowPartial ? 'partial_report' : null
}
