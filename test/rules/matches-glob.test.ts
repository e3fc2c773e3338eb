import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesGlob } from '../../src/rules/matches-glob.ts'

const patterns = new Map([
  ['*', '.*'],
  ['?', '.'],
  ['.', '\\.'],
])

describe('matchesGlob()', () => {
  it.each([
    ['order_query', 'order_query', true],
    ['order_query', 'order_query2', false],
    ['order_*', 'order_', true],
    ['*_query', 'order_query', true],
    ['*a*b*', 'xxaxxbxx', true],
    ['*a*b*', 'xxbxxaxx', false],
    ['gpt-4?', 'gpt-4o', true],
    ['gpt-4?', 'gpt-4', false],
    ['a.c', 'abc', false],
    ['*', '', true],
    ['', 'a', false],
  ])('%j and %j: %s', (glob, text, matches) => {
    expect(matchesGlob(glob, text)).toBe(matches)
  })

  it('agrees with a regular expression that says the same', () => {
    const letters = fc.constantFrom('a', 'b', '.')
    const globs = fc.array(fc.oneof(letters, fc.constantFrom('*', '?')), { maxLength: 8 })
    const texts = fc.array(letters, { maxLength: 10 })
    fc.assert(
      fc.property(globs, texts, (signs, text) => {
        const source = signs.map((sign) => patterns.get(sign) ?? sign).join('')
        const expected = new RegExp(`^${source}$`, 'u').test(text.join(''))
        expect(matchesGlob(signs.join(''), text.join(''))).toBe(expected)
      }),
    )
  })

  it('ends soon on a glob of many stars', () => {
    expect(matchesGlob(`${'a*'.repeat(200)}b`, 'a'.repeat(5_000))).toBe(false)
  })
})
