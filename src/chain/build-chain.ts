import { sha256Hex } from '../steps/digest.ts'
import { isAgentStep } from '../steps/step.ts'
import type { Chain, ChainStep } from './chain.ts'
import { recordOpenSpan } from './condense-step.ts'
import { countUsage } from './count-usage.ts'
import { deriveCheckpoints } from './derive-checkpoints.ts'
import { derivePhases } from './derive-phases.ts'
import { type CallPositions, foldTree, isOrderUndecided, type TreeNode } from './fold-order.ts'
import { groupCalls } from './group-calls.ts'
import { linkCalls } from './link-calls.ts'
import { measureTime } from './measure-time.ts'
import type { StepRecord } from './step-record.ts'
import type { TraceRecords } from './trace-records.ts'

/**
 * Builds the chains of a trace. A span belongs to the chain it names, else to that of its nearest ancestor that
 * names one, else to the default chain, whose id is the trace id. A trace without any agent step gives one chain
 * without steps.
 *
 * @returns in fold order of their first steps
 */
export function buildChains(trace: TraceRecords): readonly Chain[] {
  const { order, positions } = foldTree([...trace.values(), ...openSpans(trace)])
  const chainIds = cutChains(order, trace.traceId)
  const byChain = new Map<string, TreeNode[]>()
  for (const node of order) {
    if (!isAgentStep(node.record)) continue
    const chainId = chainIds.get(node) ?? trace.traceId
    const members = byChain.get(chainId)
    if (members === undefined) byChain.set(chainId, [node])
    else members.push(node)
  }
  if (byChain.size === 0) byChain.set(trace.traceId, [])
  return [...byChain].map(([chainId, members]) => buildChain(trace, chainId, members, { order, positions }))
}

/** A short name of a chain within its trace: the first 8 hex digits of the SHA-256 of its id. */
export function toChainHash(chainId: string): string {
  return sha256Hex(chainId).slice(0, 8)
}

/** Spans that a root says were still open, unless they came after all. */
function openSpans(trace: TraceRecords): readonly StepRecord[] {
  const opened = new Map<string, StepRecord>()
  for (const record of trace.values()) {
    for (const open of record.openSpans) {
      if (!trace.has(open.spanId)) opened.set(open.spanId, recordOpenSpan(open, record))
    }
  }
  return [...opened.values()]
}

/** From the top down, so that each span finds the chain of its parent. */
function cutChains(order: readonly TreeNode[], traceId: string): ReadonlyMap<TreeNode, string> {
  const chainIds = new Map<TreeNode, string>()
  for (let at = order.length - 1; at >= 0; at--) {
    const node = order[at] as TreeNode
    const inherited = node.parent === null ? traceId : (chainIds.get(node.parent) ?? traceId)
    chainIds.set(node, node.record.chainId ?? inherited)
  }
  return chainIds
}

function buildChain(
  trace: TraceRecords,
  chainId: string,
  members: readonly TreeNode[],
  tree: { readonly order: readonly TreeNode[]; readonly positions: CallPositions },
): Chain {
  const steps = toChainSteps(members)
  const roots = steps.filter((step) => step.parent === null)
  const isUndecided = (a: ChainStep, b: ChainStep): boolean =>
    isOrderUndecided(a.record, b.record, tree.positions)
  const span = roots.length > 0 ? roots.map((root) => root.record) : tree.order.map((node) => node.record)
  const startNs = span.reduce((least, { startNs: at }) => (at < least ? at : least), span[0]?.startNs ?? 0n)
  const endNs = span.reduce((most, { endNs: at }) => (at > most ? at : most), span[0]?.endNs ?? 0n)
  const usage = countUsage(steps)
  return {
    traceId: trace.traceId,
    chainId,
    spanCount: trace.size,
    spanIds: trace,
    resource: (roots[0]?.record ?? tree.order[0]?.record)?.resource ?? { attributes: {} },
    steps,
    roots,
    calls: groupCalls(steps, isUndecided, usage.repeated),
    ...linkCalls(steps),
    usage,
    time: measureTime(steps, startNs, endNs),
    phases: derivePhases(steps),
    checkpoints: deriveCheckpoints(steps),
    startNs,
    endNs,
    remoteParent: roots.some((root) => root.record.remoteParent),
    isOrderUndecided: isUndecided,
  }
}

interface OpenStep extends ChainStep {
  parent: OpenStep | null
  readonly children: OpenStep[]
  size: number
}

/** Steps of one chain; what lies between two steps (plain spans, steps of another chain) is passed over. */
function toChainSteps(members: readonly TreeNode[]): readonly ChainStep[] {
  const steps = new Map<TreeNode, OpenStep>()
  for (const [index, node] of members.entries()) {
    steps.set(node, { record: node.record, index, parent: null, children: [], size: 1 })
  }
  const nearest = new Map<TreeNode, TreeNode | null>()
  for (const [node, step] of steps) {
    const above = nearestMember(node, steps, nearest)
    const parent = above === null ? undefined : steps.get(above)
    if (parent === undefined) continue
    step.parent = parent
    parent.children.push(step)
  }
  for (const step of steps.values()) if (step.parent !== null) step.parent.size += step.size
  return [...steps.values()]
}

/** The nearest member above a node; remembered for the nodes passed over, which may be many. */
function nearestMember(
  node: TreeNode,
  members: ReadonlyMap<TreeNode, unknown>,
  nearest: Map<TreeNode, TreeNode | null>,
): TreeNode | null {
  const passed: TreeNode[] = []
  let above = node.parent
  while (above !== null && !members.has(above)) {
    const known = nearest.get(above)
    if (known !== undefined) {
      above = known
      break
    }
    passed.push(above)
    above = above.parent
  }
  for (const between of passed) nearest.set(between, above)
  return above
}
