import { createFinding } from '../../findings/create-finding.ts'
import { toExcerpt } from '../../findings/excerpt.ts'
import type { Severity } from '../../findings/severity.ts'
import type { Content } from '../../steps/content.ts'
import { findResultError, mayBeError, type ResultError } from './error-value.ts'
import type { StepCheck } from './step-check.ts'

/**
 * An error in words alone is how many tools tell a model to try another way, and agents that reach their aim meet it
 * often: a warning. A field that is meant for errors leaves no doubt.
 */
const SEVERITIES: Readonly<Record<ResultError['toldBy'], Severity>> = { field: 'error', wording: 'warn' }

/** A tool or a retrieval whose span is fine, and whose result is an error. */
export const errorInResult: StepCheck = {
  name: 'error-in-result',
  check(step) {
    if ((step.kind !== 'tool' && step.kind !== 'retrieval') || step.error !== null) return []
    const error = step.output.seen && mayTellError(step.output) ? findResultError(step.output.value) : null
    if (error === null) return []
    const { path, expected, actual, text, toldBy } = error
    return [
      createFinding({
        code: 'error_in_result',
        severity: SEVERITIES[toldBy],
        spanId: step.spanId,
        detail: toExcerpt(text),
        evidence: [{ path, expected, actual: typeof actual === 'string' ? toExcerpt(actual) : actual }],
      }),
    ]
  },
}

/** How much of each end of a long JSON result is searched for a field that tells an error, in UTF-16 code units. */
const SEARCHED_ENDS = 1_024

const ERROR_FIELD =
  /"(?:error|errors|err|exception|isError|success|ok|status|statusCode|status_code|http_?[sS]tatus)"\s*:/u

/** A long JSON result is parsed only where one of its ends names a field that can tell an error. */
function mayTellError(output: Content): boolean {
  if (!output.isLong) return mayBeError(output)
  const { text } = output
  if (!/^\s*[[{"]/u.test(text)) return true
  return ERROR_FIELD.test(text.slice(0, SEARCHED_ENDS)) || ERROR_FIELD.test(text.slice(-SEARCHED_ENDS))
}
