import { isPlainJson } from './is-plain-json.ts'

/**
 * Writes a value as canonical JSON (RFC 8785, JSON Canonicalization Scheme): object keys sorted by UTF-16 code
 * units, no white space, numbers as ECMAScript prints them. Beyond the standard, so that any value has one text:
 * strings are made well-formed (a lone surrogate becomes U+FFFD), NaN and infinities are `null`, a bigint is its
 * decimal text in quotes, bytes are base64 text, and what JSON cannot hold (`undefined`, functions) is left out
 * of objects and is `null` elsewhere. Nesting below 200 levels is written as `null`.
 *
 * @param limit for values of unknown size, which may even hold themselves: writing stops soon after this many
 * UTF-16 code units. A longer text than that is the beginning of the canonical form only.
 */
export function canonicalJson(value: unknown, limit: number = Infinity): string {
  const writer = new Writer(limit)
  writer.write(value, 0)
  return writer.text
}

const MAX_DEPTH = 200

/**
 * True where the canonical JSON of a value has certainly at most `limit` UTF-16 code units. A value that is only a few
 * times shorter may or may not: that is told by writing it. Takes far less time than writing.
 */
export function surelyFits(value: unknown, limit: number): boolean {
  return spend(value, limit, 0) >= 0
}

/** What is left of a limit, if each part of a value takes the most that it can; negative where that is too much. */
function spend(value: unknown, limit: number, depth: number): number {
  if (typeof value === 'string') return limit - LONGEST_ESCAPE * value.length - 2
  if (typeof value === 'bigint') return -1
  if (typeof value !== 'object' || value === null) return limit - LONGEST_SCALAR
  if (depth >= MAX_DEPTH || value instanceof Uint8Array) return -1
  let left = limit - 2
  // A list that has gaps has fewer keys than entries.
  if (Array.isArray(value)) left -= LONGEST_SCALAR * value.length
  for (const key of Object.keys(value)) {
    if (left < 0) return left
    left -= LONGEST_ESCAPE * key.length + 4
    left = spend((value as Readonly<Record<string, unknown>>)[key], left, depth + 1)
  }
  return left
}

/** One code unit as `\u001f`. */
const LONGEST_ESCAPE = 6

/** Longer than any number, boolean or `null`; a big integer is told by writing it. */
const LONGEST_SCALAR = 32

class Writer {
  text = ''
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  write(value: unknown, depth: number): void {
    if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) this.#writeObject(value, depth)
    else this.text += toScalarText(value)
  }

  #writeObject(value: object, depth: number): void {
    if (value instanceof Uint8Array) this.text += `"${Buffer.from(value).toString('base64')}"`
    else if (Array.isArray(value)) this.#writeArray(value, depth)
    else this.#writeMembers(value as Record<string, unknown>, depth)
  }

  #writeArray(items: readonly unknown[], depth: number): void {
    this.text += '['
    for (let i = 0; i < items.length; i++) {
      if (this.text.length > this.#limit) return
      if (i > 0) this.text += ','
      this.write(items[i], depth + 1)
    }
    this.#end(']')
  }

  #writeMembers(record: Readonly<Record<string, unknown>>, depth: number): void {
    let separator = '{'
    for (const key of Object.keys(record).sort()) {
      if (this.text.length > this.#limit) return
      const value = record[key]
      if (!isWritten(value)) continue
      this.text += `${separator}${quote(key)}:`
      this.write(value, depth + 1)
      separator = ','
    }
    this.#end(separator === '{' ? '{}' : '}')
  }

  /** Ends a list or map, unless its last item was not written whole. */
  #end(text: string): void {
    if (this.text.length <= this.#limit) this.text += text
  }
}

/** False for what JSON cannot hold and leaves out of objects. */
function isWritten(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol'
}

/** A value that is no list or map, or one that is nested too deeply. */
function toScalarText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quote(value)
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value) : 'null'
    case 'boolean':
      return value ? 'true' : 'false'
    case 'bigint':
      return `"${value}"`
    default:
      return 'null'
  }
}

function quote(text: string): string {
  if (text.length <= PLAIN_LENGTH ? PLAIN.test(text) : isPlainJson(text)) return `"${text}"`
  return JSON.stringify(text.isWellFormed() ? text : text.toWellFormed())
}

/** Names and ids need nothing but quotes, and to see that takes less time than to ask for it. */
const PLAIN = /^[\w .:/-]*$/u
const PLAIN_LENGTH = 40

/** Orders two strings by their UTF-16 code units, the order of RFC 8785 and of every tie-break in a report. */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
