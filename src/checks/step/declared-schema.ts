import { createFinding } from '../../findings/create-finding.ts'
import type { Finding } from '../../findings/finding.ts'
import type { Step } from '../../steps/step.ts'
import { judgeDeclaredOutput } from './declared-output.ts'
import { findResultError } from './error-value.ts'
import { type SchemaViolation, toSchemaEvidence } from './schema-violation.ts'
import type { StepCheck } from './step-check.ts'

/** A tool whose result does not fit the output schema that its own span declares. */
export const declaredSchema: StepCheck = {
  name: 'declared-schema',
  check(step) {
    if (step.kind !== 'tool' || step.error !== null) return []
    const violations = judgeDeclaredOutput(step) ?? []
    // An error in place of a result never fits, and says more by its own words.
    if (violations.length === 0 || findResultError(step.output.value) !== null) return []
    return toResultFindings(step, violations)
  },
}

/** What does not fit as findings: `empty_result` for what holds nothing, `schema_violation` for the rest. */
export function toResultFindings(step: Step, violations: readonly SchemaViolation[]): readonly Finding[] {
  const missing = violations.filter(({ empty }) => empty)
  const others = violations.filter(({ empty }) => !empty)
  return [...toFindings(step, 'empty_result', missing), ...toFindings(step, 'schema_violation', others)]
}

function toFindings(
  step: Step,
  code: 'empty_result' | 'schema_violation',
  violations: readonly SchemaViolation[],
): readonly Finding[] {
  if (violations.length === 0) return []
  return [
    createFinding({
      code,
      severity: violations.every(({ minor }) => minor) ? 'warn' : 'error',
      spanId: step.spanId,
      evidence: toSchemaEvidence(violations),
    }),
  ]
}
