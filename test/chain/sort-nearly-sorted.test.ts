import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sortNearlySorted } from '../../src/chain/sort-nearly-sorted.ts'

interface Item {
  readonly key: number
  readonly place: number
}

const byKey = (a: Item, b: Item): number => a.key - b.key

const toItems = (keys: readonly number[]): Item[] => keys.map((key, place) => ({ key, place }))

describe('sortNearlySorted()', () => {
  it('gives what a stable sort gives, whatever the order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 60 }), (keys) => {
        expect(sortNearlySorted(toItems(keys), byKey)).toEqual(toItems(keys).toSorted(byKey))
      }),
    )
  })

  it('compares a sorted list, and one with neighbours the wrong way round, in one pass', () => {
    let compared = 0
    const compare = (a: number, b: number): number => {
      compared++
      return a - b
    }
    const sorted = Array.from({ length: 1_000 }, (_, n) => n)
    sortNearlySorted([...sorted], compare)
    expect(compared).toBe(999)
    compared = 0
    expect(
      sortNearlySorted(
        sorted.map((n) => n ^ 1),
        compare,
      ),
    ).toEqual(sorted)
    expect(compared).toBeLessThan(2_000)
  })

  it('takes no longer than a common sort where the order is the opposite', () => {
    let compared = 0
    const reversed = Array.from({ length: 10_000 }, (_, n) => -n)
    sortNearlySorted(reversed, (a, b) => {
      compared++
      return a - b
    })
    expect(reversed[0]).toBe(-9_999)
    expect(compared).toBeLessThan(200_000)
  })
})
