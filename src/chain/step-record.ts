import type { Finding } from '../findings/finding.ts'
import type {
  OpenSpan,
  Phase,
  RecordedCheckpoint,
  ReflectionStatus,
  StepKind,
  StopAction,
  SubtaskStatus,
  Usage,
} from '../steps/step.ts'

/** How much of a result could be checked; `captured`: in process, where it was, but not recorded. */
export type Evidence = 'full' | 'partial' | 'none' | 'captured'

/** A tool call in a model's output, as a chain keeps it: no content, only what it is compared by. */
export interface RequestedCallRecord {
  readonly id: string | null
  readonly name: string
  /** Digest of name and arguments; `null` where the arguments are not seen. */
  readonly signature: string | null
  readonly providerExecuted: boolean
}

/**
 * What a chain keeps of one span: no content, so that its size does not depend on what was recorded. A span of no
 * agent dialect is kept too (kind `other`), for the tree.
 */
export interface StepRecord {
  readonly kind: StepKind
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly remoteParent: boolean
  readonly spanName: string
  readonly nodeName: string
  readonly agentName: string | null
  readonly startNs: bigint
  readonly endNs: bigint
  readonly neverEnded: boolean
  readonly status: 'unset' | 'ok' | 'error'
  /** Digest of the error's type and message; `null` where the span did not fail. */
  readonly errorDigest: string | null
  readonly sequence: number | null
  readonly chainId: string | null
  readonly taskId: string | null
  readonly sessionId: string | null
  readonly phase: Phase | null
  readonly subtaskId: string | null
  readonly subtaskStatus: SubtaskStatus | null
  readonly reflectionStatus: ReflectionStatus | null
  readonly attempt: number | null
  readonly skippedReason: string | null
  readonly requires: readonly string[]
  readonly stopAction: StopAction | null
  readonly checkpoints: readonly RecordedCheckpoint[]
  readonly openSpans: readonly OpenSpan[]
  readonly usage: Usage
  readonly recordedCost: number | null
  readonly model: string | null
  readonly provider: string | null
  readonly responseId: string | null
  readonly firstTokenMs: number | null
  readonly toolName: string | null
  readonly callId: string | null
  /** Digest of node name and arguments, order-free; `null` where the arguments are not seen. */
  readonly signature: string | null
  /** Digest of the arguments that make a further call the same attempt again; `null` where there are none. */
  readonly retryKey: string | null
  /** Digest of the result; `null` where it is not seen. */
  readonly resultDigest: string | null
  readonly requestedCalls: readonly RequestedCallRecord[]
  /** The output was recorded, and is text or an object that is not empty. */
  readonly hasOutput: boolean
  readonly evidence: Evidence
  readonly findings: readonly Finding[]
  readonly attributeCount: number
  readonly droppedAttributes: number
  /** Read only when the chain is built: an SDK may still be resolving it when the span ends. */
  readonly resource: { readonly attributes: Readonly<Record<string, unknown>> }
}
