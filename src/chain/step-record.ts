import type { Finding } from '../findings/finding.ts'
import type { CallSketch } from '../steps/call-sketch.ts'
import type { SpanFacts, StepKind } from '../steps/step.ts'

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

/** What a call is compared by for loops, beside its result. Of a model step it is the code in its answer. */
export interface Repeatable {
  /** Digest of node name and arguments, those left out that the rules ignore; `null` where they are not seen. */
  readonly signature: string | null
  /** `null` where the arguments are not recorded, or too long. */
  readonly sketch: CallSketch | null
  /** The error without what differs from case to case; `null` where the call did not fail or tells nothing. */
  readonly failure: string | null
  /** The result was recorded, and is too long to be the same by chance. */
  readonly hasTellingResult: boolean
}

/**
 * What a chain keeps of one span: no content, so that its size does not depend on what was recorded. A span of no
 * agent dialect is kept too (kind `other`), for the tree.
 */
export interface StepRecord extends SpanFacts {
  readonly kind: StepKind
  readonly neverEnded: boolean
  /** Digest of the error's type and message; `null` where the span did not fail. */
  readonly errorDigest: string | null
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
  /** What is looked at for loops; `null` for what is no call. */
  readonly repeatable: Repeatable | null
  readonly requestedCalls: readonly RequestedCallRecord[]
  /**
   * Names of the tools and sub-agents that an agent has, or that a model was offered which gives its answer by a tool;
   * at most 64. Empty where they are not recorded, and for others.
   */
  readonly tools: readonly string[]
  /** What a model mentions in an answer whose code only prints; `null` where there is no such code. */
  readonly idleCode: readonly string[] | null
  /** The output was recorded, and is text or an object that is not empty. */
  readonly hasOutput: boolean
  readonly evidence: Evidence
  readonly findings: readonly Finding[]
}
