import type { Alert } from '../../chain/chain.ts'
import type { Finding } from '../../findings/finding.ts'
import type { CallSketch } from '../../steps/call-sketch.ts'

/** One call as a guard sees it: made by a step, or asked for by a model and never run. */
export interface ObservedCall {
  /** Its place among the calls of the chain. */
  readonly index: number
  readonly nodeName: string
  readonly spanId: string
  /** The model step that asked for it, where known. */
  readonly producerSpanId: string | null
  /** `null` where the arguments were not seen: such a call equals no other. */
  readonly signature: string | null
  /** `null` where the result was not seen. */
  readonly resultDigest: string | null
  /** The call is code that a model wrote. */
  readonly isCode: boolean
  /** What it is compared by where it is not equal; `null` where that is not known. */
  readonly sketch: CallSketch | null
  /** The error without what differs from case to case; `null` where the call did not fail or tells nothing. */
  readonly failure: string | null
  /** Its result is too long to be the same as another by chance. */
  readonly hasTellingResult: boolean
  /** Nanoseconds since the Unix epoch: a call that starts before another has ended does not repeat it. */
  readonly startNs: bigint
  readonly endNs: bigint
  /** Nothing recorded tells whether this call came before or after the previous one of its node. */
  readonly orderUndecided: boolean
}

/** What a guard says after a call. A later outcome with the same key stands in the place of an earlier one. */
export interface GuardOutcome {
  readonly key: string
  readonly alert: Alert
  readonly finding: Finding
}

/** What a guard says of calls that are repeated. */
export interface LoopOutcome extends GuardOutcome {
  /** The calls it speaks of, by their index. */
  readonly calls: readonly number[]
}

/** One step as a budget sees it. */
export interface ObservedStep {
  readonly nodeName: string
  readonly spanId: string
  /** What it adds to the run, counted once. */
  readonly tokens: number
  readonly costUsd: number
  readonly modelCalls: number
  readonly toolCalls: number
  /** From the start of the run to the end of the step, in milliseconds. */
  readonly elapsedMs: number
}

/**
 * A check that follows a run: its own small state and what comes next, a call or a step. Live it runs as spans end,
 * and again in fold order when the chain is built, so `next` must depend on nothing else.
 */
export interface RunCheck<State, Seen, Outcome extends GuardOutcome = GuardOutcome> {
  readonly name: string
  init(): State
  /** Changes the state in place and tells what is to be said. */
  next(state: State, seen: Seen): readonly Outcome[]
}
