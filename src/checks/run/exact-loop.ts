import type { Severity } from '../../findings/severity.ts'
import type { LoopThresholds } from '../../rules/loop-thresholds.ts'
import { defaultRules, type LoopRules } from '../../rules/rules.ts'
import { toLoopOutcome } from './loop-outcome.ts'
import type { LoopOutcome, ObservedCall, RunCheck } from './run-check.ts'

interface Episode {
  readonly number: number
  /** Equal calls since the last progress. */
  count: number
  result: string | null
  /** Nothing recorded tells whether the progress came before this episode or after it. */
  readonly undecided: boolean
}

interface NodeHistory {
  /** Signatures of the last calls; `null` for calls that equal none and for calls before a progress. */
  readonly calls: (string | null)[]
  /** Their places among the calls of the chain. */
  readonly indexes: number[]
  readonly episodes: Map<string, Episode>
}

type LoopState = Map<string, NodeHistory>

/**
 * Finds the same call of a node made again and again. Equal are calls with equal arguments; a call whose arguments
 * were not seen equals none. A new result is progress: counting starts anew, so polling and paging are no loops.
 */
export function createExactLoopCheck(
  rules: LoopRules = defaultRules.loop,
): RunCheck<LoopState, ObservedCall, LoopOutcome> {
  return {
    name: 'exact-loop',
    init: () => new Map(),
    next: (state, call) => observe(state, call, rules),
  }
}

const NONE: readonly never[] = []

function observe(state: LoopState, call: ObservedCall, thresholds: LoopThresholds): readonly LoopOutcome[] {
  let history = state.get(call.nodeName)
  if (history === undefined)
    state.set(call.nodeName, (history = { calls: [], indexes: [], episodes: new Map() }))
  const episode = call.signature === null ? null : follow(history, call.signature, call)
  history.calls.push(call.signature)
  history.indexes.push(call.index)
  if (history.calls.length > thresholds.window) {
    history.calls.shift()
    history.indexes.shift()
  }
  forgetOld(history)
  if (episode === null) return NONE
  const equal = history.indexes.filter((_, at) => history.calls[at] === call.signature)
  return equal.length < thresholds.repeats ? NONE : [toOutcome(call, episode, equal, thresholds)]
}

/** Counts the call; a new result of the same call is progress and starts a new episode. */
function follow(history: NodeHistory, signature: string, call: ObservedCall): Episode {
  const known = history.episodes.get(signature)
  if (known === undefined) {
    const first = { number: 0, count: 1, result: call.resultDigest, undecided: false }
    history.episodes.set(signature, first)
    return first
  }
  if (!isProgress(known, call)) {
    known.count++
    known.result = call.resultDigest ?? known.result
    return known
  }
  for (const [at, seen] of history.calls.entries()) if (seen === signature) history.calls[at] = null
  const next = {
    number: known.number + 1,
    count: 1,
    result: call.resultDigest,
    undecided: call.orderUndecided,
  }
  history.episodes.set(signature, next)
  return next
}

function isProgress(known: Episode, call: ObservedCall): boolean {
  return call.resultDigest !== null && known.result !== null && call.resultDigest !== known.result
}

function forgetOld(history: NodeHistory): void {
  if (history.episodes.size <= history.calls.length) return
  const live = new Set(history.calls)
  for (const signature of history.episodes.keys())
    if (!live.has(signature)) history.episodes.delete(signature)
}

function toOutcome(
  call: ObservedCall,
  episode: Episode,
  equal: readonly number[],
  thresholds: LoopThresholds,
): LoopOutcome {
  const order = episode.undecided ? 'uncertain' : 'certain'
  const severity: Severity = equal.length >= thresholds.stopAt && order === 'certain' ? 'error' : 'warn'
  const { count } = episode
  return toLoopOutcome(call, {
    kind: 'exact',
    episode: `${call.nodeName}\n${call.signature}\n${episode.number}`,
    count,
    calls: equal,
    told: `same signature ${count} times`,
    detail: `the same call ${count} times${episode.result === null ? '' : ', same result'}`,
    counted: 'equal calls',
    expected: `fewer than ${thresholds.repeats}`,
    severity,
    order,
  })
}
