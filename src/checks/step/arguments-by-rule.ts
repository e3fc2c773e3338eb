import { createFinding } from '../../findings/create-finding.ts'
import { toExcerpt } from '../../findings/excerpt.ts'
import { isStandardSchema, type StandardSchema } from '../../rules/standard-schema.ts'
import type { Step } from '../../steps/step.ts'
import { isRecord } from './content-parts.ts'
import { validateAgainst } from './json-schema.ts'
import type { RuleCheck } from './rule-check.ts'
import { type SchemaViolation, toSchemaEvidence } from './schema-violation.ts'
import { judgeByStandard, type StandardJudgement, toRuleError } from './standard-schema.ts'

/** A call whose recorded arguments do not fit the schema of the rules. A model has a prompt, and no arguments. */
export const argumentsByRule: RuleCheck = {
  name: 'arguments-by-rule',
  check(step, { argumentsSchema }) {
    if (argumentsSchema === null || step.kind === 'model') return []
    const { schema } = argumentsSchema
    const { violations, failure } = isStandardSchema(schema)
      ? askAboutArguments(step, schema)
      : { violations: judgeArguments(step, schema), failure: null }
    if (failure !== null) return [toRuleError(step, argumentsSchema, failure)]
    if (violations.length === 0) return []
    return [
      createFinding({
        code: 'invalid_arguments',
        severity: violations.every(({ minor }) => minor) ? 'warn' : 'error',
        spanId: step.spanId,
        detail: toExcerpt(step.kind === 'tool' ? step.toolName : step.nodeName),
        evidence: toSchemaEvidence(violations),
      }),
    ]
  },
}

function askAboutArguments({ input }: Step, schema: StandardSchema): StandardJudgement {
  if (!input.seen) return { violations: [], failure: null }
  const { value } = input
  const named = isRecord(value) && isRecord(value['kwargs']) ? [value['kwargs']] : []
  const { violations, failure } = judgeByStandard(schema, { likely: [value, ...named], texts: [] })
  // Here, too, another notation cannot be told apart from a text, and what an issue is about is not known.
  return { violations: typeof value === 'string' ? [] : violations, failure }
}

function judgeArguments(
  { input }: Step,
  schema: Readonly<Record<string, unknown>>,
): readonly SchemaViolation[] {
  if (!input.seen) return []
  const { value } = input
  const violations = validateAgainst(schema, value) ?? []
  if (violations.length === 0) return []
  // Arguments in another notation than JSON cannot be told apart from a text.
  const wrongType = violations.some(({ path, keyword }) => path === '' && keyword === 'type')
  if (wrongType && typeof value === 'string') return []
  const named = isRecord(value) ? value['kwargs'] : undefined
  return isRecord(named) && validateAgainst(schema, named)?.length === 0 ? [] : violations
}
