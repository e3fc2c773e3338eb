import { CONTENT_LIMIT } from './content.ts'

type Fields = Readonly<Record<string, unknown>>

/** The object that a value is, or whose JSON text it is; `null` for anything else, and for more than 64 KiB of text. */
export function toFields(value: unknown): Fields | null {
  if (typeof value !== 'string') return isFields(value) ? value : null
  if (value.length > CONTENT_LIMIT || !/^\s*\{/u.test(value)) return null
  try {
    return JSON.parse(value) as Fields
  } catch {
    return null
  }
}

/**
 * What stands in an object where a path leads, its members joined by dots, or for `*` the sum of all its numbers;
 * `undefined` where there is nothing.
 */
export function readMember(fields: Fields | null, path: string): unknown {
  if (path === '*') return sumNumbers(fields)
  let value: unknown = fields
  for (const name of path.split('.')) {
    if (!isFields(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

function sumNumbers(fields: Fields | null): number | undefined {
  const numbers = Object.values(fields ?? {}).filter((value) => typeof value === 'number')
  return numbers.length === 0 ? undefined : numbers.reduce((sum, value) => sum + value, 0)
}

/** What an object of one member holds under the first path that begins with it; the value itself where none does. */
export function unwrapMember(value: unknown, paths: readonly string[]): unknown {
  const fields = toFields(value)
  if (fields === null || Object.keys(fields).length !== 1) return value
  for (const path of paths) {
    const found = readMember(fields, path)
    if (found !== undefined) return found
  }
  return value
}

/** The text that an object of one member holds under that name; the value itself where it is anything else. */
export function unwrapText(value: unknown, name: string): unknown {
  const only = unwrapMember(value, [name])
  return typeof only === 'string' ? only : value
}

/**
 * The arguments of a function that are recorded by position and by name, `{"args":[…],"kwargs":{…}}`, as the one
 * object they stand for: those by name, or a single object by position. The value itself where they are more than that,
 * or are no such arguments. LangChain hands over a single text, `{"args":["{…}"]}`.
 */
export function unwrapCallArguments(value: unknown): unknown {
  if (typeof value === 'string' && !/^\s*\{\s*"(?:args|kwargs)"/u.test(value)) return value
  const fields = toFields(value)
  const { args = [], kwargs = {} } = fields ?? {}
  if (fields === null || !Array.isArray(args) || !isFields(kwargs)) return value
  const only: unknown = Object.keys(kwargs).length === 0 && args.length === 1 ? args[0] : null
  if (fields['kwargs'] === undefined) return isTextOfFields(only) && isAlone(fields) ? only : value
  if (args.length === 0) return kwargs
  return toFields(only) === null ? value : only
}

/** The content of a message of LangChain that has serialised itself; anything else as it is. */
export function unwrapMessage(value: unknown): unknown {
  if (typeof value === 'string' && !/^\s*\{\s*"lc"/u.test(value)) return value
  const fields = toFields(value)
  const content = fields?.['lc'] === undefined ? undefined : readMember(fields, 'kwargs.content')
  return content === undefined ? value : content
}

function isTextOfFields(value: unknown): boolean {
  return typeof value === 'string' && toFields(value) !== null
}

function isAlone(fields: Fields): boolean {
  return Object.keys(fields).length === 1
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
