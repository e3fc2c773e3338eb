import { describe, expect, test } from 'vitest'
import { readRetryAfter } from '../../src/exporters/retry-after.ts'

const NOW = Date.UTC(2026, 10, 30, 12)

describe('readRetryAfter()', () => {
  test.each([
    ['0', 0],
    ['120', 120_000],
    [' 3 ', 3_000],
    ['Mon, 30 Nov 2026 12:00:07 GMT', 7_000],
    ['Monday, 30-Nov-26 12:00:07 GMT', 7_000],
    ['Mon, 30 Nov 2026 11:00:00 GMT', 0],
  ])('reads %j', (header, millis) => {
    expect(readRetryAfter(header, NOW)).toBe(millis)
  })

  test.each([null, '', '-1', '1.5', 'soon', '2026-11-30', 'Mon, 30 Foo 2026 12:00:07 GMT', '9'.repeat(400)])(
    'takes %j for no answer',
    (header) => {
      expect(readRetryAfter(header, NOW)).toBeUndefined()
    },
  )
})
