import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPlainJson } from '../../src/steps/is-plain-json.ts'

/** What JSON escapes, of which control characters are what comes before the space, and all surrogates. */
const ESCAPED = /["\\\ud800-\udfff]|[^ -\uffff]/

/** One code unit each. */
const units = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit))

describe('a text that is plain in JSON', () => {
  it('is one without a quote, a backslash, a control character or a surrogate, at any place of it', () => {
    const plain = [
      '',
      'a',
      'The parcel left at 12:04.',
      'ÿ€ und 订单已发货',
      '\u007f\u0080\u00a0\u2028\ud7ff\ue000',
    ]
    expect(plain.map(isPlainJson)).toEqual(plain.map(() => true))
    for (const sign of ['"', '\\', '\u0000', '\n', '\u001f', '\ud800', '\udfff', '😀']) {
      for (const text of ['0123456789', '0123€56789', 'ÿÿÿÿÿÿÿÿÿÿ']) {
        for (let at = 0; at <= text.length; at++) {
          expect(isPlainJson(text.slice(0, at) + sign + text.slice(at))).toBe(false)
        }
      }
    }
  })

  it('is told code unit by code unit of any text', () => {
    fc.assert(
      fc.property(fc.array(units, { maxLength: 40 }), (all) => {
        const text = all.join('')
        expect(isPlainJson(text)).toBe(!ESCAPED.test(text))
      }),
    )
    for (let unit = 0; unit <= 0xffff; unit++) {
      const text = `abcde${String.fromCharCode(unit)}fgh`
      if (isPlainJson(text) === ESCAPED.test(text)) throw new Error(`Told wrongly: ${unit}`)
    }
  })

  it('is written as it stands by JSON.stringify', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(isPlainJson(text))
        expect(JSON.stringify(text)).toBe(`"${text}"`)
      }),
    )
  })

  it('may be longer than what is held ready', () => {
    const text = 'row '.repeat(40_000)
    expect([text, `${text}€`, `${text}\n`, `${text}€\n`].map(isPlainJson)).toEqual([true, true, false, false])
  })
})
