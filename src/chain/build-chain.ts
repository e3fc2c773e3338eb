import { sha256Hex } from '../steps/digest.ts'
import { isAgentStep } from '../steps/step.ts'
import type { Chain, ChainStep } from './chain.ts'
import { recordOpenSpan } from './condense-step.ts'
import { toChainSteps } from './chain-steps.ts'
import { countUsage } from './count-usage.ts'
import { derivePhases } from './derive-phases.ts'
import { type FoldedTree, foldTree, isOrderUndecided, type TreeNode } from './fold-order.ts'
import { findRecovered } from './find-recovered.ts'
import { groupCalls } from './group-calls.ts'
import { linkCalls } from './link-calls.ts'
import { linkReaders } from './link-readers.ts'
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
  const open = openSpans(trace)
  const tree = foldTree(open.length === 0 ? trace.values() : [...trace.values(), ...open])
  const chains: Chain[] = []
  for (const [chainId, members] of cutChains(tree.order, trace.traceId)) {
    chains.push(buildChain(trace, chainId, members, tree))
  }
  return chains
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
  return opened.size === 0 ? NONE : [...opened.values()]
}

const NONE: readonly never[] = []

/** The steps of each chain. From the top down, so that each span finds the chain of its parent. */
function cutChains(order: readonly TreeNode[], traceId: string): ReadonlyMap<string, readonly TreeNode[]> {
  for (let at = order.length - 1; at >= 0; at--) {
    const node = order[at] as TreeNode
    node.chainId = node.record.chainId ?? node.parent?.chainId ?? traceId
  }
  const byChain = new Map<string, TreeNode[]>()
  let members: TreeNode[] | undefined
  for (const node of order) {
    if (!isAgentStep(node.record)) continue
    if (members?.[0]?.chainId !== node.chainId) members = byChain.get(node.chainId)
    if (members === undefined) byChain.set(node.chainId, (members = []))
    members.push(node)
  }
  return byChain.size === 0 ? byChain.set(traceId, []) : byChain
}

function buildChain(
  trace: TraceRecords,
  chainId: string,
  members: readonly TreeNode[],
  tree: FoldedTree,
): Chain {
  const steps = toChainSteps(members)
  const roots = steps.filter((step) => step.parent === null)
  const isUndecided = (a: ChainStep, b: ChainStep): boolean =>
    isOrderUndecided(a.record, b.record, tree.positions)
  const span = measureSpan(roots.length > 0 ? roots : tree.order)
  const usage = countUsage(steps)
  const calls = groupCalls(steps, isUndecided, usage.repeated)
  const linked = linkCalls(steps)
  return {
    traceId: trace.traceId,
    chainId,
    spanCount: trace.size,
    spanIds: trace,
    resource: (roots[0]?.record ?? tree.order[0]?.record)?.resource ?? { attributes: {} },
    steps,
    roots,
    calls,
    recovered: findRecovered(calls),
    ...linked,
    readers: linkReaders(steps, linked.producers),
    usage,
    time: measureTime(steps, span.startNs, span.endNs),
    phases: derivePhases(steps),
    startNs: span.startNs,
    endNs: span.endNs,
    remoteParent: roots.some((root) => root.record.remoteParent),
    isOrderUndecided: isUndecided,
  }
}

interface Span {
  readonly startNs: bigint
  readonly endNs: bigint
}

/** From the first start to the last end. */
function measureSpan(parts: readonly { readonly record: Span }[]): Span {
  let { startNs, endNs } = parts[0]?.record ?? { startNs: 0n, endNs: 0n }
  for (const { record } of parts) {
    if (record.startNs < startNs) startNs = record.startNs
    if (record.endNs > endNs) endNs = record.endNs
  }
  return { startNs, endNs }
}
