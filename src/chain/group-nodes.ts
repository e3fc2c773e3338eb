import type { ByStep, Call, Chain, ChainNode, ChainStep, NodeStatus } from './chain.ts'
import { isInside } from './is-inside.ts'

/** A node is judged by its worst call. */
const BADNESS: Readonly<Record<NodeStatus, number>> = {
  timed_out: 4,
  unreachable: 3,
  reached_invalid: 2,
  skipped: 1,
  reached: 0,
}

interface OpenNode {
  readonly name: string
  readonly steps: ChainStep[]
  readonly calls: Call[]
}

/**
 * Groups the steps of a chain into nodes, in fold order of their first steps. A step inside another step of the same
 * node (the model calls of an agent that carry its name) is part of that call: it is judged, and its retries count,
 * but it is no call of its own.
 */
export function groupNodes(chain: Chain, states: ByStep<NodeStatus>): readonly ChainNode[] {
  const nodes = new Map<string, OpenNode>()
  for (const step of chain.steps) {
    const name = step.record.nodeName
    const node = nodes.get(name)
    if (node === undefined) nodes.set(name, { name, steps: [step], calls: [] })
    else node.steps.push(step)
  }
  for (const call of chain.calls) nodes.get(call.nodeName)?.calls.push(call)
  return Array.from(nodes.values(), (node) => toNode(node, chain, states))
}

function toNode({ name, steps, calls }: OpenNode, chain: Chain, states: ByStep<NodeStatus>): ChainNode {
  const { repeated } = chain.usage
  const counted = repeated.size === 0 ? steps : steps.filter((step) => !repeated.has(step))
  const outermost = findOutermost(counted.length > 0 ? counted : steps)
  const outer = outermost.length === steps.length ? calls.length : countOuter(calls, new Set(outermost))
  let attempts = outer
  for (const call of calls) attempts += call.attempts.length - 1
  return { name, steps, outermost, calls: outer, attempts, status: judge(calls, states, chain.recovered) }
}

/** From the last in fold order down: what stands inside the current outermost step comes right after it. */
function findOutermost(members: readonly ChainStep[]): readonly ChainStep[] {
  const outermost: ChainStep[] = []
  let container: ChainStep | null = null
  for (let at = members.length - 1; at >= 0; at--) {
    const step = members[at] as ChainStep
    if (container !== null && isInside(step, container)) continue
    container = step
    outermost.push(step)
  }
  return outermost.reverse()
}

function countOuter(calls: readonly Call[], outermost: ReadonlySet<ChainStep>): number {
  let count = 0
  for (const { attempts } of calls) if (outermost.has(attempts[0] as ChainStep)) count++
  return count
}

/** A call inside an attempt that was made good fails nothing. */
function judge(
  calls: readonly Call[],
  states: ByStep<NodeStatus>,
  recovered: ReadonlySet<ChainStep>,
): NodeStatus {
  let worst: NodeStatus = 'reached'
  for (const { attempts } of calls) {
    const last = attempts[attempts.length - 1] as ChainStep
    const status = states[last.index] ?? 'reached'
    if (BADNESS[status] > BADNESS[worst] && !recovered.has(last)) worst = status
  }
  return worst
}
