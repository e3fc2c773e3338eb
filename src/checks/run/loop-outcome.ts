import { createFinding } from '../../findings/create-finding.ts'
import type { Severity } from '../../findings/severity.ts'
import type { LoopOutcome, ObservedCall } from './run-check.ts'

/** What a run goes round in, the gravest first: of two that speak of the same calls the first is told. */
export type LoopKind = 'cycle' | 'exact' | 'error' | 'result' | 'similar'

/** What a check of loops decides. */
export interface LoopParts {
  readonly kind: LoopKind
  /** Tells one episode from another of the same kind. */
  readonly episode: string
  readonly count: number
  /** The calls it speaks of, by their index. */
  readonly calls: readonly number[]
  /** What is said of the node in the alert. */
  readonly told: string
  /** What is said at the step in the finding. */
  readonly detail: string
  /** What was counted, and how many there may be. */
  readonly counted: string
  readonly expected: string
  readonly severity?: Severity
  readonly order?: 'certain' | 'uncertain'
}

/** Words what a check of loops found at a call, as an alert and as a finding. */
export function toLoopOutcome(call: ObservedCall, parts: LoopParts): LoopOutcome {
  const { kind, count, severity = 'warn', order = 'certain' } = parts
  const { nodeName, spanId } = call
  return {
    key: `${kind}\n${parts.episode}`,
    calls: parts.calls,
    alert: {
      type: 'loop',
      kind,
      severity,
      action: 'none',
      nodeName,
      spanId,
      message: `loop detected at node ${nodeName}: ${parts.told}`,
      count,
      order,
    },
    finding: createFinding({
      code: 'loop',
      severity,
      spanId,
      blamedSpanId: call.producerSpanId,
      order,
      detail: parts.detail,
      evidence: [{ path: parts.counted, expected: parts.expected, actual: count }],
    }),
  }
}
