import type { ChainStep } from './chain.ts'

/**
 * True where `step` is below `container`. In fold order the subtree of a step stands right before it, so that this
 * needs no walk.
 */
export function isInside(step: ChainStep, container: ChainStep): boolean {
  return step.index < container.index && step.index > container.index - container.size
}
