import type { ByStep, ChainStep } from './chain.ts'

/** For each step the nearest one above it that is sought; `null` where there is none, or one that is not passed. */
export function nearestAbove(
  steps: readonly ChainStep[],
  isSought: (step: ChainStep) => boolean,
  isPassed: (step: ChainStep) => boolean,
): ByStep<ChainStep | null> {
  const nearest: (ChainStep | null)[] = steps.map(() => null)
  // Parents come after their children in fold order.
  for (let at = steps.length - 1; at >= 0; at--) {
    const { parent } = steps[at] as ChainStep
    if (parent === null) continue
    if (isSought(parent)) nearest[at] = parent
    else if (isPassed(parent)) nearest[at] = nearest[parent.index] ?? null
  }
  return nearest
}
