import { toExcerpt } from '../../findings/excerpt.ts'
import type { FindingEvidence } from '../../findings/finding.ts'
import { isRecord } from './content-parts.ts'
import { closestBranches } from './closest-branch.ts'
import type { SchemaError } from './schema-error.ts'
import { stateOfText } from './text-state.ts'

/** One place where a value does not fit a schema. */
export interface SchemaViolation {
  readonly keyword: string
  /** A JSON Pointer into the value; to the property itself where one is missing or unexpected. */
  readonly path: string
  readonly expected: string
  /** A type name or a short masked scalar; `null` where nothing is there. */
  readonly actual: string | number | boolean | null
  /** The value is empty where the schema asks for at least one entry or character. */
  readonly empty: boolean
  /** What most readers of the value would not notice: an extra property, or a `format`, an annotation by standard. */
  readonly minor: boolean
}

/** The most observations that one finding carries: 5. */
const EVIDENCE_LIMIT = 5

const MINOR = new Set(['additionalProperties', 'unevaluatedProperties', 'format'])
const SIZES: ReadonlyMap<string, string> = new Map([
  ['Items', 'items'],
  ['Length', 'characters'],
  ['Properties', 'properties'],
])

/**
 * Turns the errors of a validator into violations: a union is told by its closest branch, redacted values are left
 * out, and nothing is said twice.
 *
 * @param errors in the order in which the validator found them
 * @param root the schema that local references point into
 */
export function toViolations(errors: readonly SchemaError[], root: object): readonly SchemaViolation[] {
  const violations = new Map<string, SchemaViolation>()
  for (const error of closestBranches(errors, root)) {
    if (typeof error.data === 'string' && stateOfText(error.data) === 'redacted') continue
    const violation = toViolation(error)
    const key = `${violation.path} ${violation.keyword}`
    if (!violations.has(key)) violations.set(key, violation)
  }
  return [...violations.values()]
}

/** The first violations as evidence of a finding. */
export function toSchemaEvidence(violations: readonly SchemaViolation[]): readonly FindingEvidence[] {
  return violations.slice(0, EVIDENCE_LIMIT).map(({ path, expected, actual }) => ({ path, expected, actual }))
}

function toViolation(error: SchemaError): SchemaViolation {
  const { keyword, data } = error
  const property = propertyOf(error)
  const pointer = property === null ? error.instancePath : `${error.instancePath}/${escapePointer(property)}`
  return {
    keyword,
    // Names of properties may be content.
    path: toExcerpt(pointer),
    expected: toExcerpt(expectedOf(error, property)),
    actual: actualOf(error, property),
    empty: keyword.startsWith('min') && unitOf(keyword) !== null && sizeOf(data) === 0,
    minor: MINOR.has(keyword),
  }
}

/** The missing or unexpected property that an error is about. */
function propertyOf({ params }: SchemaError): string | null {
  const name = params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty']
  return typeof name === 'string' ? name : null
}

function expectedOf(error: SchemaError, property: string | null): string {
  const { keyword, params, parentSchema } = error
  if (params['missingProperty'] !== undefined) return declaredType(parentSchema, property) ?? 'present'
  if (property !== null) return 'no such property'
  const unit = unitOf(keyword)
  if (unit !== null)
    return `at ${keyword.startsWith('min') ? 'least' : 'most'} ${toText(params['limit'])} ${unit}`
  switch (keyword) {
    case 'type':
      return [params['type']].flat().join(' or ')
    case 'enum':
      return `one of ${[params['allowedValues']].flat().slice(0, 20).map(toText).join(', ')}`
    case 'const':
      return toText(params['allowedValue'])
    case 'pattern':
      return `text that matches ${toText(params['pattern'])}`
    case 'format':
      return `format ${toText(params['format'])}`
    default:
      return (error.message ?? keyword).replace(/^must (?:be |match |pass )?/u, '')
  }
}

function declaredType(schema: object | undefined, property: string | null): string | null {
  const properties = (schema as Readonly<Record<string, unknown>> | undefined)?.['properties']
  const declared = isRecord(properties) && property !== null ? properties[property] : undefined
  const type = isRecord(declared) ? declared['type'] : undefined
  return typeof type === 'string' || Array.isArray(type) ? [type].flat().join(' or ') : null
}

function actualOf(error: SchemaError, property: string | null): SchemaViolation['actual'] {
  const { keyword, data, params } = error
  if (params['missingProperty'] !== undefined) return null
  if (property !== null) return typeName((data as Readonly<Record<string, unknown>>)[property])
  if (keyword === 'type') return typeName(data)
  const unit = unitOf(keyword)
  if (unit === null) return toScalar(data)
  const size = sizeOf(data)
  return size === 0 ? 'empty' : `${size} ${unit}`
}

/** What a keyword on sizes counts (`minItems`, `maxLength`); `null` for any other keyword. */
function unitOf(keyword: string): string | null {
  return /^m(?:in|ax)/u.test(keyword) ? (SIZES.get(keyword.slice(3)) ?? null) : null
}

function toScalar(value: unknown): string | number | boolean {
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') return toExcerpt(value)
  if (typeof value !== 'number') return typeName(value)
  const text = toExcerpt(String(value))
  return text === String(value) ? value : text
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Array.from(value).length
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
