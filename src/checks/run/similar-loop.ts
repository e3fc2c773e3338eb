import type { LoopRules } from '../../rules/rules.ts'
import { compareSketches, isWordless } from '../../steps/sketch-call.ts'
import { toLoopOutcome } from './loop-outcome.ts'
import type { LoopOutcome, ObservedCall, RunCheck } from './run-check.ts'

interface Wording {
  readonly call: ObservedCall
  /** The index of the first call of its episode. */
  readonly episode: number
}

type SimilarState = Map<string, Wording[]>

/**
 * Finds a call of a node that is asked again in other words. The first rewording may be a second try; where `repeats`
 * is 3 the second one is a warning. Calls that are equal are for the exact kind, calls that run side by side repeat
 * nothing, and where nothing is said in words a new result is progress.
 */
export function createSimilarLoopCheck(rules: LoopRules): RunCheck<SimilarState, ObservedCall, LoopOutcome> {
  return {
    name: 'similar-loop',
    init: () => new Map(),
    next: (state, call) => (rules.similar === null ? NONE : observe(state, call, rules, rules.similar)),
  }
}

const NONE: readonly never[] = []

function observe(
  state: SimilarState,
  call: ObservedCall,
  rules: LoopRules,
  threshold: number,
): readonly LoopOutcome[] {
  if (call.sketch === null || call.signature === null) return NONE
  let wordings = state.get(call.nodeName)
  if (wordings === undefined) state.set(call.nodeName, (wordings = []))
  const alike = wordings.filter((wording) => isAlike(wording.call, call, threshold))
  const episode = alike[0]?.episode ?? call.index
  wordings.push({ call, episode })
  if (wordings.length > rules.window) wordings.shift()
  return isLoop(call, alike, rules) ? [toOutcome(call, alike, { episode, rules })] : NONE
}

/** Calls that are all equal are for the exact kind. */
function isLoop(call: ObservedCall, alike: readonly Wording[], rules: LoopRules): boolean {
  const wordings = new Set([call.signature, ...alike.map((wording) => wording.call.signature)])
  if (wordings.size < 2) return false
  return wordings.size >= fewestWordings(rules, call) || alike.length + 1 >= rules.repeats
}

/**
 * Nobody asks again in other words to see whether the world has changed: that takes one call less than an equal one.
 * Code is written again to mend it.
 */
function fewestWordings({ repeats }: LoopRules, { isCode }: ObservedCall): number {
  return isCode ? repeats : Math.max(2, repeats - 1)
}

function isAlike(earlier: ObservedCall, call: ObservedCall, threshold: number): boolean {
  if (earlier.sketch === null || call.sketch === null || call.startNs < earlier.endNs) return false
  if (earlier.signature === call.signature) return true
  if (isWordless(call.sketch) && isProgress(earlier, call)) return false
  return compareSketches(earlier.sketch, call.sketch) >= threshold
}

function isProgress({ resultDigest: before }: ObservedCall, { resultDigest: after }: ObservedCall): boolean {
  return before !== null && after !== null && before !== after
}

function toOutcome(
  call: ObservedCall,
  alike: readonly Wording[],
  { episode, rules }: { readonly episode: number; readonly rules: LoopRules },
): LoopOutcome {
  const count = alike.length + 1
  return toLoopOutcome(call, {
    kind: 'similar',
    episode: `${call.nodeName}\n${episode}`,
    count,
    calls: [...alike.map((wording) => wording.call.index), call.index],
    told: `nearly the same arguments ${count} times`,
    detail: `nearly the same call ${count} times`,
    counted: 'near-equal calls',
    expected: `fewer than ${fewestWordings(rules, call)}`,
  })
}
