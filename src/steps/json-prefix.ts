/**
 * Tells whether a text that is not valid JSON could become valid by adding characters at its end: it was cut, not
 * written wrongly. A scan of the structure only, so that a cut inside a number, a literal, a string or an escape
 * counts as a cut.
 */
export function isJsonPrefix(text: string): boolean {
  const closers: string[] = []
  let state: State = 'value'
  let i = 0
  while (i < text.length) {
    const char = text[i] as string
    if (WHITE.test(char)) {
      i++
      continue
    }
    if (state === 'end') return false
    const step = STATES[state](char, text, i, closers)
    if (step === null) return false
    if (step.next > text.length) return true
    state = step.state
    i = step.next
  }
  return state !== 'end'
}

type State = 'value' | 'first' | 'key' | 'firstKey' | 'colon' | 'after' | 'end'
interface Step {
  readonly state: State
  /** Where to go on; past the end of the text where a string or a literal was cut. */
  readonly next: number
}
type Scan = (char: string, text: string, at: number, closers: string[]) => Step | null

const WHITE = /\s/u
const LITERALS = ['true', 'false', 'null']
const NUMBER_CHARS = /[-+0-9.eE]/u

const STATES: Readonly<Record<Exclude<State, 'end'>, Scan>> = {
  value: scanValue,
  first: (char, text, at, closers) =>
    char === ']' ? close(char, at, closers) : scanValue(char, text, at, closers),
  firstKey: (char, text, at, closers) => (char === '}' ? close(char, at, closers) : scanKey(char, text, at)),
  key: (char, text, at) => scanKey(char, text, at),
  colon: (char, _text, at) => (char === ':' ? { state: 'value', next: at + 1 } : null),
  after: (char, _text, at, closers) => {
    if (char === ',') return { state: closers.at(-1) === '}' ? 'key' : 'value', next: at + 1 }
    return close(char, at, closers)
  },
}

function scanValue(char: string, text: string, at: number, closers: string[]): Step | null {
  if (char === '{' || char === '[') {
    closers.push(char === '{' ? '}' : ']')
    return { state: char === '{' ? 'firstKey' : 'first', next: at + 1 }
  }
  const next = scanScalar(char, text, at)
  return next === null ? null : { state: closers.length === 0 ? 'end' : 'after', next }
}

function scanScalar(char: string, text: string, at: number): number | null {
  if (char === '"') return endOfString(text, at)
  if (/[-0-9]/u.test(char)) {
    let end = at
    while (end < text.length && NUMBER_CHARS.test(text[end] as string)) end++
    return end
  }
  const rest = text.slice(at, at + 5)
  for (const literal of LITERALS) {
    if (rest.startsWith(literal)) return at + literal.length
    if (literal.startsWith(rest)) return text.length + 1
  }
  return null
}

function scanKey(char: string, text: string, at: number): Step | null {
  return char === '"' ? { state: 'colon', next: endOfString(text, at) } : null
}

function close(char: string, at: number, closers: string[]): Step | null {
  if (closers.at(-1) !== char) return null
  closers.pop()
  return { state: closers.length === 0 ? 'end' : 'after', next: at + 1 }
}

/** Just after the closing quote; past the end of the text where that never comes. */
function endOfString(text: string, at: number): number {
  let i = at + 1
  while (i < text.length) {
    if (text[i] === '\\') i += 2
    else if (text[i] === '"') return i + 1
    else i++
  }
  return text.length + 1
}
