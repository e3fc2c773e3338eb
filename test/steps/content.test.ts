import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FieldKey } from '../../src/semconv/field-key.ts'
import {
  Content,
  CONTENT_LIMIT,
  type ContentState,
  decodeNested,
  EAGER_LIMIT,
  hasCutMark,
  isRedacted,
} from '../../src/steps/content.ts'
import { jsonText } from './json-text.ts'

const TEXT: FieldKey = { field: 'output', key: 'output.value', dialect: 'openinference', version: '1' }
const JSON_ONLY: FieldKey = { ...TEXT, key: 'ai.toolCall.result', dialect: 'ai-sdk', json: true }

function recorded(raw: unknown, source: FieldKey = TEXT): Content {
  return Content.recorded(raw, source)
}

/** A value as JSON text, encoded the given number of times. */
function encoded(value: unknown, times: number): string {
  const text = JSON.stringify(value)
  return times === 1 ? text : encoded(text, times - 1)
}

describe('the state of recorded text', () => {
  it.each<[text: string, state: ContentState, value: unknown]>([
    ['Paris', 'seen', 'Paris'],
    ['', 'seen', ''],
    [' \n', 'seen', ' \n'],
    ['{"a":1}', 'seen', { a: 1 }],
    [' [1] ', 'seen', [1]],
    ['"a"', 'seen', 'a'],
    ['42', 'seen', '42'],
    ['null', 'seen', 'null'],
    ['[1] is a footnote', 'seen', '[1] is a footnote'],
    ['[INFO] started', 'seen', '[INFO] started'],
    ['{name}', 'seen', '{name}'],
    ['"Quoted" words', 'seen', '"Quoted" words'],
    ['{"a":', 'truncated', undefined],
    ['"To be', 'truncated', undefined],
    ['{"a":"b…', 'truncated', undefined],
    ['{"a":[1,2...', 'truncated', undefined],
    ['{"a":[1,2... [truncated]', 'truncated', undefined],
    ['{"a":[1,2[truncated 5000 characters]', 'truncated', undefined],
    ['{"a":[1,2 <truncated>\n', 'truncated', undefined],
    ['long text [truncated]', 'truncated', undefined],
    ['long text (truncated)', 'truncated', undefined],
    ['To be continued...', 'seen', 'To be continued...'],
    ['the list was truncated', 'seen', 'the list was truncated'],
    ['{"a":1}...', 'seen', '{"a":1}...'],
  ])('%j is %s', (text, state, value) => {
    const content = recorded(text)
    expect(content.state).toBe(state)
    expect(content.seen).toBe(state === 'seen')
    expect(content.value).toEqual(value)
    expect(content.text).toBe(text)
    expect(content.malformed).toBe(false)
  })

  it.each<[text: string, state: ContentState, malformed: boolean]>([
    ['42', 'seen', false],
    ['null', 'seen', false],
    ['Paris', 'seen', true],
    ['', 'seen', false],
    ['  ', 'seen', false],
    ['undefined', 'seen', true],
    ["{'a': 1}", 'seen', true],
    ['{"a":1}}', 'seen', true],
    ['{"a":1', 'truncated', false],
    ['[REDACTED]', 'redacted', false],
  ])('%j, that must be JSON, is %s, malformed %s', (text, state, malformed) => {
    const content = recorded(text, JSON_ONLY)
    expect(content.state).toBe(state)
    expect(content.malformed).toBe(malformed)
  })

  it('has the values of bare JSON scalars where JSON is asked for', () => {
    expect(['42', 'true', 'null', '"a"'].map((text) => recorded(text, JSON_ONLY).value)).toEqual([
      42,
      true,
      null,
      'a',
    ])
  })
})

describe('redacted text', () => {
  it.each([
    '__REDACTED__',
    '[REDACTED]',
    '[redacted]',
    'REDACTED',
    '<redacted>',
    '***REDACTED***',
    '[REDACTED_EMAIL]',
    '[REDACTED: by policy]',
    '[Filtered]',
    '<hidden>',
    '{{masked}}',
    '[removed]',
    '***',
    '•••••',
    '████',
    'xxxx',
  ])('is told: %s', (text) => {
    expect(isRedacted(text)).toBe(true)
    expect(recorded(text).state).toBe('redacted')
    expect(recorded(JSON.stringify(text)).state).toBe('redacted')
  })

  it.each([
    'removed',
    'Hidden',
    'filtered',
    'masked',
    'redacted the document',
    'The file was removed.',
    '[removed 3 files]',
    '**',
    '*',
    'xx',
    '',
    '[]',
    '[REDACTED] and a word',
    `[REDACTED ${'x'.repeat(64)}]`,
  ])('is not told of a result: %j', (text) => {
    expect(isRedacted(text)).toBe(false)
  })
})

describe('a mark at the end of a text', () => {
  it.each(['a…', 'a...', 'a [truncated]', 'a...[truncated]', 'a… (truncated 12 kB)', 'a truncated', 'a…\n'])(
    'is told: %j',
    (text) => {
      expect(hasCutMark(text)).toBe(true)
    },
  )

  it.each(['a', '', 'a…b', '[truncated] a', 'a..', '{"a":1}'])('is not told: %j', (text) => {
    expect(hasCutMark(text)).toBe(false)
  })
})

describe('length', () => {
  it.each([
    ['plain text', 'a'.repeat(CONTENT_LIMIT), 'a'.repeat(CONTENT_LIMIT + 1)],
    ['JSON text', `"${'a'.repeat(CONTENT_LIMIT - 2)}"`, `"${'a'.repeat(CONTENT_LIMIT - 1)}"`],
    ['cut JSON', `["${'a'.repeat(CONTENT_LIMIT - 2)}`, null],
  ])('%s is looked at whole up to 65,536 UTF-16 code units', (_what, whole, long) => {
    expect(recorded(whole).state).toBe(whole.startsWith('[') ? 'truncated' : 'seen')
    if (long === null) return
    const content = recorded(long)
    expect(content.state).toBe('partial')
    expect(content.seen).toBe(false)
    expect(content.value).toBeUndefined()
    expect(content.text).toBe(long.slice(0, CONTENT_LIMIT))
    expect(content.identity).toBe(long)
  })

  it('of a map or list is that of its canonical JSON', () => {
    expect(recorded({ a: 'x'.repeat(CONTENT_LIMIT - 8) }).state).toBe('seen')
    const long = recorded({ a: 'x'.repeat(CONTENT_LIMIT - 7) })
    expect(long.state).toBe('partial')
    expect(long.text).toHaveLength(CONTENT_LIMIT)
  })

  it('of two long contents that share their beginning does not make them one', () => {
    const beginning = 'a'.repeat(CONTENT_LIMIT)
    expect(recorded(`${beginning}1`).identity).not.toBe(recorded(`${beginning}2`).identity)
    expect(recorded([beginning, 1]).identity).not.toBe(recorded([beginning, 2]).identity)
  })

  it('above 4,096 takes a text that begins and ends as JSON for whole, and its parts for what they are', () => {
    const whole = `{"a":"${'x'.repeat(EAGER_LIMIT)}"}`
    expect(recorded(whole).state).toBe('seen')
    expect(recorded(whole).value).toEqual({ a: 'x'.repeat(EAGER_LIMIT) })
    const broken = `{"a":"${'x'.repeat(EAGER_LIMIT)}}`
    expect(recorded(broken).state).toBe('seen')
    expect(recorded(broken).value).toBe(broken)
    // A closing quote and brace would make it JSON: it was cut, not written wrongly.
    expect(recorded(broken, JSON_ONLY).malformed).toBe(false)
    expect(recorded(broken).turnsOutCut).toBe(true)
    expect(recorded(whole).turnsOutCut).toBe(false)
    expect(recorded(`{"a": ${'x'.repeat(EAGER_LIMIT)}}`, JSON_ONLY).malformed).toBe(true)
    expect(recorded(broken.slice(0, -1)).state).toBe('truncated')
  })

  it('says the same of a content whatever is asked first', () => {
    const broken = `{"a":"${'x'.repeat(EAGER_LIMIT)}}`
    const asked = recorded(broken)
    expect([asked.value, asked.state]).toEqual([broken, 'seen'])
    const other = recorded(broken)
    expect([other.state, other.value]).toEqual(['seen', broken])
  })
})

describe('content that is not recorded', () => {
  it.each(['absent', 'dropped'] as const)('is %s, and has neither text nor value', (reason) => {
    const content = Content.missing(reason)
    expect(content.state).toBe(reason)
    expect(content.seen).toBe(false)
    expect(content.key).toBeNull()
    expect(content.dialect).toBeNull()
    expect(content.text).toBe('')
    expect(content.value).toBeUndefined()
    expect(content.identity).toBeNull()
    expect(content.exactText).toBeNull()
    expect(content.malformed).toBe(false)
  })
})

describe('native values', () => {
  it.each<[what: string, raw: unknown, text: string]>([
    ['a map', { b: 1, a: [true, null] }, '{"a":[true,null],"b":1}'],
    ['a list of mixed values', ['a', 1, { b: 2 }], '["a",1,{"b":2}]'],
    ['an empty map', {}, '{}'],
    ['a number', 42, '42'],
    ['NaN', Number.NaN, 'null'],
    ['a boolean', false, 'false'],
    ['null', null, 'null'],
    ['a bigint', 12n, '"12"'],
    ['bytes', new Uint8Array([1, 2]), '"AQI="'],
  ])('%s are seen as they are', (_what, raw, text) => {
    const content = recorded(raw)
    expect(content.state).toBe('seen')
    expect(content.value).toBe(raw)
    expect(content.text).toBe(text)
    expect(content.malformed).toBe(false)
  })

  it('that hold themselves are looked at in part only', () => {
    const loop: Record<string, unknown> = {}
    loop['a'] = loop
    loop['b'] = loop
    const content = recorded(loop)
    expect(content.state).toBe('partial')
    expect(content.identity?.length).toBeLessThan(2_000_000)
  })
})

describe('nested JSON', () => {
  const value = { city: 'Paris', days: [1, 2] }

  it.each([1, 2, 3])('is decoded where a whole text is encoded %d times', (times) => {
    expect(recorded(encoded(value, times)).value).toEqual(value)
  })

  it('is left as text where a text is encoded four times', () => {
    expect(recorded(encoded(value, 4)).value).toBe(encoded(value, 1))
  })

  it.each([1, 2, 3])('is decoded where a field is encoded %d times', (times) => {
    expect(decodeNested({ args: encoded(value, times) }, 3)).toEqual({ args: value })
  })

  it('is decoded at every level of a value', () => {
    const inner = encoded({ c: encoded([1], 1) }, 1)
    expect(decodeNested({ a: [inner], b: 'text' }, 3)).toEqual({ a: [{ c: [1] }], b: 'text' })
    expect(decodeNested({ a: [inner] }, 1)).toEqual({ a: [{ c: '[1]' }] })
    expect(decodeNested({ a: [inner] }, 0)).toEqual({ a: [inner] })
  })

  it.each(['"quoted"', '"42"', '42', 'true', '{broken', '[1,', ''])(
    'leaves other text as it is: %j',
    (text) => {
      expect(decodeNested({ query: text }, 3)).toEqual({ query: text })
    },
  )

  it('keeps keys that every object inherits', () => {
    const decoded = decodeNested(JSON.parse('{"__proto__":"[1]","constructor":"{}"}'), 3) as object
    expect(Object.entries(decoded)).toEqual([
      ['__proto__', [1]],
      ['constructor', {}],
    ])
  })

  it('goes no deeper than 200 levels', () => {
    const deep: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000))
    expect(() => decodeNested(deep, 3)).not.toThrow()
    expect(() => decodeNested(`${'['.repeat(50_000)}${']'.repeat(50_000)}`, 3)).not.toThrow()
  })
})

describe('identity', () => {
  const value = { city: 'Łódź', days: [1, 2], note: 'a  b' }
  const spaced = '{ "note" : "a  b",\r\n\t"days":[1, 2], "city":"\\u0141\\u00f3d\\u017a" }'

  it('is one for the object, its JSON text in any form, and text encoded twice or three times', () => {
    const forms = [
      value,
      encoded(value, 1),
      spaced,
      encoded(value, 2),
      encoded(value, 3),
      JSON.stringify(spaced),
    ]
    const identities = forms.map((form) => recorded(form).identity)
    expect(new Set(identities)).toEqual(new Set(['{"city":"Łódź","days":[1,2],"note":"a  b"}']))
  })

  it('is one for a field that is an object, its JSON text, or that text encoded again', () => {
    const forms = [{ args: value }, { args: spaced }, { args: encoded(value, 2) }]
    expect(new Set(forms.map((form) => recorded(form).identity)).size).toBe(1)
  })

  it('is one for numbers in any notation', () => {
    expect(recorded('{"a":1.0,"b":1e2}').identity).toBe(recorded('{"b":100,"a":1}').identity)
  })

  it.each<[what: string, a: unknown, b: unknown]>([
    ['white space in a string', { note: 'a  b' }, { note: 'a b' }],
    ['the indentation of code', { code: 'if x:\n  y' }, { code: 'if x:\n    y' }],
    ['white space at the end of plain text', 'run ', 'run'],
    ['the order of a list', [1, 2], [2, 1]],
    ['a number and its text', { id: 1 }, { id: '1' }],
    ['quotes around a phrase', { query: '"exact phrase"' }, { query: 'exact phrase' }],
    ['null and a missing field', { a: null }, {}],
    ['letter case', 'Paris', 'paris'],
    ['an empty list and an empty object', [], {}],
  ])('differs by %s', (_what, a, b) => {
    expect(recorded(a).identity).not.toBe(recorded(b).identity)
  })

  it('is none for what is not seen', () => {
    expect(['[REDACTED]', '{"a":', 'text [truncated]'].map((text) => recorded(text).identity)).toEqual([
      null,
      null,
      null,
    ])
  })

  it('of every JSON value is one in all its encodings', () => {
    const values = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()))
    fc.assert(
      fc.property(values, (any) => {
        const plain: unknown = JSON.parse(JSON.stringify(any))
        const forms = [
          plain,
          encoded(plain, 1),
          JSON.stringify(plain, null, 2),
          encoded(plain, 2),
          encoded(plain, 3),
        ]
        expect(new Set(forms.map((form) => recorded(form).identity)).size).toBe(1)
      }),
    )
  })
})

describe('time', () => {
  it.each([
    ['spaces behind broken JSON', `{x${' '.repeat(60_000)}y`],
    ['spaces before a mark', `{x${' '.repeat(60_000)}[truncated]`],
    ['points', `{x${'.'.repeat(60_000)}y`],
    ['brackets', '[truncated'.repeat(6_000)],
    ['stars', '*'.repeat(60_000)],
    ['spaces', ' '.repeat(60_000)],
    ['quotes', '"'.repeat(60_001)],
    ['backslashes', `"${'\\'.repeat(60_001)}`],
    ['brackets that open', '['.repeat(60_000)],
    ['words that redact', '[redacted '.repeat(6_000)],
  ])('of a text of 60,000 %s is short', (_what, text) => {
    const started = performance.now()
    for (const source of [TEXT, JSON_ONLY]) {
      const content = recorded(text, source)
      expect([content.state, content.malformed, content.identity, content.value, content.text]).toHaveLength(
        5,
      )
    }
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})

describe('what is known of a short text', () => {
  /** JSON, and texts a character away from it, in white space or cut. */
  const texts = fc
    .tuple(
      jsonText(['a', 'b']),
      fc.nat(200),
      fc.constantFrom('', '', '{', ']', '"', ',', '\\', '\u00a0', '…', '...'),
    )
    .chain(([text, at, char]) =>
      fc.constantFrom(
        text,
        text.slice(0, at),
        `${text.slice(0, at)}${char}`,
        `${text.slice(0, at)}${char}${text.slice(at)}`,
        `\u00a0${text}`,
        JSON.stringify(text),
      ),
    )

  it('does not depend on what is asked first', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(TEXT, JSON_ONLY), (text, source) => {
        const decodedFirst = recorded(text, source)
        decodedFirst.decode()
        const { malformed, state, seen, exactText } = recorded(text, source)
        expect({ malformed, state, seen, exactText }).toEqual({
          malformed: decodedFirst.malformed,
          state: decodedFirst.state,
          seen: decodedFirst.seen,
          exactText: decodedFirst.exactText,
        })
        const askedFirst = recorded(text, source)
        expect(askedFirst.state).toBe(state)
        expect(askedFirst.value).toEqual(decodedFirst.value)
        expect(askedFirst.identity).toBe(decodedFirst.identity)
      }),
      { numRuns: 2_000 },
    )
  })
})
