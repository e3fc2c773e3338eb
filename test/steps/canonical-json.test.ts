import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, compareCodeUnits, surelyFits } from '../../src/steps/canonical-json.ts'

/** Parses an IEEE 754 double from its 16 hex digits. */
function fromBits(hex: string): number {
  return Buffer.from(hex, 'hex').readDoubleBE(0)
}

describe('numbers are written as RFC 8785, appendix B has them', () => {
  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('%s is %s', (bits, text) => {
    expect(canonicalJson(fromBits(bits))).toBe(text)
  })

  it.each([Number.NaN, Infinity, -Infinity])('%s, which JSON cannot hold, is null', (number) => {
    expect(canonicalJson(number)).toBe('null')
    expect(canonicalJson([number])).toBe('[null]')
    expect(canonicalJson({ number })).toBe('{"number":null}')
  })
})

describe('keys are sorted by UTF-16 code units', () => {
  it('as the example of RFC 8785, section 3.2.3 has them', () => {
    const members = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    }
    expect(canonicalJson(members)).toBe(
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis",' +
        '"\u20ac":"Euro Sign","\ud83d\ude00":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    )
  })

  it('so that integer-like keys, which engines put first by value, stand in text order', () => {
    expect(canonicalJson({ 10: 'a', 9: 'b', '-1': 'c', a: 'd' })).toBe('{"-1":"c","10":"a","9":"b","a":"d"}')
  })

  it('at every depth, in lists too', () => {
    expect(canonicalJson([{ b: { d: 1, c: 2 }, a: [] }])).toBe('[{"a":[],"b":{"c":2,"d":1}}]')
  })

  it('with __proto__ and constructor as ordinary keys', () => {
    const value: unknown = JSON.parse('{"constructor":1,"__proto__":{"b":2,"a":1}}')
    expect(canonicalJson(value)).toBe('{"__proto__":{"a":1,"b":2},"constructor":1}')
  })
})

describe('strings', () => {
  it('are escaped as RFC 8785, section 3.2.2.2 has them', () => {
    const parsed: unknown = JSON.parse(
      '{"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/"}',
    )
    expect(canonicalJson(parsed)).toBe('{"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}')
  })

  it('have the two-letter escapes of JSON, lower-case hex for other controls, and no escape beyond', () => {
    expect(canonicalJson('\b\t\n\f\r\u0000\u001f\u007f\u2028\u2029</script>')).toBe(
      '"\\b\\t\\n\\f\\r\\u0000\\u001f\u007f\u2028\u2029</script>"',
    )
  })

  it('are not normalized', () => {
    expect(canonicalJson('A\u030a')).toBe('"A\u030a"')
    expect(canonicalJson('\u00c5')).toBe('"\u00c5"')
  })

  it.each([
    ['a high surrogate alone', 'a\ud800b', '"a\ufffdb"'],
    ['a low surrogate alone', '\udc00', '"\ufffd"'],
    ['surrogates the wrong way round', '\udc00\ud800', '"\ufffd\ufffd"'],
    ['a pair', '\ud83d\ude00', '"\ud83d\ude00"'],
  ])('have U+FFFD in place of %s', (_what, text, expected) => {
    expect(canonicalJson(text)).toBe(expected)
    expect(canonicalJson({ [text]: 1 })).toBe(`{${expected}:1}`)
  })
})

describe('the examples of RFC 8785', () => {
  it('section 3.2.2: literals, numbers and the white space between tokens', () => {
    const source = `{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
      "literals": [null, true, false]
    }`
    expect(canonicalJson(JSON.parse(source))).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
  })
})

describe('what JSON cannot hold', () => {
  it.each([
    ['undefined', undefined, 'null'],
    ['a function', () => 1, 'null'],
    ['a symbol', Symbol('x'), 'null'],
    ['undefined in a list', [undefined, () => 1], '[null,null]'],
    ['undefined in an object', { a: undefined, b: () => 1, c: Symbol('x'), d: 1 }, '{"d":1}'],
    ['an object of nothing else', { a: undefined }, '{}'],
    ['a bigint', 12_345_678_901_234_567_890n, '"12345678901234567890"'],
    ['bytes', new Uint8Array([0, 1, 254, 255]), '"AAH+/w=="'],
    ['bytes in a list', [new Uint8Array()], '[""]'],
    ['a list with holes', [1, , 2], '[1,null,2]'], // oxlint-disable-line no-sparse-arrays
    ['an object without prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  ])('%s has one text, too', (_what, value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })
})

describe('nesting', () => {
  it('is written down to 200 levels, and is null below', () => {
    let value: unknown = 'end'
    for (let level = 0; level < 200; level++) value = [value]
    expect(canonicalJson(value)).toBe(`${'['.repeat(200)}"end"${']'.repeat(200)}`)
    expect(canonicalJson([value])).toBe(`${'['.repeat(200)}null${']'.repeat(200)}`)
  })

  it('of 50,000 levels does not overflow the stack', () => {
    const value: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000))
    expect(canonicalJson(value)).toBe(`${'['.repeat(200)}null${']'.repeat(200)}`)
  })
})

describe('a limit', () => {
  const value = { a: 'x'.repeat(50), b: [1, 2, 3], c: 'y' }

  it('that is not reached changes nothing', () => {
    expect(canonicalJson(value, 1_000)).toBe(canonicalJson(value))
  })

  it('that is reached leaves the beginning, longer than the limit', () => {
    const text = canonicalJson(value, 40)
    expect(text.length).toBeGreaterThan(40)
    expect(canonicalJson(value).startsWith(text)).toBe(true)
    expect(text.length).toBeLessThan(canonicalJson(value).length)
  })

  it('ends values that hold themselves, twice at each level', () => {
    const loop: Record<string, unknown> = {}
    loop['a'] = loop
    loop['b'] = [loop, loop]
    const started = performance.now()
    expect(canonicalJson(loop, 10_000).length).toBeLessThan(20_000)
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})

/** JSON values with well-formed strings and no negative zero, which JSON texts do not keep. */
const jsonValues = fc
  .jsonValue({ stringUnit: 'binary', depthSize: 'medium' })
  .map((value) => normalized(value))

function normalized(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** The same value, built with its keys in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, reversed(item)]),
  )
}

describe('for every JSON value', () => {
  it('parsing the canonical text gives the value back', () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value)
      }),
    )
  })

  it('the canonical text of the parsed canonical text is the same', () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        const text = canonicalJson(value)
        expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
    )
  })

  it('the order in which keys were written does not matter', () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))
      }),
    )
  })

  it('a limit gives a beginning of the canonical text, or all of it', () => {
    fc.assert(
      fc.property(jsonValues, fc.nat(200), (value, limit) => {
        const text = canonicalJson(value, limit)
        expect(canonicalJson(value).startsWith(text)).toBe(true)
        if (text.length <= limit) expect(text).toBe(canonicalJson(value))
      }),
    )
  })
})

describe('compareCodeUnits', () => {
  it.each([
    ['a', 'b', -1],
    ['b', 'a', 1],
    ['a', 'a', 0],
    ['', 'a', -1],
    ['Z', 'a', -1],
    ['\ud83d\ude00', '\ufb33', -1],
  ])('orders %j and %j', (a, b, expected) => {
    expect(compareCodeUnits(a, b)).toBe(expected)
  })
})

describe('that a value surely fits', () => {
  it('is never said of one whose canonical JSON is longer than the limit', () => {
    const values = fc.oneof(
      fc.anything({ withBigInt: true, withTypedArray: true, withSparseArray: true }),
      fc.jsonValue({ stringUnit: 'binary' }),
    )
    fc.assert(
      fc.property(values, fc.nat(200), (value, limit) => {
        if (surelyFits(value, limit)) expect(canonicalJson(value).length).toBeLessThanOrEqual(limit)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is said of ordinary arguments', () => {
    expect(surelyFits({ order_id: 'A1', note: 'a'.repeat(2_000), lines: [1, 2, null, true] }, 65_536)).toBe(
      true,
    )
  })

  it('is not said of a value that holds itself', () => {
    const value: Record<string, unknown> = {}
    value['self'] = value
    expect(surelyFits(value, 65_536)).toBe(false)
  })
})
