import { createFinding } from '../../findings/create-finding.ts'
import { holdsNothing } from './empty-result.ts'
import type { RuleCheck } from './rule-check.ts'

/** An empty result where the rules ask for one. */
export const requiredResult: RuleCheck = {
  name: 'required-result',
  check(step, { notEmpty }) {
    if (!notEmpty || step.error !== null || !holdsNothing(step)) return []
    return [createFinding({ code: 'empty_result', severity: 'error', spanId: step.spanId })]
  },
}
