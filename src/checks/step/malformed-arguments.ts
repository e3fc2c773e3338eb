import { createFinding } from '../../findings/create-finding.ts'
import { toExcerpt } from '../../findings/excerpt.ts'
import type { RequestedCall } from '../../steps/model-output.ts'
import { isCutArguments } from '../../steps/requested-call.ts'
import { readFinishReasons } from './finish-reasons.ts'
import type { StepCheck } from './step-check.ts'
import { stateOfText } from './text-state.ts'

/** Shorter than any length limit on attributes that is in use, in UTF-16 code units. */
const SHORTEST_LIMIT = 128

/** A model that wrote arguments of a call that are not JSON, though it was not stopped by its token limit. */
export const malformedArguments: StepCheck = {
  name: 'malformed-arguments',
  check(step) {
    if (step.kind !== 'model') return []
    const malformed = step.readOutput().calls.filter(isMalformed)
    if (malformed.length === 0 || readFinishReasons(step).has('length')) return []
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

/** Arguments that merely stop were cut by a limit on recorded lengths, unless they are shorter than any. */
function isMalformed(call: RequestedCall): boolean {
  if (!call.malformed || call.unseen || typeof call.arguments !== 'string') return false
  if (stateOfText(call.arguments) === 'redacted') return false
  return !isCutArguments(call) || call.arguments.length < SHORTEST_LIMIT
}
