import { classifyError } from '../../findings/error-class.ts'
import { createFinding } from '../../findings/create-finding.ts'
import { toExcerpt } from '../../findings/excerpt.ts'
import { isAgentStep, type StepError } from '../../steps/step.ts'
import type { StepCheck } from './step-check.ts'

/** A step that failed: the code is the class of its error, else `exception`. */
export const exception: StepCheck = {
  name: 'exception',
  check(step) {
    if (!isAgentStep(step) || step.error === null) return []
    const { type, message } = step.error
    return [
      createFinding({
        code: classifyError(type, message) ?? 'exception',
        spanId: step.spanId,
        detail: describeError(step.error),
      }),
    ]
  },
}

function describeError({ type, message }: StepError): string | null {
  const text = type === null || message === '' ? (type ?? message) : `${type}: ${message}`
  return text === '' ? null : toExcerpt(text)
}
