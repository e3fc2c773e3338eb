import type { JudgedChain } from '../pipeline/settle-trace.ts'
import type { ChainReport, CompletenessReason } from '../report/chain-report.ts'
import type { Rules } from '../rules/rules.ts'
import type { MarkOptions } from './mark-spans.ts'
import type { PackedReport } from './packed-report.ts'
import type { StoredTrace } from './report-store.ts'

/** What is to be done with a stored trace. */
export interface JudgeTask {
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /** `close` makes its reports; `forward` makes the body of what has to go on while the trace is open. */
  readonly purpose: 'close' | 'forward'
  /** Why its reports will be partial, if that is known. */
  readonly incomplete: CompletenessReason | null
}

/** What became of a trace: plain data, which can pass from one thread to another. */
export interface TraceVerdict {
  /** Empty where those that are stored are to stay. */
  readonly reports: readonly PackedReport[]
  /** Number of the last chunk that was seen. */
  readonly lastChunk: number
  /** All its spans in one body, each once; `null` where no copies are stored. */
  readonly compacted: Uint8Array | null
  readonly rejectedSpans: number
  /** The spans that have not gone on before; `null` where there are none. */
  readonly forward: Uint8Array | null
}

/** By what traces are judged; plain data where no rule has a schema in code. */
export interface JudgeSettings {
  readonly rules: Rules
  /** Distinct spans of a trace that are judged; with more its reports are partial. */
  readonly spansPerTrace: number
  /** How spans that go on are marked; `null` where none go on. */
  readonly marks: Pick<MarkOptions, 'markStatus' | 'reportUrl'> | null
}

/**
 * Makes the body in which the spans of a trace go on that have not gone on before; `null` where there are none.
 *
 * @param isOpen the trace is still open: what is known of it may change
 */
export type ForwardBody = (
  trace: StoredTrace,
  judged: readonly JudgedChain[],
  isOpen: boolean,
) => Uint8Array | null

/** Judges stored traces, here or in a thread of its own. */
export interface TraceJudge {
  /** How many traces it is worth to ask for at a time. */
  readonly parallel: number
  /** Milliseconds for which it may be asked for more before the reports that are made are stored. */
  readonly sliceMillis: number
  /** @returns `null` where nothing of the trace is stored, or nothing is left to go on */
  judge(task: JudgeTask): Promise<TraceVerdict | null>
  /** The reports that an open trace would have now; `null` where nothing of it is stored. */
  preview(traceId: string): Promise<readonly ChainReport[] | null>
  /** Ends the thread; what was asked for and is not answered is rejected. */
  close(): Promise<void>
}
