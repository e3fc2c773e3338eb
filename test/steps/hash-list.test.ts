import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HashList } from '../../src/steps/hash-list.ts'

const ROOM = 4_096
const MOST_BITS = 0x3fffffff

const list = new HashList(ROOM)

function takeLeast(hashes: readonly number[], most: number): ReturnType<HashList['takeLeast']> {
  list.cut(0)
  for (const hash of hashes) list.add(hash)
  return list.takeLeast(most)
}

function expected(hashes: readonly number[], most: number): ReturnType<HashList['takeLeast']> {
  const different = [...new Set(hashes)].sort((a, b) => a - b)
  return { least: different.slice(0, most), count: different.length }
}

describe('a list of hashes', () => {
  it('gives the least of the different ones, and how many there were', () => {
    expect(takeLeast([], 3)).toEqual({ least: [], count: 0 })
    expect(takeLeast([7], 3)).toEqual({ least: [7], count: 1 })
    expect(takeLeast([9, 0, 7, 9, MOST_BITS, 0, 8], 3)).toEqual({ least: [0, 7, 8], count: 5 })
  })

  it.each([24, 25, 512, 513, ROOM])('does so for lists of up to %i hashes', (length) => {
    const hash = fc.integer({ min: 0, max: MOST_BITS })
    const near = fc.integer({ min: 0, max: 40 })
    fc.assert(
      fc.property(fc.infiniteStream(fc.oneof(hash, near)), (stream) => {
        const hashes = [...stream.take(length)]
        for (const some of [hashes, hashes.slice(1)]) expect(takeLeast(some, 44)).toEqual(expected(some, 44))
      }),
      { numRuns: 10 },
    )
  })

  it('forgets what is cut off', () => {
    list.cut(0)
    for (const hash of [5, 3, 4, 1]) list.add(hash)
    list.cut(2)
    list.add(2)
    expect(list.length).toBe(3)
    expect(list.takeLeast(9)).toEqual({ least: [2, 3, 5], count: 3 })
  })

  it('takes no longer for hashes that lie near each other', () => {
    const hashes = Array.from({ length: 512 }, (_, n) => 512 - n)
    const began = performance.now()
    for (let n = 0; n < 200; n++) takeLeast(hashes, 44)
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})
