import type { LoopRules } from '../../rules/rules.ts'
import { toLoopOutcome } from './loop-outcome.ts'
import type { LoopOutcome, ObservedCall, RunCheck } from './run-check.ts'

interface CycleState {
  /** The last calls, the newest last: as many as `repeats` rounds of the longest cycle have. */
  readonly calls: ObservedCall[]
  readonly tokens: (string | null)[]
  /** For each period how many calls in a row equal the one that stands so many before. */
  readonly runs: number[]
}

/**
 * Finds calls that go round: A, B, A, B. Equal are calls with equal arguments and results, so a round that brings
 * something new is none. A round of one call is for the exact kind. `repeats` rounds are a warning, `stop_at` an error.
 */
export function createCycleLoopCheck(rules: LoopRules): RunCheck<CycleState, ObservedCall, LoopOutcome> {
  return {
    name: 'cycle-loop',
    init: () => ({ calls: [], tokens: [], runs: [] }),
    next: (state, call) => (rules.cycles < 2 ? NONE : observe(state, call, rules)),
  }
}

const NONE: readonly never[] = []

function observe(state: CycleState, call: ObservedCall, rules: LoopRules): readonly LoopOutcome[] {
  const { calls, tokens, runs } = state
  const token = call.signature === null ? null : `${call.signature}\n${call.resultDigest ?? ''}`
  for (let period = 1; period <= rules.cycles; period++) {
    const isEqual = token !== null && tokens[tokens.length - period] === token
    runs[period] = isEqual ? (runs[period] ?? 0) + 1 : 0
  }
  calls.push(call)
  tokens.push(token)
  if (calls.length > rules.cycles * rules.repeats) {
    calls.shift()
    tokens.shift()
  }
  const period = findPeriod(runs, rules)
  return period === null ? NONE : [toOutcome(state, call, period, rules)]
}

/** The shortest period that was gone through often enough. */
function findPeriod(runs: readonly number[], { cycles, repeats }: LoopRules): number | null {
  if ((runs[1] ?? 0) > 0) return null
  for (let period = 2; period <= cycles; period++) if (roundsOf(runs, period) >= repeats) return period
  return null
}

function roundsOf(runs: readonly number[], period: number): number {
  return Math.floor((runs[period] ?? 0) / period) + 1
}

function toOutcome(
  { calls, runs }: CycleState,
  call: ObservedCall,
  period: number,
  rules: LoopRules,
): LoopOutcome {
  const rounds = roundsOf(runs, period)
  const members = calls.slice(-period * rules.repeats)
  const order = members.some(({ orderUndecided }) => orderUndecided) ? 'uncertain' : 'certain'
  const names = members.slice(-period).map(({ nodeName }) => nodeName)
  return toLoopOutcome(call, {
    kind: 'cycle',
    episode: `${period}\n${call.index - (runs[period] ?? 0)}`,
    count: rounds,
    calls: members.map(({ index }) => index),
    told: `the same ${period} calls in turn ${rounds} times`,
    detail: `the same ${period} calls in turn ${rounds} times: ${names.join(', ')}`,
    counted: 'equal rounds',
    expected: `fewer than ${rules.repeats}`,
    severity: rounds >= rules.stopAt && order === 'certain' ? 'error' : 'warn',
    order,
  })
}
