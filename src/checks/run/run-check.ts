import type { Alert } from '../../chain/chain.ts'
import type { Finding } from '../../findings/finding.ts'

/** One call as a guard sees it: made by a step, or asked for by a model and never run. */
export interface ObservedCall {
  readonly nodeName: string
  readonly spanId: string
  /** The model step that asked for it, where known. */
  readonly producerSpanId: string | null
  /** `null` where the arguments were not seen: such a call equals no other. */
  readonly signature: string | null
  /** `null` where the result was not seen. */
  readonly resultDigest: string | null
  /** Nothing recorded tells whether this call came before or after the previous one. */
  readonly orderUndecided: boolean
}

/** What a guard says after a call. A later outcome with the same key stands in the place of an earlier one. */
export interface GuardOutcome {
  readonly key: string
  readonly alert: Alert
  readonly finding: Finding
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
export interface RunCheck<State, Seen> {
  readonly name: string
  init(): State
  /** Changes the state in place and tells what is to be said. */
  next(state: State, seen: Seen): readonly GuardOutcome[]
}
