import { createFinding } from '../../findings/create-finding.ts'
import { endedBy } from './finish-reasons.ts'
import type { StepCheck } from './step-check.ts'

/** A model whose answer a content filter stopped. */
export const filteredOutput: StepCheck = {
  name: 'filtered-output',
  check(step) {
    if (step.kind !== 'model' || !endedBy(step, 'content_filter')) return []
    return [
      createFinding({
        code: 'filtered_output',
        spanId: step.spanId,
        evidence: [{ path: 'finish_reason', expected: null, actual: 'content_filter' }],
      }),
    ]
  },
}
