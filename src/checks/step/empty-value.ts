import { decodeNested, NESTING_LIMIT } from '../../steps/content.ts'

/** What a function without a result prints in the languages that tools are written in. */
const NOTHING = /^(?:null|None|undefined)$/u

/** Fields that count the entries of a list beside them. */
const COUNTER = /^(?:total|count|size|length|num|number)$|(?:^total|_count|_total|Count|Total)(?:$|[_A-Z])/u

const MAX_DEPTH = 200

/**
 * True where a value holds nothing: `null`, blank text, an empty list or object, or a list or object of such values
 * only. A zero that counts an empty list beside it is nothing too; any other scalar is content. JSON text in strings
 * is looked into.
 */
export function isEmptyValue(value: unknown): boolean {
  return isEmpty(value, 0, NESTING_LIMIT)
}

/** True where a value is a list, or holds one at any depth. JSON text in strings is looked into. */
export function holdsList(value: unknown): boolean {
  return findsList(decodeNested(value, NESTING_LIMIT), 0)
}

function findsList(value: unknown, depth: number): boolean {
  if (Array.isArray(value)) return true
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return false
  return Object.values(value).some((item) => findsList(item, depth + 1))
}

/** True for text that is blank, or that only says that a function returned nothing. */
export function isEmptyText(text: string): boolean {
  return isBlank(text) || NOTHING.test(text.trim())
}

/** True for text of white space only, invisible characters included. */
export function isBlank(text: string): boolean {
  return /^[\s\u200B-\u200D\u2060\uFEFF]*$/u.test(text)
}

/** JSON text that holds nothing is short; longer text is content, and is not decoded to find out. */
const EMPTY_JSON_LIMIT = 512

function isEmptyString(text: string, depth: number, levels: number): boolean {
  if (isBlank(text)) return true
  if (levels === 0 || text.length > EMPTY_JSON_LIMIT || !/^\s*[[{]/u.test(text)) return false
  const decoded = decodeNested(text, 1)
  return typeof decoded !== 'string' && isEmpty(decoded, depth, levels - 1)
}

function isEmpty(value: unknown, depth: number, levels: number): boolean {
  if (value === null || value === undefined) return true
  if (typeof value === 'string') return isEmptyString(value, depth, levels)
  if (typeof value !== 'object' || depth >= MAX_DEPTH) return false
  if (value instanceof Uint8Array) return value.length === 0
  if (Array.isArray(value)) return value.every((item) => isEmpty(item, depth + 1, levels))
  const entries = Object.entries(value)
  const countsNothing = entries.some(([, item]) => Array.isArray(item) && item.length === 0)
  return entries.every(
    ([key, item]) => (item === 0 && countsNothing && COUNTER.test(key)) || isEmpty(item, depth + 1, levels),
  )
}
