import { createFinding } from '../../findings/create-finding.ts'
import { toExcerpt } from '../../findings/excerpt.ts'
import { findResultError } from './error-value.ts'
import type { StepCheck } from './step-check.ts'

/** A tool or a retrieval whose span is fine, and whose result is an error. */
export const errorInResult: StepCheck = {
  name: 'error-in-result',
  check(step) {
    if ((step.kind !== 'tool' && step.kind !== 'retrieval') || step.error !== null || !step.output.seen)
      return []
    const error = findResultError(step.output.value)
    if (error === null) return []
    const { path, expected, actual, text } = error
    return [
      createFinding({
        code: 'error_in_result',
        spanId: step.spanId,
        detail: toExcerpt(text),
        evidence: [{ path, expected, actual: typeof actual === 'string' ? toExcerpt(actual) : actual }],
      }),
    ]
  },
}
