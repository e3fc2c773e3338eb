import type { ChainStep, TimeBreakdown } from './chain.ts'
import { sortNearlySorted } from './sort-nearly-sorted.ts'
import type { StepRecord } from './step-record.ts'

interface Interval {
  readonly startNs: bigint
  readonly endNs: bigint
}

/**
 * Tells where the time of a chain went, in milliseconds. Only leaves of the step tree are looked at, so that a
 * container is not counted beside what it contains:
 *
 * - `modelMs`, `toolMs`: time in which at least one model call (tool or retrieval) ran; both may cover the same time
 * - `firstTokenMs`: sum of the recorded times to the first chunk; a part of `modelMs`; `null` where none is recorded
 * - `betweenStepsMs`: time of the chain in which no leaf ran
 * - `criticalPathMs`: the leaves that, walking back from the end, the end had to wait for
 * - `parallelism`: sum of the leaves' durations over the time in which at least one ran; 1 is one after another
 *
 * @param startNs start of the chain
 * @param endNs end of the chain
 */
export function measureTime(steps: readonly ChainStep[], startNs: bigint, endNs: bigint): TimeBreakdown {
  const leaves: StepRecord[] = []
  for (const { record, children } of steps) if (children.length === 0) leaves.push(record)
  sortNearlySorted(leaves, compareStarts)
  const busy = new Union()
  const models = new Union()
  const tools = new Union()
  let sum = 0n
  for (const leaf of leaves) {
    busy.add(leaf)
    if (leaf.kind === 'model') models.add(leaf)
    else if (leaf.kind === 'tool' || leaf.kind === 'retrieval') tools.add(leaf)
    sum += leaf.endNs - leaf.startNs
  }
  const idleNs = endNs - startNs - busy.totalNs
  return {
    modelMs: toMilliseconds(models.totalNs),
    firstTokenMs: sumFirstTokens(steps),
    toolMs: toMilliseconds(tools.totalNs),
    betweenStepsMs: toMilliseconds(idleNs > 0n ? idleNs : 0n),
    criticalPathMs: toMilliseconds(criticalPathNs(leaves)),
    parallelism: busy.totalNs === 0n ? 1 : Math.round((Number(sum) / Number(busy.totalNs)) * 1_000) / 1_000,
  }
}

/** In fold order, so that the sum of floats is the same at every door; of leaves only. */
function sumFirstTokens(steps: readonly ChainStep[]): number | null {
  let sum: number | null = null
  for (const { record, children } of steps) {
    if (record.firstTokenMs !== null && children.length === 0) sum = (sum ?? 0) + record.firstTokenMs
  }
  return sum
}

/** Milliseconds with at most 3 decimals: a time is rounded to microseconds here, at the edge, and nowhere before. */
export function toMilliseconds(nanoseconds: bigint): number {
  return Number((nanoseconds + 500n) / 1_000n) / 1_000
}

/** The time that intervals cover together; they are added in the order of their starts. */
class Union {
  totalNs = 0n
  #until: bigint | null = null

  add({ startNs, endNs }: Interval): void {
    const from = this.#until === null || startNs > this.#until ? startNs : this.#until
    if (endNs > from) this.totalNs += endNs - from
    if (this.#until === null || endNs > this.#until) this.#until = endNs
  }
}

/**
 * Walks back from the latest end: the leaf that ended last, then the one that ended last before it started.
 *
 * @param intervals a list of its own, which is sorted in place
 */
function criticalPathNs(intervals: Interval[]): bigint {
  sortNearlySorted(intervals, compareEnds)
  let total = 0n
  let before: bigint | null = null
  for (let at = intervals.length - 1; at >= 0; at--) {
    const { startNs, endNs } = intervals[at] as Interval
    if (before !== null && endNs > before) continue
    total += endNs - startNs
    before = startNs
  }
  return total
}

function compareStarts(a: Interval, b: Interval): number {
  return a.startNs === b.startNs ? 0 : a.startNs < b.startNs ? -1 : 1
}

function compareEnds(a: Interval, b: Interval): number {
  if (a.endNs === b.endNs) return compareStarts(a, b)
  return a.endNs < b.endNs ? -1 : 1
}
