import { createFinding } from '../../findings/create-finding.ts'
import { toExcerpt } from '../../findings/excerpt.ts'
import type { Finding } from '../../findings/finding.ts'
import type { PlacedSchema } from '../../rules/rules.ts'
import type { StandardResult, StandardSchema } from '../../rules/standard-schema.ts'
import type { Step } from '../../steps/step.ts'
import type { Readings } from './result-readings.ts'
import type { SchemaViolation } from './schema-violation.ts'
import { toStandardViolations } from './standard-violation.ts'

/** What a Standard Schema says of a value. */
export interface StandardJudgement {
  /** What does not fit; empty where all does, and where nothing can be said. */
  readonly violations: readonly SchemaViolation[]
  /** What is wrong with the validator, as the end of a sentence; `null` where it answered. */
  readonly failure: string | null
}

const FITS: StandardJudgement = { violations: [], failure: null }

const ASYNCHRONOUS = 'validates asynchronously, which is not judged here'

/**
 * Asks a Standard Schema what it says of a value that may be read in several ways. The value fits if any reading does;
 * else the first reading is told. The validator sees copies, and nothing that it throws comes out of here.
 */
export function judgeByStandard(schema: StandardSchema, { likely, texts }: Readings): StandardJudgement {
  const told = askUntilFit(schema, likely)
  const { violations, failure } = told
  // What is refused as a whole may be of another type than the schema names.
  const isWhole = failure === null ? violations.some(({ path }) => path === '') : failure !== ASYNCHRONOUS
  return isWhole && texts.length > 0 && isFit(askUntilFit(schema, texts)) ? FITS : told
}

/** The finding for a validator that gave no answer. */
export function toRuleError({ spanId }: Step, { place }: PlacedSchema, failure: string): Finding {
  return createFinding({
    code: 'rule_error',
    spanId,
    detail: toExcerpt(`${place.path} ${failure}`),
    evidence: [{ path: toExcerpt(place.path), expected: 'an answer', actual: toExcerpt(failure) }],
  })
}

function askUntilFit(schema: StandardSchema, readings: readonly unknown[]): StandardJudgement {
  let told: StandardJudgement | null = null
  for (const reading of readings) {
    const judgement = askOnce(schema, reading)
    if (isFit(judgement)) return FITS
    if (judgement.failure === ASYNCHRONOUS) return judgement
    told ??= judgement
  }
  return told ?? FITS
}

function isFit({ violations, failure }: StandardJudgement): boolean {
  return failure === null && violations.length === 0
}

function askOnce(schema: StandardSchema, value: unknown): StandardJudgement {
  const copy = copyOf(value)
  if (copy === null) return FITS
  try {
    const answer: unknown = schema['~standard'].validate(copy.value)
    if (isThenable(answer)) {
      // Nobody waits for it, so nobody else would handle its rejection.
      Promise.resolve(answer).catch(() => null)
      return { violations: [], failure: ASYNCHRONOUS }
    }
    return readAnswer(answer, value)
  } catch (error) {
    return { violations: [], failure: `threw ${describeThrown(error)}` }
  }
}

/** What cannot be copied cannot be judged. */
function copyOf(value: unknown): { readonly value: unknown } | null {
  try {
    return { value: structuredClone(value) }
  } catch {
    return null
  }
}

function readAnswer(answer: unknown, value: unknown): StandardJudgement {
  try {
    if (isResult(answer)) {
      const { issues } = answer
      return issues ? { violations: toStandardViolations(issues, value), failure: null } : FITS
    }
  } catch {
    // An issue in another form is as good as an answer in one.
  }
  return { violations: [], failure: 'answered in another form than Standard Schema has' }
}

function isResult(answer: unknown): answer is StandardResult {
  if (typeof answer !== 'object' || answer === null) return false
  return !('issues' in answer) || !answer.issues || Array.isArray(answer.issues)
}

function isThenable(answer: unknown): answer is PromiseLike<unknown> {
  return (
    typeof answer === 'object' && answer !== null && 'then' in answer && typeof answer.then === 'function'
  )
}

function describeThrown(error: unknown): string {
  if (error instanceof Error) return `${error.name}: ${error.message}`
  return typeof error === 'string' ? error : `a value that is no error (${typeof error})`
}
