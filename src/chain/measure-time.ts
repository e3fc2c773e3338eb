import type { ChainStep, TimeBreakdown } from './chain.ts'

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
  const leaves = steps.filter((step) => step.children.length === 0)
  const ofKinds = (...kinds: readonly string[]): readonly Interval[] =>
    leaves.filter((step) => kinds.includes(step.record.kind)).map((step) => step.record)
  const all = leaves.map((step) => step.record)
  const busy = unionNs(all)
  const firstTokens = leaves.map((step) => step.record.firstTokenMs).filter((ms) => ms !== null)
  const sum = all.reduce((total, leaf) => total + (leaf.endNs - leaf.startNs), 0n)
  return {
    modelMs: toMilliseconds(unionNs(ofKinds('model'))),
    firstTokenMs: firstTokens.length === 0 ? null : firstTokens.reduce((total, ms) => total + ms, 0),
    toolMs: toMilliseconds(unionNs(ofKinds('tool', 'retrieval'))),
    betweenStepsMs: toMilliseconds(endNs - startNs > busy ? endNs - startNs - busy : 0n),
    criticalPathMs: toMilliseconds(criticalPathNs(all)),
    parallelism: busy === 0n ? 1 : Math.round((Number(sum) / Number(busy)) * 1_000) / 1_000,
  }
}

/** Milliseconds with at most 3 decimals: a time is rounded to microseconds here, at the edge, and nowhere before. */
export function toMilliseconds(nanoseconds: bigint): number {
  return Number((nanoseconds + 500n) / 1_000n) / 1_000
}

function unionNs(intervals: readonly Interval[]): bigint {
  let total = 0n
  let until: bigint | null = null
  for (const { startNs, endNs } of intervals.toSorted(byStart)) {
    const from: bigint = until === null || startNs > until ? startNs : until
    if (endNs > from) total += endNs - from
    if (until === null || endNs > until) until = endNs
  }
  return total
}

/** Walks back from the latest end: the leaf that ended last, then the one that ended last before it started. */
function criticalPathNs(intervals: readonly Interval[]): bigint {
  const byEnd = intervals.toSorted((a, b) =>
    a.endNs === b.endNs ? byStart(a, b) : a.endNs < b.endNs ? -1 : 1,
  )
  let total = 0n
  let before: bigint | null = null
  for (let at = byEnd.length - 1; at >= 0; at--) {
    const { startNs, endNs } = byEnd[at] as Interval
    if (before !== null && endNs > before) continue
    total += endNs - startNs
    before = startNs
  }
  return total
}

function byStart(a: Interval, b: Interval): number {
  return a.startNs === b.startNs ? 0 : a.startNs < b.startNs ? -1 : 1
}
