import { toExcerpt } from '../../findings/excerpt.ts'
import type { StandardIssue } from '../../rules/standard-schema.ts'
import type { SchemaViolation } from './schema-violation.ts'
import { stateOfText } from './text-state.ts'

/** The most violations that are read: 5, as many as one finding carries. */
const VIOLATION_LIMIT = 5

/** Deeper than that nothing is looked for. */
const MAX_DEPTH = 200

/** The sentences of zod and valibot (`…: expected X, received Y`) and of arktype (`key must be X (was Y)`). */
const EXPECTATIONS = [
  /^[^:]*: expected (?<expected>.+?)(?:,? (?:but )?received .*)?$/iu,
  /^(?:\S+ )?must be (?<expected>.+?)(?: \(was .*\))?$/iu,
]

/**
 * Turns the issues of a Standard Schema into violations. Nothing is said twice of one place, and nothing of what is
 * redacted, lies in it or has it inside: there the issue may be about the redaction.
 *
 * @param value as it was before the validator saw it
 */
export function toStandardViolations(
  issues: readonly StandardIssue[],
  value: unknown,
): readonly SchemaViolation[] {
  const violations = new Map<string, SchemaViolation>()
  const redaction = new Redaction()
  // A failure without issues fails as a whole.
  for (const issue of issues.length > 0 ? issues : [{ message: '' }]) {
    const keys = (issue.path ?? []).map(toKey)
    const trail = followPath(value, keys)
    if (trail.some((item) => isRedactedText(item)) || redaction.isIn(trail.at(-1))) continue
    const violation = toViolation(issue, keys, trail.at(-1))
    const told = `${violation.path} ${violation.expected}`
    if (!violations.has(told)) violations.set(told, violation)
    if (violations.size >= VIOLATION_LIMIT) break
  }
  return [...violations.values()]
}

function toViolation({ message }: StandardIssue, keys: readonly string[], found: unknown): SchemaViolation {
  return {
    keyword: 'standard',
    path: toExcerpt(keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')),
    expected: toExpected(message),
    actual: toActual(found),
    empty: false,
    minor: false,
  }
}

function toKey(item: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof item === 'object' ? item.key : item)
}

/** The value and what lies on the way to a place in it, which is `undefined` where nothing is there. */
function followPath(value: unknown, keys: readonly string[]): readonly unknown[] {
  const trail = [value]
  for (const key of keys) {
    const holder = trail.at(-1)
    const isThere = typeof holder === 'object' && holder !== null && Object.hasOwn(holder, key)
    trail.push(isThere ? (holder as Readonly<Record<string, unknown>>)[key] : undefined)
  }
  return trail
}

function toExpected(message: unknown): string {
  const text = typeof message === 'string' ? toExcerpt(message) : ''
  if (text === '') return 'what the schema accepts'
  for (const pattern of EXPECTATIONS) {
    const expected = pattern.exec(text)?.groups?.['expected']
    if (expected !== undefined) return expected
  }
  return text
}

function toActual(value: unknown): SchemaViolation['actual'] {
  if (value === undefined) return null
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string' && typeof value !== 'number') return typeof value
  const excerpt = toExcerpt(String(value))
  return excerpt === String(value) ? value : excerpt
}

function isRedactedText(value: unknown): boolean {
  return typeof value === 'string' && stateOfText(value) === 'redacted'
}

/** Remembers what was looked through: many issues may be about one object. */
class Redaction {
  readonly #known = new Map<object, boolean>()

  /** True where a value holds a redacted text, or is nested too deep to tell. */
  isIn(value: unknown, depth: number = 0): boolean {
    if (typeof value !== 'object' || value === null) return isRedactedText(value)
    if (value instanceof Uint8Array) return false
    const known = this.#known.get(value)
    if (known !== undefined) return known
    this.#known.set(value, false)
    const isInside = depth >= MAX_DEPTH || Object.values(value).some((item) => this.isIn(item, depth + 1))
    this.#known.set(value, isInside)
    return isInside
  }
}
