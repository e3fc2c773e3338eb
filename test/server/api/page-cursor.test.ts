import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCursor, writeCursor } from '../../../src/server/api/page-cursor.ts'

const name = fc
  .tuple(fc.stringMatching(/^[0-9a-f]{32}$/u), fc.stringMatching(/^[0-9a-f]{8}$/u))
  .map(([traceId, hash]) => `${traceId}-${hash}`)
// Starts are microseconds, as reports write them.
const startedMs = fc.maxSafeNat().map((micros) => micros / 1_000)

describe('the cursor of a page', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(startedMs, name, (ms, chain) => {
        const mark = { startedMs: ms, name: chain }
        expect(readCursor(writeCursor(mark))).toEqual(mark)
        expect(writeCursor(mark)).toMatch(/^[\w-]+$/u)
      }),
    )
  })

  it('is refused where somebody else made it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.string().map(toBase64)), (text) => {
        const mark = readCursor(text)
        if (mark !== null) expect(writeCursor(mark)).toBe(text)
      }),
    )
  })

  it.each([
    ['nothing', ''],
    ['a mark without a name', toBase64('1796040000000,')],
    ['a time that is none', toBase64(`NaN,${'0'.repeat(32)}-00000000`)],
    ['a second way to write a time', toBase64(`01,${'0'.repeat(32)}-00000000`)],
    ['padding', `${toBase64(`1,${'0'.repeat(32)}-00000000`)}=`],
    ['a name with a line feed behind it', toBase64(`1,${'0'.repeat(32)}-00000000\n`)],
    ['a text of a megabyte', 'A'.repeat(1_000_000)],
  ])('is refused where it is %s', (_, text) => {
    expect(readCursor(text)).toBeNull()
  })
})

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64url')
}
