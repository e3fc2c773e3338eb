/**
 * Tells whether a text that is not valid JSON could become valid by adding characters at its end: it was cut, not
 * written wrongly. Follows the grammar of RFC 8259, so that a cut inside a number, a literal, a string or an escape
 * counts as a cut, and anything that JSON does not allow counts as written wrongly.
 */
export function isJsonPrefix(text: string): boolean {
  const closers: string[] = []
  let state: State = 'value'
  let at = 0
  while (at < text.length) {
    if (WHITE.includes(text[at] as string)) {
      at++
      continue
    }
    if (state === 'end') return false
    const token: Token | null = STATES[state](text, at, closers)
    if (token === null) return false
    if (token.next > text.length) return true
    state = token.state
    at = token.next
  }
  return state !== 'end'
}

type State = 'value' | 'first' | 'key' | 'firstKey' | 'colon' | 'after' | 'end'
interface Token {
  readonly state: State
  /** Where to go on; past the end of the text where the text ends inside the token. */
  readonly next: number
}
type Scan = (text: string, at: number, closers: string[]) => Token | null

const WHITE = ' \t\n\r'
const LITERALS = ['true', 'false', 'null']

const STATES: Readonly<Record<Exclude<State, 'end'>, Scan>> = {
  value: scanValue,
  first: (text, at, closers) => (text[at] === ']' ? close(text, at, closers) : scanValue(text, at, closers)),
  firstKey: (text, at, closers) => (text[at] === '}' ? close(text, at, closers) : scanKey(text, at)),
  key: scanKey,
  colon: (text, at) => (text[at] === ':' ? { state: 'value', next: at + 1 } : null),
  after: (text, at, closers) => {
    if (text[at] === ',') return { state: closers.at(-1) === '}' ? 'key' : 'value', next: at + 1 }
    return close(text, at, closers)
  },
}

function scanValue(text: string, at: number, closers: string[]): Token | null {
  const char = text[at]
  if (char === '{' || char === '[') {
    closers.push(char === '{' ? '}' : ']')
    return { state: char === '{' ? 'firstKey' : 'first', next: at + 1 }
  }
  const next = scanScalar(text, at)
  return next === null ? null : { state: closers.length === 0 ? 'end' : 'after', next }
}

function scanScalar(text: string, at: number): number | null {
  if (text[at] === '"') return endOfString(text, at)
  if (text[at] === '-' || isDigit(text, at)) return endOfNumber(text, at)
  const rest = text.slice(at, at + 5)
  for (const literal of LITERALS) {
    if (rest.startsWith(literal)) return at + literal.length
    if (literal.startsWith(rest)) return text.length + 1
  }
  return null
}

function scanKey(text: string, at: number): Token | null {
  const next = text[at] === '"' ? endOfString(text, at) : null
  return next === null ? null : { state: 'colon', next }
}

function close(text: string, at: number, closers: string[]): Token | null {
  if (closers.at(-1) !== text[at]) return null
  closers.pop()
  return { state: closers.length === 0 ? 'end' : 'after', next: at + 1 }
}

/**
 * Just after a number; past the end of the text where that stops before a digit that must follow; `null` where
 * another character stands in that digit's place.
 */
function endOfNumber(text: string, start: number): number | null {
  let at = text[start] === '-' ? start + 1 : start
  const whole = at
  at = afterDigits(text, at)
  if (at === whole) return missingDigit(text, at)
  // A number does not go on after a leading zero.
  if (text[whole] === '0') at = whole + 1
  if (text[at] === '.') {
    const fraction = at + 1
    at = afterDigits(text, fraction)
    if (at === fraction) return missingDigit(text, at)
  }
  if (text[at] !== 'e' && text[at] !== 'E') return at
  const exponent = text[at + 1] === '+' || text[at + 1] === '-' ? at + 2 : at + 1
  at = afterDigits(text, exponent)
  return at === exponent ? missingDigit(text, at) : at
}

function missingDigit(text: string, at: number): number | null {
  return at >= text.length ? text.length + 1 : null
}

function afterDigits(text: string, start: number): number {
  let at = start
  while (isDigit(text, at)) at++
  return at
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0x30 && code <= 0x39
}

/** Just after the closing quote; past the end of the text where that never comes; `null` where JSON forbids a part. */
function endOfString(text: string, start: number): number | null {
  let at = start + 1
  while (at < text.length) {
    const char = text[at] as string
    if (char === '"') return at + 1
    if (char < ' ') return null
    if (char === '\\') {
      const escape = ESCAPE.exec(text.slice(at, at + 6))?.[0]
      if (escape === undefined) return null
      at += escape.length
    } else {
      at++
    }
  }
  return text.length + 1
}

/** A whole escape, or what the end of the text left of one. */
const ESCAPE = /^\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}|(?:u[\dA-Fa-f]{0,3})?$)/u
