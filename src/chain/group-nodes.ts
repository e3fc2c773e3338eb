import type { Call, Chain, ChainNode, ChainStep, NodeStatus } from './chain.ts'
import { isInside } from './is-inside.ts'
import { recoveredSteps } from './recover-findings.ts'

/** From bad to good: a node is judged by its worst call. */
const BADNESS: readonly NodeStatus[] = ['timed_out', 'unreachable', 'reached_invalid', 'skipped', 'reached']

/**
 * Groups the steps of a chain into nodes, in fold order of their first steps. A step inside another step of the same
 * node (the model calls of an agent that carry its name) is part of that call: it is judged, and its retries count,
 * but it is no call of its own.
 */
export function groupNodes(chain: Chain, states: ReadonlyMap<ChainStep, NodeStatus>): readonly ChainNode[] {
  const steps = groupBy(chain.steps, (step) => step.record.nodeName)
  const { repeated } = chain.usage
  const recovered = recoveredSteps(chain)
  const calls = groupBy(chain.calls, (call) => call.nodeName)
  return [...steps].map(([name, members]) => {
    const counted = members.filter((step) => !repeated.has(step))
    const outermost = findOutermost(counted.length > 0 ? counted : members)
    return {
      name,
      steps: members,
      outermost,
      ...countCalls(calls.get(name) ?? [], new Set(outermost)),
      status: judge(calls.get(name) ?? [], states, recovered),
    }
  })
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}

/** From the last in fold order down: what stands inside the current outermost step comes right after it. */
function findOutermost(members: readonly ChainStep[]): readonly ChainStep[] {
  const outermost: ChainStep[] = []
  for (const step of members.toReversed()) {
    const container = outermost.at(-1)
    if (container === undefined || !isInside(step, container)) outermost.push(step)
  }
  return outermost.reverse()
}

function countCalls(
  calls: readonly Call[],
  outermost: ReadonlySet<ChainStep>,
): { readonly calls: number; readonly attempts: number } {
  const outer = calls.filter((call) => outermost.has(call.attempts[0] as ChainStep))
  const retries = calls.reduce((sum, call) => sum + call.attempts.length - 1, 0)
  return { calls: outer.length, attempts: outer.length + retries }
}

/** A call inside an attempt that was made good fails nothing. */
function judge(
  calls: readonly Call[],
  states: ReadonlyMap<ChainStep, NodeStatus>,
  recovered: ReadonlySet<ChainStep>,
): NodeStatus {
  const last = calls.map((call) => call.attempts.at(-1) as ChainStep).filter((step) => !recovered.has(step))
  const found = new Set(last.map((step) => states.get(step) ?? 'reached'))
  return BADNESS.find((status) => found.has(status)) ?? 'reached'
}
