import type { FindingCode } from './catalog.ts'
import type { Severity } from './severity.ts'

/**
 * `certain`, or `uncertain` where the finding hangs on the order of steps that neither their times nor their
 * sequence numbers tell apart; an uncertain finding is at most a warning.
 */
export type FindingOrder = 'certain' | 'uncertain'

/** One observation behind a finding. Values are short and masked: at most 200 characters. */
export interface FindingEvidence {
  /** A JSON Pointer (RFC 6901) into the judged content, or the name of the fact that was looked at. */
  readonly path: string
  readonly expected: string | null
  readonly actual: string | number | boolean | null
}

/** What a check has to say about one step. Plain data; the sentence for people is made by `describeFinding`. */
export interface Finding {
  readonly code: FindingCode
  readonly severity: Severity
  /** Where it showed. */
  readonly spanId: string
  /** The step that produced what is wrong; `null` where that is the same step or not known. */
  readonly blamedSpanId: string | null
  readonly order: FindingOrder
  /** `content`: judged here. `mark`: judged in process, where the content was; only the code was recorded. */
  readonly source: 'content' | 'mark'
  /** A short masked excerpt or a phrase that completes the sentence; `null` where the evidence says it all. */
  readonly detail: string | null
  readonly evidence: readonly FindingEvidence[]
}

/** The parts of a finding that a check decides; the rest has defaults. */
export type FindingParts = Pick<Finding, 'code' | 'spanId'> &
  Partial<Pick<Finding, 'severity' | 'blamedSpanId' | 'order' | 'source' | 'detail' | 'evidence'>>
