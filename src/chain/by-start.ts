import type { ChainStep } from './chain.ts'
import { sortNearlySorted } from './sort-nearly-sorted.ts'

/**
 * Puts steps in the order of their starts; those that start together keep to fold order.
 *
 * @param steps a list of its own, which is sorted in place
 * @returns the list
 */
export function byStart(steps: ChainStep[]): readonly ChainStep[] {
  return sortNearlySorted(steps, compareStarts)
}

/** Compares two steps by their starts, and those that start together by fold order. */
export function compareStarts(a: ChainStep, b: ChainStep): number {
  if (a.record.startNs === b.record.startNs) return a.index - b.index
  return a.record.startNs < b.record.startNs ? -1 : 1
}

/** True where `step` did not start before `model`. */
export function startsBefore(model: ChainStep, step: ChainStep): boolean {
  return model.record.startNs <= step.record.startNs
}

/**
 * Finds how many steps at the beginning of a sorted list hold to a rule, by a binary search: there may be as many as the
 * chain has.
 *
 * @param holds true for none that comes after one for which it is false
 */
export function countLeading(steps: readonly ChainStep[], holds: (step: ChainStep) => boolean): number {
  let low = 0
  let high = steps.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(steps[middle] as ChainStep)) low = middle + 1
    else high = middle
  }
  return low
}
