import { layOut, units } from './text-units.ts'

/** What can be told of a text of JSON without decoding it. */
export interface JsonOutline {
  /**
   * `whole`, valid JSON; `cut`, not valid, and characters added at its end could make it so; `wrong`, anything that
   * JSON does not allow.
   */
  readonly state: 'whole' | 'cut' | 'wrong'
  /**
   * The names of the members of the outermost object, in the order in which they stand and as often, as far as they
   * can be read; empty where the text is no object.
   */
  readonly names: readonly string[]
}

/**
 * Outlines a text by the grammar of RFC 8259, in a fraction of the time that decoding takes. A cut inside a number, a
 * literal, a string or an escape counts as a cut.
 *
 * @throws {RangeError} above 65,536 UTF-16 code units
 */
export function outlineJson(text: string): JsonOutline {
  layOut(text)
  const places: number[] = []
  const end = walk(places)
  const names: string[] = []
  for (let n = 0; n < places.length; n += 2) names.push(toName(text.slice(places[n], places[n + 1])))
  if (end === text.length) return { state: 'whole', names }
  return { state: end === missedAt(text.length) ? 'cut' : 'wrong', names }
}

/**
 * Tells whether a text that is not valid JSON could become valid by adding characters at its end: it was cut, not
 * written wrongly.
 */
export function isJsonPrefix(text: string): boolean {
  return outlineJson(text).state === 'cut'
}

function toName(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)
}

const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const BRACKET = 0x5b
const BACKSLASH = 0x5c
const LETTER_E = 0x65
const LETTER_U = 0x75
const BRACE = 0x7b

/** From an opening bracket or brace to the one that closes it. */
const TO_CLOSER = 2
const CLOSING_BRACE = BRACE + TO_CLOSER

/** From a capital letter to the small one; small ones and digits stay. */
const TO_SMALL = 0x20

/** What may stand behind a backslash, beside the code of a character. */
const ESCAPED: ReadonlySet<number> = new Set(toCodes('"\\/bfnrt'))

const TRUE = toCodes('true')
const FALSE = toCodes('false')
const NULL = toCodes('null')

function toCodes(text: string): readonly number[] {
  return Array.from(text, (char) => char.charCodeAt(0))
}

/**
 * What the functions below answer, in place of where to go on, when something else had to stand at a place. The 0
 * behind the text stands for nothing in JSON, so that none of them reads on past the end of the text.
 */
function missedAt(at: number): number {
  return -1 - at
}

/**
 * Walks over one value and the white space around it, in what is laid out.
 *
 * @param places gets begin and end of each name in the outermost object
 */
function walk(places: number[]): number {
  // What closes the objects and lists that are open, the innermost last; the 0 below them closes nothing.
  const closers = [0]
  let at = afterWhite(0)
  const isObject = units[at] === BRACE
  for (;;) {
    const unit = units[at] as number
    const opens = unit === BRACE || unit === BRACKET
    if (opens) closers.push(unit + TO_CLOSER)
    at = opens ? afterWhite(at + 1) : afterScalar(at)
    if (!opens || units[at] === unit + TO_CLOSER) {
      if (at >= 0) at = afterClosers(at, closers)
      if (at < 0 || closers.length === 1) return at
      if (units[at] !== COMMA) return missedAt(at)
      at = afterWhite(at + 1)
    }
    if (closers[closers.length - 1] !== CLOSING_BRACE) continue
    const begin = at
    at = afterName(begin)
    if (at < 0) return at
    if (isObject && closers.length === 2) places.push(begin, at)
    at = afterColon(at)
    if (at < 0) return at
  }
}

function afterClosers(start: number, closers: number[]): number {
  let at = afterWhite(start)
  while (units[at] === closers[closers.length - 1] && closers.length > 1) {
    closers.pop()
    at = afterWhite(at + 1)
  }
  return at
}

function afterName(at: number): number {
  return units[at] === QUOTE ? afterString(at) : missedAt(at)
}

function afterColon(start: number): number {
  const at = afterWhite(start)
  return units[at] === COLON ? afterWhite(at + 1) : missedAt(at)
}

function afterScalar(at: number): number {
  const unit = units[at] as number
  if (unit === QUOTE) return afterString(at)
  if (unit === MINUS || isDigit(unit)) return afterNumber(at)
  if (unit === TRUE[0]) return afterLiteral(at, TRUE)
  return afterLiteral(at, unit === NULL[0] ? NULL : FALSE)
}

function afterLiteral(at: number, literal: readonly number[]): number {
  for (let n = 0; n < literal.length; n++) {
    if (units[at + n] !== literal[n]) return missedAt(at + n)
  }
  return at + literal.length
}

function afterString(start: number): number {
  let at = start + 1
  for (;;) {
    const unit = units[at] as number
    if (unit === QUOTE) return at + 1
    if (unit < 0x20) return missedAt(at)
    at++
    if (unit !== BACKSLASH) continue
    at = afterEscape(at)
    if (at < 0) return at
  }
}

/** @param at just after the backslash */
function afterEscape(at: number): number {
  if (units[at] !== LETTER_U) return ESCAPED.has(units[at] as number) ? at + 1 : missedAt(at)
  for (let digit = at + 1; digit < at + 5; digit++) {
    if (!isHexDigit(units[digit] as number)) return missedAt(digit)
  }
  return at + 5
}

function afterNumber(start: number): number {
  const whole = units[start] === MINUS ? start + 1 : start
  // A number does not go on after a leading zero.
  let at = units[whole] === ZERO ? whole + 1 : afterDigits(whole)
  if (at >= 0 && units[at] === POINT) at = afterDigits(at + 1)
  if (at < 0 || ((units[at] as number) | TO_SMALL) !== LETTER_E) return at
  const sign = units[at + 1]
  return afterDigits(sign === PLUS || sign === MINUS ? at + 2 : at + 1)
}

/** Past at least one digit. */
function afterDigits(start: number): number {
  let at = start
  while (isDigit(units[at] as number)) at++
  return at === start ? missedAt(at) : at
}

function afterWhite(start: number): number {
  let at = start
  while (isWhite(units[at] as number)) at++
  return at
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE
}

function isHexDigit(unit: number): boolean {
  const small = unit | TO_SMALL
  return isDigit(unit) || (small >= 0x61 && small <= 0x66)
}

function isWhite(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
}
