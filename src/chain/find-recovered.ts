import type { Call, ChainStep } from './chain.ts'
import { hasFailed } from './step-failure.ts'

const NONE: ReadonlySet<never> = new Set()

/** Finds the failed attempts that a later attempt of the same call made good, with all steps inside them. */
export function findRecovered(calls: readonly Call[]): ReadonlySet<ChainStep> {
  let recovered: Set<ChainStep> | null = null
  for (const { attempts } of calls) {
    if (attempts.length < 2 || hasFailed((attempts.at(-1) as ChainStep).record)) continue
    recovered ??= new Set()
    for (const attempt of attempts.slice(0, -1)) addSubtree(attempt, recovered)
  }
  return recovered ?? NONE
}

function addSubtree(top: ChainStep, into: Set<ChainStep>): void {
  const stack = [top]
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    if (into.has(step)) continue
    into.add(step)
    for (const child of step.children) stack.push(child)
  }
}
