import type { ChainReport } from '../report/chain-report.ts'

/** What is known of a trace that is open. Times are milliseconds since the Unix epoch. */
export interface OpenTraceView {
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /** When its first and its last span came. */
  readonly firstSeenMs: number
  readonly lastSeenMs: number
  /** Distinct spans that have come since it was opened. */
  readonly spanCount: number
  /** When it is closed if nothing more comes. */
  readonly closesMs: number
  /** Revision of its reports; 0 where it was never reported. */
  readonly revision: number
}

/** The traces of which spans have come that no report has seen. */
export interface OpenTraces {
  /** The first seen first. */
  list(limit: number): readonly OpenTraceView[]
  /** `null` where the trace is not open. */
  get(traceId: string): OpenTraceView | null
  /** The reports that it would have if it were closed now; `null` where it is not open. Reads its spans anew. */
  preview(traceId: string): Promise<readonly ChainReport[] | null>
}
