import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toIsoTime } from '../../src/report/iso-time.ts'

describe('toIsoTime()', () => {
  it.each([
    [0n, '1970-01-01T00:00:00.000000Z'],
    [499n, '1970-01-01T00:00:00.000000Z'],
    [500n, '1970-01-01T00:00:00.000001Z'],
    [1_764_460_800_123_456_789n, '2025-11-30T00:00:00.123457Z'],
    [1_764_460_800_999_999_600n, '2025-11-30T00:00:01.000000Z'],
    [-1n, '1970-01-01T00:00:00.000000Z'],
    [-1_000n, '1969-12-31T23:59:59.999999Z'],
    [-1_000_000_000n, '1969-12-31T23:59:59.000000Z'],
    [10n ** 30n, '1970-01-01T00:00:00.000000Z'],
  ])('writes %d ns as %s', (nanoseconds, text) => {
    expect(toIsoTime(nanoseconds)).toBe(text)
  })

  it('says what Date says, in any order of times', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1_000_000, max: 4_000_000_000_000 }), { minLength: 1 }),
        (millis) => {
          for (const ms of millis) {
            expect(toIsoTime(BigInt(ms) * 1_000_000n)).toBe(new Date(ms).toISOString().replace('Z', '000Z'))
          }
        },
      ),
    )
  })
})
