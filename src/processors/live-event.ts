import { describeFinding } from '../findings/describe-finding.ts'
import type { FindingCode } from '../findings/catalog.ts'
import type { Finding, FindingEvidence } from '../findings/finding.ts'
import type { Severity } from '../findings/severity.ts'
import type { EndedStep, LiveAlert as EndedAlert } from '../pipeline/ended-step.ts'

/** A finding when its step ends. The report may lower it: a later attempt can make good what failed. */
export interface LiveFinding {
  readonly traceId: string
  readonly spanId: string
  readonly nodeName: string
  readonly code: FindingCode
  readonly severity: Severity
  /** One line for people, without content beyond short masked excerpts. */
  readonly message: string
  readonly evidence: readonly FindingEvidence[]
}

/** An alert when the step ends at which it fires. */
export interface LiveAlert {
  readonly traceId: string
  readonly spanId: string
  readonly nodeName: string
  /** `loop` or `budget`. */
  readonly type: string
  /** Of a loop how its calls are alike, of a budget what is used up. */
  readonly kind: string | null
  readonly severity: Severity
  readonly message: string
  /** Of a loop, how many calls. */
  readonly count: number | null
}

/** A finding as a hook is told of it. */
export function toLiveFinding({ record }: EndedStep, finding: Finding): LiveFinding {
  const { traceId, spanId, nodeName } = record
  const { code, severity, evidence } = finding
  return { traceId, spanId, nodeName, code, severity, message: describeFinding(finding), evidence }
}

/** An alert as a hook is told of it. */
export function toLiveAlert({ record }: EndedStep, { alert }: EndedAlert): LiveAlert {
  const { type, kind, severity, message, count } = alert
  const { traceId, spanId, nodeName } = record
  return { traceId, spanId, nodeName, type, kind, severity, message, count }
}
