import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJsonPrefix, outlineJson } from '../../src/steps/json-outline.ts'
import { jsonText } from './json-text.ts'

describe('a cut is told', () => {
  it.each([
    '',
    ' ',
    '{',
    '[',
    '{ ',
    '{"',
    '{"a',
    '{"a"',
    '{"a" ',
    '{"a":',
    '{"a":1',
    '{"a":-',
    '{"a":1.',
    '{"a":1e',
    '{"a":1E+',
    '{"a":0',
    '{"a":t',
    '{"a":tru',
    '{"a":true',
    '{"a":nul',
    '{"a":false,',
    '{"a":1,"b"',
    '{"a":"\\',
    '{"a":"\\u',
    '{"a":"\\u00e',
    '{"a":"\\u00e9',
    '{"a":"b\\"',
    '{"a":{"b":[1,{"c":"',
    '[1',
    '[1,',
    '[[],[',
    '["a\u2028b',
    '"ab',
    '"ab\\',
    '-',
    '1.',
    '1e-',
    'tru',
    '\t\r\n [',
  ])('%j', (text) => {
    expect(isJsonPrefix(text)).toBe(true)
  })
})

describe('no cut is told of a whole text', () => {
  it.each(['{}', '[]', '{"a":1}', '[1,2] ', '"a"', '0', '-1.5e3', 'true', 'null', ' {"a":[{}]}\n'])(
    '%j',
    (text) => {
      expect(isJsonPrefix(text)).toBe(false)
    },
  )
})

describe('no cut is told of a text that nothing at its end can mend', () => {
  it.each([
    ['a closing bracket too many', '{}}'],
    ['the wrong closing bracket', '{"a":[1}'],
    ['a second value', '{} {'],
    ['a key without quotes', '{a'],
    ['single quotes', "{'a'"],
    ['a comma too many in an object', '{"a":1,}'],
    ['a comma too many in a list', '[1,]'],
    ['a comma first', '[,'],
    ['a missing colon', '{"a" 1'],
    ['a missing comma', '["a" "b"'],
    ['a word that is no literal', '[undefined'],
    ['a literal of another language', '[None'],
    ['a literal that goes on', '[truely'],
    ['a number with a leading zero', '[01'],
    ['a number with a plus', '[+1'],
    ['a number with two signs', '[--1'],
    ['a number with a sign inside', '[1-2'],
    ['a number with two points', '[1.2.3'],
    ['a number that begins with a point', '[.5'],
    ['a point without digits', '[1.]'],
    ['an exponent without digits', '[1e]'],
    ['a minus without digits', '[-]'],
    ['hex', '[0x1'],
    ['an unknown escape', '["\\x'],
    ['an escape of too few digits', '["\\u00g'],
    ['a line break in a string', '["a\nb'],
    ['a tab in a string', '["a\tb'],
    ['a tab in a key', '{"a\tb'],
    ['a comment', '[ // one'],
    ['a no-break space between tokens', '[\u00a01'],
    ['a byte order mark', '\ufeff['],
    ['text behind an ellipsis', '{"a": ...'],
    ['a string value where a key must be', '{"a":1,["b"'],
  ])('%s', (_fault, text) => {
    expect(isJsonPrefix(text)).toBe(false)
  })
})

/** Characters that JSON is written with, and some that it is not. */
const CHARACTERS = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '0',
  '-',
  '.',
  'e',
  'E',
  '+',
  't',
  'n',
  'u',
  '\\',
  ' ',
  'x',
  '\n',
]

const containers = fc
  .oneof(
    fc.array(fc.jsonValue({ stringUnit: 'binary' })),
    fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' })),
  )
  .chain((value) => fc.constantFrom(JSON.stringify(value), JSON.stringify(value, null, 2)))

describe('for the JSON text of every object and array', () => {
  it('each proper prefix is a cut, and the whole is none', () => {
    fc.assert(
      fc.property(containers, (text) => {
        expect(endsWhere(text, 0, false)).toEqual([text.length])
      }),
      { numRuns: 150 },
    )
  })

  it('a control character put in anywhere before the end makes each longer prefix no cut', () => {
    const cases = containers.chain((text) =>
      fc.tuple(fc.constant(text), fc.nat(text.length - 1), fc.constantFrom('\u0000', '\u0007', '\u001b')),
    )
    fc.assert(
      fc.property(cases, ([text, at, control]) => {
        const broken = `${text.slice(0, at)}${control}${text.slice(at)}`
        expect(endsWhere(broken, at + 1, true)).toEqual([])
      }),
      { numRuns: 150 },
    )
  })

  it('agrees with JSON.parse on every text that is a few characters away from JSON', () => {
    const cases = containers.chain((text) =>
      fc.tuple(fc.constant(text), fc.nat(text.length), fc.constantFrom(...CHARACTERS)),
    )
    fc.assert(
      fc.property(cases, ([text, at, char]) => {
        const edited = `${text.slice(0, at)}${char}${text.slice(at)}`
        expect(outlineJson(edited).state === 'whole').toBe(parses(edited))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('the names of the members', () => {
  it.each([
    ['an object', '{"a":1,"b":{"c":2}}', ['a', 'b']],
    ['an object with white space', ' { "a" : [{"b":1}] , "c":2 } ', ['a', 'c']],
    ['a name in escapes', '{"\\u0061\\n":1}', ['a\n']],
    ['a name twice', '{"a":1,"a":2}', ['a', 'a']],
    ['an object that was cut', '{"a":1,"b', ['a']],
    ['an empty object', '{}', []],
    ['a list of objects', '[{"a":1}]', []],
    ['a list first', '[{"a":1},{"b":2}]', []],
    ['a text', '"a"', []],
  ])('of %s', (_what, text, names) => {
    expect(outlineJson(text).names).toEqual(names)
  })

  it('of any object are those that decoding it gives', () => {
    fc.assert(
      fc.property(jsonText(['a', 'b', 'error', '__proto__']), (text) => {
        const value = JSON.parse(text) as object
        const { state, names } = outlineJson(text)
        expect(state).toBe('whole')
        expect([...new Set(names)].sort()).toEqual(Array.isArray(value) ? [] : Object.keys(value).sort())
      }),
      { numRuns: 500 },
    )
  })
})

/** The lengths, from `start`, at which the beginning of a text is told to be a cut, or not to be one. */
function endsWhere(text: string, start: number, isCut: boolean): readonly number[] {
  const ends = Array.from({ length: text.length - start + 1 }, (_, index) => start + index)
  return ends.filter((end) => isJsonPrefix(text.slice(0, end)) === isCut)
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('time and depth', () => {
  it.each([
    ['deep nesting', '['.repeat(65_536)],
    ['deep objects', '{"a":'.repeat(13_000)],
    ['a long string', `"${'a'.repeat(65_000)}`],
    ['a long number', `[${'1'.repeat(65_000)}`],
    ['long white space', `[${' '.repeat(65_000)}`],
    ['many escapes', `"${'\\u00e9'.repeat(10_900)}`],
  ])('%s costs linear time', (_what, text) => {
    const started = performance.now()
    expect(isJsonPrefix(text)).toBe(true)
    expect(performance.now() - started).toBeLessThan(500)
  })
})
