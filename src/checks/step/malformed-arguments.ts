import { createFinding } from '../../findings/create-finding.ts'
import { toExcerpt } from '../../findings/excerpt.ts'
import type { RequestedCall } from '../../steps/model-output.ts'
import { endedBy } from './finish-reasons.ts'
import type { StepCheck } from './step-check.ts'
import { isWholeJsonText } from './text-state.ts'

/** A model that wrote arguments of a call that are not JSON, though it was not stopped by its token limit. */
export const malformedArguments: StepCheck = {
  name: 'malformed-arguments',
  check(step) {
    if (step.kind !== 'model') return []
    const malformed = step.readOutput().calls.filter(isMalformed)
    if (malformed.length === 0 || endedBy(step, 'length')) return []
    return malformed.map((call) =>
      createFinding({
        code: 'malformed_arguments',
        spanId: step.spanId,
        detail: toExcerpt(call.name),
        evidence: [{ path: '', expected: 'JSON', actual: toExcerpt(String(call.arguments)) }],
      }),
    )
  },
}

function isMalformed({ malformed, unseen, arguments: text }: RequestedCall): boolean {
  return malformed && !unseen && typeof text === 'string' && isWholeJsonText(text)
}
