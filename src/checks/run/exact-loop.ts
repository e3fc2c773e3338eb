import { createFinding } from '../../findings/create-finding.ts'
import type { Severity } from '../../findings/severity.ts'
import { matchesGlob } from '../../rules/matches-glob.ts'
import type { LoopThresholds } from '../../rules/loop-thresholds.ts'
import { defaultRules, type LoopRules } from '../../rules/rules.ts'
import type { GuardOutcome, ObservedCall, RunCheck } from './run-check.ts'

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
  readonly episodes: Map<string, Episode>
}

type LoopState = Map<string, NodeHistory>

/**
 * Finds the same call of a node made again and again. Equal are calls with equal arguments; a call whose arguments
 * were not seen equals none. A new result is progress: counting starts anew, so polling and paging are no loops.
 * Nodes that the rules exempt are passed over.
 */
export function createExactLoopCheck(
  rules: LoopRules = defaultRules.loop,
): RunCheck<LoopState, ObservedCall> {
  return {
    name: 'exact-loop',
    init: () => new Map(),
    next: (state, call) =>
      rules.exempt.some((glob) => matchesGlob(glob, call.nodeName)) ? NONE : observe(state, call, rules),
  }
}

const NONE: readonly never[] = []

function observe(state: LoopState, call: ObservedCall, thresholds: LoopThresholds): readonly GuardOutcome[] {
  let history = state.get(call.nodeName)
  if (history === undefined) state.set(call.nodeName, (history = { calls: [], episodes: new Map() }))
  const episode = call.signature === null ? null : follow(history, call.signature, call)
  history.calls.push(call.signature)
  if (history.calls.length > thresholds.window) history.calls.shift()
  forgetOld(history)
  if (episode === null) return NONE
  let inWindow = 0
  for (const signature of history.calls) if (signature === call.signature) inWindow++
  return inWindow < thresholds.repeats ? NONE : [toOutcome(call, episode, inWindow, thresholds)]
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
  inWindow: number,
  thresholds: LoopThresholds,
): GuardOutcome {
  const order = episode.undecided ? 'uncertain' : 'certain'
  const severity: Severity = inWindow >= thresholds.stopAt && order === 'certain' ? 'error' : 'warn'
  const { nodeName, spanId } = call
  const detail = `the same call ${episode.count} times${episode.result === null ? '' : ', same result'}`
  return {
    key: `exact\n${nodeName}\n${call.signature}\n${episode.number}`,
    alert: {
      type: 'loop',
      kind: 'exact',
      severity,
      action: 'none',
      nodeName,
      spanId,
      message: `loop detected at node ${nodeName}: same signature ${episode.count} times`,
      count: episode.count,
      order,
    },
    finding: createFinding({
      code: 'loop',
      severity,
      spanId,
      blamedSpanId: call.producerSpanId,
      order,
      detail,
      evidence: [
        { path: 'equal calls', expected: `fewer than ${thresholds.repeats}`, actual: episode.count },
      ],
    }),
  }
}
