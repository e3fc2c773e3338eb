import { isRecord } from './content-parts.ts'
import { isSafePattern } from './safe-pattern.ts'

/** A JSON Schema reduced to what is checked, and the draft it is written in. */
export interface CheckableSchema {
  readonly schema: Readonly<Record<string, unknown>>
  readonly draft: '07' | '2020-12'
  /** A pattern that may take exponential time was left out. */
  readonly loosened: boolean
}

/** The keyword that is added to every subschema: how much work one evaluation of it is at least. */
export const COST_KEYWORD = 'cost'

const MAX_DEPTH = 64

const VALUES = [
  ...'type enum const format nullable required dependentRequired uniqueItems minimum maximum'.split(' '),
  ...'exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems'.split(' '),
  ...'minContains maxContains minProperties maxProperties $anchor $dynamicAnchor'.split(' '),
]
const SUBSCHEMAS = [
  ...'items additionalItems unevaluatedItems contains propertyNames additionalProperties'.split(' '),
  ...'unevaluatedProperties not if then else'.split(' '),
]
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions']

/** Where a subschema that lets too much pass makes the whole refuse. */
const INVERTING = new Set(['not', 'if', 'oneOf', 'contains'])

/** Keywords whose own work grows with the data or with the schema beyond one step. */
const WEIGHTED = ['enum', 'required', 'properties', 'patternProperties']

/** What the validator takes as it is, and would read wrongly. */
const wellFormed: Readonly<Record<string, (value: unknown) => boolean>> = {
  required: isNames,
  dependentRequired: (value) => isRecord(value) && Object.values(value).every(isNames),
  multipleOf: (value) => typeof value === 'number' && value > 0,
}

class NotCheckable extends Error {}

interface Context {
  readonly depth: number
  /** A subschema that is looser than written would refuse what is right. */
  readonly inverted: boolean
  readonly found: { tuples: boolean; loosened: boolean }
}

/**
 * Reduces a schema of unknown origin to the keywords that are checked: identifiers go, so that two schemas with one
 * `$id` do not clash; a pattern that may take exponential time goes.
 *
 * @returns `null` where the rest would not mean the same: a reference that leaves the schema, nesting below 64
 * levels, an unsafe pattern where leaving it out would refuse right values
 */
export function toCheckableSchema(schema: Readonly<Record<string, unknown>>): CheckableSchema | null {
  const found = { tuples: false, loosened: false }
  try {
    const reduced = reduceObject(schema, { depth: 0, inverted: false, found })
    const declared = schema['$schema']
    const old = found.tuples || (typeof declared === 'string' && /draft-0[3-7]/u.test(declared))
    return { schema: reduced, draft: old ? '07' : '2020-12', loosened: found.loosened }
  } catch (error) {
    if (error instanceof NotCheckable) return null
    throw error
  }
}

function reduce(schema: unknown, context: Context): unknown {
  return isRecord(schema) ? reduceObject(schema, context) : schema
}

function reduceObject(schema: Readonly<Record<string, unknown>>, context: Context): Record<string, unknown> {
  if (context.depth >= MAX_DEPTH) throw new NotCheckable()
  const reduced: Record<string, unknown> = {}
  for (const key of VALUES) {
    const value = schema[key]
    if (value === undefined) continue
    if (wellFormed[key]?.(value) === false) throw new NotCheckable()
    reduced[key] = value
  }
  addReferences(schema, reduced)
  addPattern(schema['pattern'], reduced, context)
  for (const key of SUBSCHEMAS) {
    if (schema[key] !== undefined) reduced[key] = reduce(schema[key], within(context, key))
  }
  for (const key of LISTS) {
    const list = schema[key]
    if (!Array.isArray(list)) continue
    if (key === 'items') context.found.tuples = true
    reduced[key] = list.map((item) => reduce(item, within(context, key)))
  }
  for (const key of MAPS) {
    const map = schema[key]
    if (isRecord(map)) reduced[key] = reduceMap(map, key, context)
  }
  reduced[COST_KEYWORD] = WEIGHTED.reduce((sum, key) => sum + sizeOf(schema[key]), 1)
  return reduced
}

function within(context: Context, key: string): Context {
  return { ...context, depth: context.depth + 1, inverted: context.inverted || INVERTING.has(key) }
}

function addReferences(schema: Readonly<Record<string, unknown>>, reduced: Record<string, unknown>): void {
  if (schema['$recursiveRef'] !== undefined) throw new NotCheckable()
  for (const key of ['$ref', '$dynamicRef']) {
    const reference = schema[key]
    if (reference === undefined) continue
    if (typeof reference !== 'string' || !reference.startsWith('#')) throw new NotCheckable()
    reduced[key] = reference
  }
}

function addPattern(pattern: unknown, reduced: Record<string, unknown>, context: Context): void {
  if (pattern === undefined) return
  if (typeof pattern !== 'string') throw new NotCheckable()
  if (isSafePattern(pattern)) reduced['pattern'] = pattern
  else if (context.inverted) throw new NotCheckable()
  else context.found.loosened = true
}

function reduceMap(map: Readonly<Record<string, unknown>>, key: string, context: Context): object {
  // Leaving one out would leave its properties to `additionalProperties`.
  if (key === 'patternProperties' && !Object.keys(map).every(isSafePattern)) throw new NotCheckable()
  const entries = Object.entries(map).map(([name, item]) => [name, reduce(item, within(context, key))])
  return Object.fromEntries(entries) as object
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function sizeOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}
