import type { LoopRules } from '../../rules/rules.ts'
import { toLoopOutcome } from './loop-outcome.ts'
import type { LoopOutcome, ObservedCall, RunCheck } from './run-check.ts'

type ResultState = Map<string, ObservedCall[]>

/**
 * Finds a node that gives the same result again and again, whatever it is asked. A short result is not looked at: that
 * something was done, or not found, may well be said more than once. Nor are calls that run side by side.
 */
export function createResultLoopCheck(rules: LoopRules): RunCheck<ResultState, ObservedCall, LoopOutcome> {
  return {
    name: 'result-loop',
    init: () => new Map(),
    next: (state, call) => observe(state, call, rules),
  }
}

const NONE: readonly never[] = []

function observe(state: ResultState, call: ObservedCall, rules: LoopRules): readonly LoopOutcome[] {
  let calls = state.get(call.nodeName)
  if (calls === undefined) state.set(call.nodeName, (calls = []))
  const equal = isTelling(call) ? calls.filter((earlier) => isSame(earlier, call)) : NONE
  calls.push(call)
  if (calls.length > rules.window) calls.shift()
  const signatures = new Set([...equal, call].map(({ signature }) => signature))
  return signatures.size < rules.repeats ? NONE : [toOutcome(call, equal, rules)]
}

function isTelling(call: ObservedCall): boolean {
  return call.hasTellingResult && call.failure === null && call.signature !== null
}

function isSame(earlier: ObservedCall, call: ObservedCall): boolean {
  return isTelling(earlier) && earlier.resultDigest === call.resultDigest && call.startNs >= earlier.endNs
}

function toOutcome(call: ObservedCall, equal: readonly ObservedCall[], rules: LoopRules): LoopOutcome {
  const count = equal.length + 1
  return toLoopOutcome(call, {
    kind: 'result',
    episode: `${call.nodeName}\n${call.resultDigest}`,
    count,
    calls: [...equal, call].map(({ index }) => index),
    told: `same result ${count} times`,
    detail: `the same result ${count} times, with different arguments`,
    counted: 'equal results',
    expected: `fewer than ${rules.repeats}`,
  })
}
