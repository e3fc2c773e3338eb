import type { Phase } from '../steps/step.ts'
import type { ChainStep } from './chain.ts'

/**
 * The phase of each step: as recorded on it, else as recorded on the nearest step above it, else derived from what
 * it does. Derived: a plan is planning; a reflection, guardrail or evaluation is reflecting; a tool or retrieval is
 * executing; the last model call of the chain that asks for no tool and has no tool after it is summarizing, other
 * model calls are executing. Agents and workflows that nobody labelled span phases and have none.
 */
export function derivePhases(steps: readonly ChainStep[]): ReadonlyMap<ChainStep, Phase> {
  const phases = new Map<ChainStep, Phase>()
  const answer = findAnswer(steps)
  const recorded = recordedPhases(steps)
  for (const step of steps) {
    const phase =
      recorded.get(step) ?? (step === answer ? 'summarizing' : (BY_KIND[step.record.kind] ?? null))
    if (phase !== null) phases.set(step, phase)
  }
  return phases
}

const BY_KIND: Readonly<Record<string, Phase>> = {
  plan: 'planning',
  reflection: 'reflecting',
  guardrail: 'reflecting',
  evaluation: 'reflecting',
  tool: 'executing',
  retrieval: 'executing',
  model: 'executing',
}

/** From the top down, so that each step finds the phase of its parent. */
function recordedPhases(steps: readonly ChainStep[]): ReadonlyMap<ChainStep, Phase> {
  const recorded = new Map<ChainStep, Phase>()
  for (const step of steps.toReversed()) {
    const inherited = step.parent === null ? undefined : recorded.get(step.parent)
    const phase = step.record.phase ?? inherited
    if (phase !== undefined) recorded.set(step, phase)
  }
  return recorded
}

/** The model call that gave the answer: the last one, if it asks for no tool and no tool runs after it. */
export function findAnswer(steps: readonly ChainStep[]): ChainStep | null {
  const last = steps.findLast(({ record }) => record.kind === 'model' || record.kind === 'tool')
  if (last === undefined || last.record.kind !== 'model' || last.record.requestedCalls.length > 0) return null
  return last
}
