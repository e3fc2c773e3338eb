import type { ChainReport } from '../report/chain-report.ts'
import type { BarBreach } from './judge-bar.ts'

/** A report that is to be shown, and what is known about it. */
export interface JudgedReport {
  readonly report: ChainReport
  /** Why the chain is not well, or `null`. */
  readonly breach: BarBreach | null
  /** Where the report was written, or `null`. */
  readonly file: string | null
}

/** One form of showing reports. A form for people leaves out traces without an agent step. */
export interface ReportPresenter {
  /** The text that is to be written now; empty where the form has to wait for the end. */
  add(judged: JudgedReport): string
  /** The rest. */
  end(): string
}
