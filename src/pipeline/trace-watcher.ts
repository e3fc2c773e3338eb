import type { ChainReport } from '../report/chain-report.ts'
import type { Rules } from '../rules/rules.ts'

/** Who takes part in the tracking of this process: a processor with its rules, its sinks and its hooks. */
export interface TraceWatcher {
  readonly rules: Rules
  /** False while nobody would look at a report, so that it need not be made. */
  readonly takesReports: boolean
  /**
   * Takes a report; never throws.
   *
   * @param isFirst it is the first of those that take this report
   */
  deliver(report: ChainReport, isFirst: boolean): void
  /** Does something of which no spans are recorded. */
  unrecorded(work: () => void): void
  /** Told of a defect of ours that cost a report. */
  tell(error: unknown): void
}
