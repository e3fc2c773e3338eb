import { classifyError } from '../../findings/error-class.ts'
import { createFinding } from '../../findings/create-finding.ts'
import { toExcerpt } from '../../findings/excerpt.ts'
import { isAgentStep, type Step } from '../../steps/step.ts'
import { findResultError } from './error-value.ts'
import type { StepCheck } from './step-check.ts'

/** A recorded result this short is the error message itself, in UTF-16 code units. */
const SHORT_RESULT = 500

/** A step that failed: the code is the class of its error, else `exception`. */
export const exception: StepCheck = {
  name: 'exception',
  check(step) {
    if (!isAgentStep(step) || step.error === null) return []
    const { type } = step.error
    const message = step.error.message === '' ? readMessageInResult(step) : step.error.message
    const text = type === null || message === '' ? (type ?? message) : `${type}: ${message}`
    return [
      createFinding({
        code: classifyError(type, message) ?? 'exception',
        spanId: step.spanId,
        detail: text === '' ? null : toExcerpt(text),
      }),
    ]
  },
}

/** Tools that mark their span as failed often leave the words in the result, as the Model Context Protocol has it. */
function readMessageInResult({ kind, output }: Step): string {
  if (kind !== 'tool' || !output.seen) return ''
  const error = findResultError(output.value)
  if (error !== null) return error.text
  return typeof output.value === 'string' && output.value.length <= SHORT_RESULT ? output.value : ''
}
