import type { Phase } from '../steps/step.ts'
import type { ByStep, ChainStep } from './chain.ts'

/**
 * The phase of each step: as recorded on it, else as recorded on the nearest step above it, else derived from what
 * it does. Derived: a plan is planning; a reflection, guardrail or evaluation is reflecting; a tool or retrieval is
 * executing; the last model call of the chain that asks for no tool and has no tool after it is summarizing, other
 * model calls are executing. Agents and workflows that nobody labelled span phases and have none.
 */
export function derivePhases(steps: readonly ChainStep[]): ByStep<Phase | null> {
  const phases: (Phase | null)[] = steps.map(({ record }) => BY_KIND[record.kind] ?? null)
  const answer = findAnswer(steps)
  if (answer !== null) phases[answer.index] = 'summarizing'
  return steps.some(({ record }) => record.phase !== null) ? withRecorded(steps, phases) : phases
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

/** From the top down, so that each step finds the recorded phase of its parent. */
function withRecorded(steps: readonly ChainStep[], derived: ByStep<Phase | null>): ByStep<Phase | null> {
  const recorded: (Phase | null)[] = steps.map(() => null)
  for (const { record, parent, index } of steps.toReversed()) {
    recorded[index] = record.phase ?? (parent === null ? null : (recorded[parent.index] ?? null))
  }
  return recorded.map((phase, index) => phase ?? derived[index] ?? null)
}

/** The model call that gave the answer: the last one, if it asks for no tool and no tool runs after it. */
export function findAnswer(steps: readonly ChainStep[]): ChainStep | null {
  const last = steps.findLast(({ record }) => record.kind === 'model' || record.kind === 'tool')
  if (last === undefined || last.record.kind !== 'model' || last.record.requestedCalls.length > 0) return null
  return last
}
