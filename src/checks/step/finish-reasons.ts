import { toFinishReason } from '../../steps/finish-reason.ts'
import type { ModelStep } from '../../steps/step.ts'

/** The finish reasons of a model step, those inside its output messages included, in one spelling. */
export function readFinishReasons(step: ModelStep): ReadonlySet<string> {
  return new Set([...step.finishReasons, ...step.readOutput().finishReasons].map(toFinishReason))
}
