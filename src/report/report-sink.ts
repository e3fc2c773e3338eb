import type { ChainReport } from './chain-report.ts'

/** Where reports go. */
export interface ReportSink {
  /** Resolves when the report is handed over; rejects when it could not be. */
  write(report: ChainReport): Promise<void>
  /** Resolves when everything accepted is durable. */
  flush(): Promise<void>
  /** Flushes and lets go of resources; further writes are refused. */
  close(): Promise<void>
}
