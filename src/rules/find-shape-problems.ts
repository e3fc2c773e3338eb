import { toExcerpt } from '../findings/excerpt.ts'
import { nearestName } from './nearest-name.ts'
import { readDuration } from './read-duration.ts'
import type { Shape } from './rules-shape.ts'
import { findStandardDefect, isStandardSchema, STANDARD_SCHEMA } from './standard-schema.ts'

/** The keys that lead to a place. */
export type RulesPath = readonly string[]

/** What is wrong at a place of the rules. */
export interface ShapeProblem {
  readonly path: RulesPath
  readonly expected: string
  readonly found: string
}

/** More known keys than that are not listed. */
const LISTED_KEYS = 12

type ObjectShape = Extract<Shape, { type: 'object' }>

/** Holds a value against a shape and tells everything that does not fit, in the order of the file. */
export function findShapeProblems(
  value: unknown,
  shape: Shape,
  path: RulesPath = [],
): readonly ShapeProblem[] {
  switch (shape.type) {
    case 'object':
      return isPlainObject(value) ? judgeKeys(value, shape, path) : [problem(path, 'keys and values', value)]
    case 'map':
      if (!isPlainObject(value)) return [problem(path, 'keys and values', value)]
      return Object.entries(value).flatMap(([key, item]) =>
        findShapeProblems(item, shape.values, [...path, key]),
      )
    case 'list':
      if (!Array.isArray(value) || value.length === 0) {
        return [problem(path, 'a list with at least one entry', value)]
      }
      return value.flatMap((item, at) => findShapeProblems(item, shape.items, [...path, String(at)]))
    default:
      return judgeScalar(value, shape, path)
  }
}

/** True for an object of keys and values, as JSON and YAML have it. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** What a value is, in a few words. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object') return isPlainObject(value) ? 'keys and values' : 'an object of a class'
  if (typeof value === 'string') return value === '' ? 'an empty text' : toExcerpt(value, 60)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return `a ${typeof value}`
}

function judgeKeys(
  value: Readonly<Record<string, unknown>>,
  shape: ObjectShape,
  path: RulesPath,
): readonly ShapeProblem[] {
  const { keys, required = [], later = [] } = shape
  const missing = required
    .filter((key) => !Object.hasOwn(value, key))
    .map((key) => problem(path, `the key ${key}`, undefined))
  const others = Object.entries(value).flatMap(([key, item]) => {
    const known = Object.hasOwn(keys, key) ? keys[key] : undefined
    if (known !== undefined) return findShapeProblems(item, known, [...path, key])
    return [unknownKey(key, [...path, key], { known: Object.keys(keys), later })]
  })
  return [...missing, ...others]
}

function unknownKey(
  key: string,
  path: RulesPath,
  { known, later }: { readonly known: readonly string[]; readonly later: readonly string[] },
): ShapeProblem {
  const name = toExcerpt(key, 60)
  if (later.includes(key)) {
    return { path, expected: 'a key that is supported', found: `${name}, which is not supported yet` }
  }
  const nearest = nearestName(key, known)
  const expected =
    nearest !== null
      ? `a known key such as ${nearest}`
      : known.length > LISTED_KEYS
        ? 'a known key'
        : `one of ${known.join(', ')}`
  return { path, expected, found: name }
}

function judgeScalar(
  value: unknown,
  shape: Exclude<Shape, { type: 'object' | 'map' | 'list' }>,
  path: RulesPath,
): readonly ShapeProblem[] {
  switch (shape.type) {
    case 'choice':
      return judgeChoice(value, shape, path)
    case 'count':
      return judgeCount(value, shape, path)
    case 'share':
      if (value === 'off' || (typeof value === 'number' && value > 0 && value <= 1)) return []
      return [problem(path, 'a number above 0 and up to 1, or off', value)]
    case 'amount':
      if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return []
      return [problem(path, 'a number of at least 0', value)]
    case 'flag':
      return typeof value === 'boolean' ? [] : [problem(path, 'true or false', value)]
    case 'duration':
      if (typeof value === 'string' && readDuration(value) !== null) return []
      return [problem(path, 'a duration such as 250ms, 5s, 2m or 1h', value)]
    case 'schema':
      return judgeSchema(value, path)
    default:
      return typeof value === 'string' && value !== '' ? [] : [problem(path, 'a text', value)]
  }
}

function judgeCount(
  value: unknown,
  { least, most = Infinity }: Extract<Shape, { type: 'count' }>,
  path: RulesPath,
): readonly ShapeProblem[] {
  if (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most) return []
  const expected = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`
  return [problem(path, `a whole number ${expected}`, value)]
}

function judgeChoice(
  value: unknown,
  { values, later = [] }: Extract<Shape, { type: 'choice' }>,
  path: RulesPath,
): readonly ShapeProblem[] {
  if (values.some((choice) => choice === value)) return []
  const found = describeValue(value)
  return [
    {
      path,
      expected: values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`,
      found: later.includes(found) ? `${found}, which is not supported yet` : found,
    },
  ]
}

function judgeSchema(value: unknown, path: RulesPath): readonly ShapeProblem[] {
  if (!isStandardSchema(value)) return isPlainObject(value) ? [] : [problem(path, 'a JSON Schema', value)]
  const found = findStandardDefect(value)
  return found === null ? [] : [{ path, expected: STANDARD_SCHEMA, found }]
}

function problem(path: RulesPath, expected: string, value: unknown): ShapeProblem {
  return { path, expected, found: describeValue(value) }
}
