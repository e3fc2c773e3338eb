import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fingerprint } from '../../src/steps/fingerprint.ts'

describe('a fingerprint', () => {
  it('is ten characters of ASCII', () => {
    expect(['', 'a', '订单', 'a'.repeat(100_000)].map(fingerprint)).toEqual(
      Array.from({ length: 4 }, () => expect.stringMatching(/^[0-o]{10}$/u) as string),
    )
  })

  it('is the same for the same text, whatever was asked for in between', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, other) => {
        const first = fingerprint(text)
        fingerprint(other)
        fingerprint(`${text}${other}`)
        expect(fingerprint(text.split('').join(''))).toBe(first)
      }),
    )
  })

  it('tells texts apart', () => {
    const texts = new Set([
      ...Array.from({ length: 200 }, (_, length) => 'a'.repeat(length)),
      ...Array.from({ length: 200 }, (_, length) => '\u0000'.repeat(length)),
      ...Array.from({ length: 20_000 }, (_, n) => `{"progress":${n}}`),
      ...Array.from({ length: 20_000 }, (_, n) => String.fromCharCode(n)),
    ])
    expect(new Set([...texts].map(fingerprint)).size).toBe(texts.size)
  })

  it('tells apart texts that differ in any one code unit, in any one bit', () => {
    const text = 'The parcel left the warehouse at 12:04. 订单已发货'
    const edited = text.split('').flatMap((char, at) =>
      Array.from({ length: 16 }, (_, bit) => {
        const flipped = String.fromCharCode(char.charCodeAt(0) ^ (1 << bit))
        return `${text.slice(0, at)}${flipped}${text.slice(at + 1)}`
      }),
    )
    expect(new Set([text, ...edited].map(fingerprint)).size).toBe(edited.length + 1)
  })

  it('tells apart texts that differ in the upper bits of two code units', () => {
    const text = 'a'.repeat(64)
    const flip = (at: number): string => `${text.slice(0, at)}\u8061${text.slice(at + 1)}`
    const edited = Array.from({ length: 63 }, (_, at) =>
      Array.from({ length: 63 - at }, (_unused, gap) => {
        const second = at + 1 + gap
        return `${flip(at).slice(0, second)}\u8061${text.slice(second + 1)}`
      }),
    ).flat()
    expect(new Set([text, ...edited].map(fingerprint)).size).toBe(edited.length + 1)
  })

  it('sees all of a text that is longer than what is held ready', () => {
    const text = 'row '.repeat(40_000)
    expect(fingerprint(`${text}1`)).not.toBe(fingerprint(`${text}2`))
    expect(fingerprint(`1${text}`)).not.toBe(fingerprint(`2${text}`))
  })
})
