import { Ajv, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { canonicalJson } from '../../steps/canonical-json.ts'
import { sha256Hex } from '../../steps/digest.ts'
import { type CheckableSchema, COST_KEYWORD, toCheckableSchema } from './checkable-schema.ts'
import { longestSafeText } from './safe-pattern.ts'
import { type SchemaViolation, toViolations } from './schema-violation.ts'

/** The longest schema that is compiled, in UTF-16 code units of its canonical JSON: 65,536. */
const SCHEMA_LIMIT = 65_536

/** How many compiled schemas are kept. */
const CACHE_LIMIT = 200

/** Evaluations of subschemas that one value may take: some tenths of a second. */
const COST_LIMIT = 500_000

interface Compiled {
  readonly validate: ValidateFunction
  readonly root: object
}

type Engine = Pick<Ajv, 'compile' | 'removeSchema'>

const compiledSchemas = new Map<string, Compiled | null>()
const engines = new Map<CheckableSchema['draft'], Engine>()
const budget = { left: 0 }

/**
 * Validates a value against a JSON Schema of unknown origin (draft-07 or 2020-12, by `$schema`). It follows no
 * reference out of the schema, and its time is bounded.
 *
 * @returns what does not fit, empty where all does; `null` where schema or value cannot be checked
 */
export function validateAgainst(
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
): readonly SchemaViolation[] | null {
  try {
    const compiled = compileOnce(schema)
    if (compiled === null) return null
    const { validate, root } = compiled
    budget.left = COST_LIMIT
    const errors = validate(value) ? [] : (validate.errors ?? [])
    // The errors refer to the value, which must not outlive the step.
    validate.errors = null
    return toViolations(errors, root)
  } catch {
    return null
  }
}

/** True for a schema that {@link validateAgainst} takes as it is written, with nothing left out. */
export function isWhollyCheckable(schema: Readonly<Record<string, unknown>>): boolean {
  return toCheckableSchema(schema)?.loosened === false && compileOnce(schema) !== null
}

function compileOnce(schema: Readonly<Record<string, unknown>>): Compiled | null {
  const text = canonicalJson(schema)
  if (text.length > SCHEMA_LIMIT) return null
  const key = sha256Hex(text)
  const cached = compiledSchemas.get(key)
  const compiled = cached === undefined ? compile(schema) : cached
  compiledSchemas.delete(key)
  compiledSchemas.set(key, compiled)
  if (compiledSchemas.size > CACHE_LIMIT) {
    for (const oldest of compiledSchemas.keys()) {
      compiledSchemas.delete(oldest)
      break
    }
  }
  return compiled
}

function compile(schema: Readonly<Record<string, unknown>>): Compiled | null {
  const checkable = toCheckableSchema(schema)
  if (checkable === null) return null
  const engine = engineFor(checkable.draft)
  try {
    return { validate: engine.compile(checkable.schema), root: checkable.schema }
  } catch {
    return null
  } finally {
    // The engine would keep every schema it has seen; the bounded cache above is the only one.
    engine.removeSchema(checkable.schema)
  }
}

function engineFor(draft: CheckableSchema['draft']): Engine {
  const known = engines.get(draft)
  if (known !== undefined) return known
  const engine = draft === '07' ? new Ajv(options) : new Ajv2020(options)
  engines.set(draft, engine)
  return engine
}

const options: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  logger: false,
  // The schema of schemas takes a tenth of a second to compile; what it would refuse is refused on the way.
  meta: false,
  validateSchema: false,
  formats: fullFormats,
  multipleOfPrecision: 6,
  code: { regExp: Object.assign(createBoundedRegExp, { code: 'createBoundedRegExp' }) },
  keywords: [{ keyword: COST_KEYWORD, errors: false, validate: spend }],
}

class OverBudget extends Error {}

/** Runs with every subschema that is evaluated. What one subschema repeats by itself is added. */
function spend(cost: number, data: unknown, subschema: Readonly<Record<string, unknown>> = {}): boolean {
  const size = typeof data === 'object' && data !== null ? Object.keys(data).length : 0
  const comparisons = subschema['uniqueItems'] === true ? size ** 2 : 0
  const patterns = subschema['patternProperties'] === undefined ? 0 : cost * size
  budget.left -= cost + comparisons + patterns
  if (budget.left < 0) throw new OverBudget()
  return true
}

/** A regular expression that refuses texts on which it might run for long. */
function createBoundedRegExp(pattern: string, flags: string): { test(text: string): boolean } {
  const expression = new RegExp(pattern, flags)
  const longest = longestSafeText(pattern)
  return {
    test(text) {
      if (text.length > longest) throw new OverBudget()
      return expression.test(text)
    },
    toString: () => String(expression),
  } as { test(text: string): boolean }
}
