import type { LoopRules } from '../../rules/rules.ts'
import { toLoopOutcome } from './loop-outcome.ts'
import type { LoopOutcome, ObservedCall, RunCheck } from './run-check.ts'

interface Streak {
  readonly failure: string
  readonly calls: ObservedCall[]
  /** How many, also those that are no longer held. */
  count: number
  readonly first: number
}

type ErrorState = Map<string, Streak>

/**
 * Finds a node that fails again and again in the same way, called in different ways. A call that does not fail, or
 * fails otherwise, is progress. Calls that run side by side count once.
 */
export function createErrorLoopCheck(rules: LoopRules): RunCheck<ErrorState, ObservedCall, LoopOutcome> {
  return {
    name: 'error-loop',
    init: () => new Map(),
    next: (state, call) => observe(state, call, rules),
  }
}

const NONE: readonly never[] = []

function observe(state: ErrorState, call: ObservedCall, rules: LoopRules): readonly LoopOutcome[] {
  const { nodeName, failure } = call
  if (failure === null) {
    state.delete(nodeName)
    return NONE
  }
  if (call.signature === null) return NONE
  const known = state.get(nodeName)
  const streak = known?.failure === failure ? known : { failure, calls: [], count: 0, first: call.index }
  if (streak !== known) state.set(nodeName, streak)
  const last = streak.calls.at(-1)
  if (last !== undefined && call.startNs < last.endNs) return NONE
  streak.calls.push(call)
  streak.count++
  if (streak.calls.length > rules.window) streak.calls.shift()
  const isVaried = streak.calls.some(({ signature }) => signature !== call.signature)
  return isVaried && streak.count >= rules.repeats ? [toOutcome(call, streak, rules)] : NONE
}

function toOutcome(call: ObservedCall, { calls, count, first }: Streak, rules: LoopRules): LoopOutcome {
  return toLoopOutcome(call, {
    kind: 'error',
    episode: `${call.nodeName}\n${first}`,
    count,
    calls: calls.map(({ index }) => index),
    told: `same error ${count} times`,
    detail: `the same error ${count} times, with different arguments`,
    counted: 'equal errors',
    expected: `fewer than ${rules.repeats}`,
    order: calls.some(({ orderUndecided }) => orderUndecided) ? 'uncertain' : 'certain',
  })
}
