import { compareCodeUnits } from '../steps/canonical-json.ts'
import type { ChainStep } from './chain.ts'
import { sortNearlySorted } from './sort-nearly-sorted.ts'
import type { StepRecord } from './step-record.ts'

/** A record in the span tree of its trace, and where it stands once the trace is cut into chains. */
export interface TreeNode {
  readonly record: StepRecord
  parent: TreeNode | null
  readonly children: TreeNode[]
  chainId: string
  step: OpenStep | null
}

/** A step while its chain is put together. */
export interface OpenStep extends ChainStep {
  parent: OpenStep | null
  readonly children: OpenStep[]
  size: number
}

/** The positions of tool calls in the outputs of the models that asked for them, by call id. */
export type CallPositions = ReadonlyMap<string, number>

/** The span tree of a trace in fold order. */
export interface FoldedTree {
  /** All records, no step before its descendants. */
  readonly order: readonly TreeNode[]
  readonly positions: CallPositions
}

/**
 * Puts the records of a trace into fold order: tree order, no step before its descendants, siblings by start time,
 * sequence number (absent last), position of the tool call in the model's output (absent last), end time, span id.
 * A span whose parent was never exported is a top span. Parents that form a ring are cut at its earliest span.
 */
export function foldTree(records: Iterable<StepRecord>): FoldedTree {
  const nodes = new Map<string, TreeNode>()
  const models: StepRecord[] = []
  for (const record of records) {
    nodes.set(record.spanId, { record, parent: null, children: [], chainId: '', step: null })
    if (record.requestedCalls.length > 0) models.push(record)
  }
  const positions = readPositions(models)
  const byFoldOrder = (a: TreeNode, b: TreeNode): number => compareSiblings(a.record, b.record, positions)
  const tops = linkNodes(nodes)
  for (const { children } of nodes.values()) sortNearlySorted(children, byFoldOrder)
  sortNearlySorted(tops, byFoldOrder)
  const order = postOrder(tops)
  if (order.length === nodes.size) return { order, positions }
  return { order: postOrder(cutRings(nodes, tops, byFoldOrder).sort(byFoldOrder)), positions }
}

/** Hangs each node below its parent, and tells which have none. */
function linkNodes(nodes: ReadonlyMap<string, TreeNode>): TreeNode[] {
  const tops: TreeNode[] = []
  for (const node of nodes.values()) {
    const { parentSpanId } = node.record
    const parent = parentSpanId === null ? undefined : nodes.get(parentSpanId)
    if (parent === undefined || parent === node) tops.push(node)
    else {
      node.parent = parent
      parent.children.push(node)
    }
  }
  return tops
}

/**
 * True where nothing recorded tells which of two siblings came first: they start at the same time (the JS SDK
 * records starts in whole milliseconds), not both have a sequence number, and not both a known call position.
 */
export function isOrderUndecided(a: StepRecord, b: StepRecord, positions: CallPositions): boolean {
  if (a.startNs !== b.startNs) return false
  if (a.sequence !== null && b.sequence !== null && a.sequence !== b.sequence) return false
  const positionA = positionOf(a, positions)
  const positionB = positionOf(b, positions)
  return positionA === Infinity || positionB === Infinity || positionA === positionB
}

function compareSiblings(a: StepRecord, b: StepRecord, positions: CallPositions): number {
  if (a.startNs !== b.startNs) return a.startNs < b.startNs ? -1 : 1
  const sequence = compareNumbers(a.sequence ?? Infinity, b.sequence ?? Infinity)
  if (sequence !== 0) return sequence
  const position = compareNumbers(positionOf(a, positions), positionOf(b, positions))
  if (position !== 0) return position
  if (a.endNs !== b.endNs) return a.endNs < b.endNs ? -1 : 1
  return compareCodeUnits(a.spanId, b.spanId)
}

/** Compares numbers that may both be infinite. */
function compareNumbers(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function positionOf(record: StepRecord, positions: CallPositions): number {
  return record.callId === null ? Infinity : (positions.get(record.callId) ?? Infinity)
}

function readPositions(models: StepRecord[]): CallPositions {
  const positions = new Map<string, number>()
  models.sort((a, b) =>
    a.startNs === b.startNs ? compareCodeUnits(a.spanId, b.spanId) : a.startNs < b.startNs ? -1 : 1,
  )
  for (const model of models) {
    for (const [position, call] of model.requestedCalls.entries()) {
      if (call.id !== null && !positions.has(call.id)) positions.set(call.id, position)
    }
  }
  return positions
}

/** Nodes that no top span leads to stand in rings; each ring is opened at its first span in fold order. */
function cutRings(
  nodes: ReadonlyMap<string, TreeNode>,
  tops: readonly TreeNode[],
  byFoldOrder: (a: TreeNode, b: TreeNode) => number,
): TreeNode[] {
  const found = [...tops]
  const reached = new Set<TreeNode>()
  for (const top of tops) markReached(top, reached)
  if (reached.size === nodes.size) return found
  for (const node of [...nodes.values()].sort(byFoldOrder)) {
    if (reached.has(node)) continue
    const opening = firstOfRing(node, byFoldOrder)
    const parent = opening.parent
    if (parent !== null) parent.children.splice(parent.children.indexOf(opening), 1)
    opening.parent = null
    found.push(opening)
    markReached(opening, reached)
  }
  return found
}

function firstOfRing(start: TreeNode, byFoldOrder: (a: TreeNode, b: TreeNode) => number): TreeNode {
  const seen = new Set<TreeNode>()
  let node = start
  while (!seen.has(node)) {
    seen.add(node)
    node = node.parent ?? node
  }
  let first = node
  for (let next = node.parent ?? node; next !== node; next = next.parent ?? node) {
    if (byFoldOrder(next, first) < 0) first = next
  }
  return first
}

function markReached(top: TreeNode, reached: Set<TreeNode>): void {
  const stack = [top]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    reached.add(node)
    for (const child of node.children) stack.push(child)
  }
}

/** Children before parents, without recursion: a trace may be thousands of spans deep. */
function postOrder(tops: readonly TreeNode[]): readonly TreeNode[] {
  const reversed: TreeNode[] = []
  const stack = [...tops]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    reversed.push(node)
    for (const child of node.children) stack.push(child)
  }
  return reversed.reverse()
}
