import type { Finding } from '../../findings/finding.ts'
import type { Step } from '../../steps/step.ts'

/**
 * A check that sees one step. It is synchronous, keeps no state, and says nothing about content that was not seen:
 * absent is never empty. A check that throws is a defect of ours; the pipeline counts it and goes on.
 */
export interface StepCheck {
  readonly name: string
  check(step: Step): readonly Finding[]
}
