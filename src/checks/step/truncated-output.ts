import { createFinding } from '../../findings/create-finding.ts'
import { endedBy } from './finish-reasons.ts'
import type { StepCheck } from './step-check.ts'

/** A model that stopped because it ran into its limit of output tokens. */
export const truncatedOutput: StepCheck = {
  name: 'truncated-output',
  check(step) {
    if (step.kind !== 'model' || !endedBy(step, 'length')) return []
    return [
      createFinding({
        code: 'truncated_output',
        spanId: step.spanId,
        evidence: [{ path: 'finish_reason', expected: null, actual: 'length' }],
      }),
    ]
  },
}
