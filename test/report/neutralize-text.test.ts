import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { neutralizeText, toAscii } from '../../src/report/neutralize-text.ts'

describe('neutralizeText()', () => {
  test.each([
    ['order_query', 'order_query'],
    ['订单查询', '订单查询'],
    ['family 👨‍👩‍👧', 'family 👨‍👩‍👧'],
    ['  two\n lines\tand more ', 'two lines and more'],
    ['\u001b[2Jgone', '\\x1b[2Jgone'],
    ['\u001b]8;;http://x\u0007link', '\\x1b]8;;http://x\\x07link'],
    ['bell\u0007', 'bell\\x07'],
    ['\u009b31mred', '\\x9b31mred'],
    ['safe\u202egnp.exe', 'safe\\u202egnp.exe'],
    ['zero\u200bwidth', 'zero\\u200bwidth'],
    ['half \ud83d pair', 'half \\ud83d pair'],
    ['\u{e0041}hidden', '\\u{e0041}hidden'],
    ['\u0301 alone', '◌\u0301 alone'],
    ['z\u0301\u0301\u0301\u0301\u0301\u0301', 'z\u0301\u0301\u0301\u0301'],
  ])('shows %j as %j', (text, shown) => {
    expect(neutralizeText(text)).toBe(shown)
  })

  test('cuts what is far too long for a line', () => {
    expect(neutralizeText('x'.repeat(100_000))).toHaveLength(2_001)
  })

  test('leaves nothing that steers a terminal, and changes nothing when it is done again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = neutralizeText(text)
        expect(shown).not.toMatch(/\p{Cc}|\p{Cs}|\u2028|\u2029/u)
        expect(neutralizeText(shown)).toBe(shown)
      }),
    )
  })
})

describe('toAscii()', () => {
  test.each([
    ['plain text', 'plain text'],
    ['cut…', 'cut...'],
    ['a – b · c → d', 'a - b - c -> d'],
    ['“quoted”', '"quoted"'],
    ['订单', '\\u8ba2\\u5355'],
    ['é', '\\xe9'],
    ['🔎', '\\u{1f50e}'],
  ])('writes %j as %j', (text, ascii) => {
    expect(toAscii(text)).toBe(ascii)
  })
})
