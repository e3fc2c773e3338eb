import type { ModelStep, Step } from '../../steps/step.ts'
import { isStandardSchema } from '../../rules/standard-schema.ts'
import { CONTENT_LIMIT } from '../../steps/content.ts'
import { judgeOutput } from './declared-output.ts'
import { toResultFindings } from './declared-schema.ts'
import { findResultError } from './error-value.ts'
import { validateAgainst } from './json-schema.ts'
import { readMessageTexts } from './message-texts.ts'
import { readResult } from './result-readings.ts'
import type { RuleCheck } from './rule-check.ts'
import type { SchemaViolation } from './schema-violation.ts'
import { judgeByStandard, toRuleError } from './standard-schema.ts'

type Schema = Readonly<Record<string, unknown>>

/** A result that does not fit the schema of the rules. */
export const resultByRule: RuleCheck = {
  name: 'result-by-rule',
  check(step, { resultSchema }) {
    if (resultSchema === null || step.error !== null) return []
    const { schema } = resultSchema
    const { violations, failure } = isStandardSchema(schema)
      ? judgeByStandard(schema, readResult(step))
      : { violations: judgeResult(step, schema) ?? [], failure: null }
    if (violations.length === 0 && failure === null) return []
    // An error in place of a result never fits, and says more by its own words.
    if (step.kind === 'tool' && findResultError(step.output.value) !== null) return []
    return failure === null ? toResultFindings(step, violations) : [toRuleError(step, resultSchema, failure)]
  },
}

function judgeResult(step: Step, schema: Schema): readonly SchemaViolation[] | null {
  if (step.kind === 'model') return judgeAnswer(step, schema)
  if (!step.output.seen) return null
  const violations = judgeOutput(step.output, schema)
  if (violations === null || violations.length === 0 || step.kind === 'tool') return violations
  // What an agent or a workflow gives back is often the list of its messages.
  const messages = readMessageTexts(step.output.value)
  if (messages === null) return violations
  const text = messages.texts.at(-1)
  return text === undefined || messages.hasOtherParts ? null : judgeText(text, schema)
}

/** What a model says beside the calls that it asks for is no result. */
function judgeAnswer(step: ModelStep, schema: Schema): readonly SchemaViolation[] | null {
  const { state, text, calls } = step.readOutput()
  if (state !== 'seen' || text === null || calls.length > 0 || text.length >= CONTENT_LIMIT) return null
  return judgeText(text, schema)
}

/** A schema may speak of the text itself, or of the JSON in it. */
function judgeText(text: string, schema: Schema): readonly SchemaViolation[] | null {
  const asText = validateAgainst(schema, text)
  if (asText === null || asText.length === 0) return asText
  try {
    return validateAgainst(schema, JSON.parse(text) as unknown)
  } catch {
    return asText
  }
}
