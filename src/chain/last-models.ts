import type { ByStep, ChainStep } from './chain.ts'

/** For each step the model call in its subtree that started last. Children come first in fold order. */
export function lastModels(steps: readonly ChainStep[]): ByStep<ChainStep | null> {
  const last: (ChainStep | null)[] = []
  for (const step of steps) {
    let found = step.record.kind === 'model' ? step : null
    for (const child of step.children) {
      const below = last[child.index] ?? null
      if (below !== null && (found === null || below.record.startNs >= found.record.startNs)) found = below
    }
    last.push(found)
  }
  return last
}
