import type { ModelStep } from '../../steps/step.ts'

/** True where a model step, or a message in its output, was recorded to have ended for a reason, in one spelling. */
export function endedBy(step: ModelStep, reason: string): boolean {
  return step.finishReasons.includes(reason) || step.readOutput().finishReasons.includes(reason)
}
