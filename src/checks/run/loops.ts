import { matchesGlob } from '../../rules/matches-glob.ts'
import { defaultRules, type LoopRules } from '../../rules/rules.ts'
import { createCycleLoopCheck } from './cycle-loop.ts'
import { createErrorLoopCheck } from './error-loop.ts'
import { createExactLoopCheck } from './exact-loop.ts'
import type { LoopOutcome, ObservedCall, RunCheck } from './run-check.ts'
import { createResultLoopCheck } from './result-loop.ts'
import { createSimilarLoopCheck } from './similar-loop.ts'

interface Follower {
  next(call: ObservedCall): readonly LoopOutcome[]
}

/** Every kind of loop at once, each as if it were alone. Nodes that the rules exempt are passed over. */
export function createLoopChecks(
  rules: LoopRules = defaultRules.loop,
): RunCheck<readonly Follower[], ObservedCall, LoopOutcome> {
  return {
    name: 'loops',
    init: () => [
      followCalls(createCycleLoopCheck(rules)),
      followCalls(createExactLoopCheck(rules)),
      followCalls(createErrorLoopCheck(rules)),
      followCalls(createResultLoopCheck(rules)),
      followCalls(createSimilarLoopCheck(rules)),
    ],
    next: (kinds, call) =>
      rules.exempt.some((glob) => matchesGlob(glob, call.nodeName)) ? NONE : followAll(kinds, call),
  }
}

const NONE: readonly never[] = []

/** Of nearly all calls no kind has anything to say. */
function followAll(kinds: readonly Follower[], call: ObservedCall): readonly LoopOutcome[] {
  let all: LoopOutcome[] | null = null
  for (const kind of kinds) {
    const outcomes = kind.next(call)
    if (outcomes.length > 0) (all ??= []).push(...outcomes)
  }
  return all ?? NONE
}

function followCalls<State>(check: RunCheck<State, ObservedCall, LoopOutcome>): Follower {
  const state = check.init()
  return { next: (call) => check.next(state, call) }
}
