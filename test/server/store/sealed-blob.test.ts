import { gzipSync } from 'node:zlib'
import { Zstd } from '@hpcc-js/wasm-zstd'
import { describe, expect, it } from 'vitest'
import { crc32 } from 'node:zlib'
import { sealBytes, sealBytesIn, sealText, unsealBytes } from '../../../src/server/sqlite-blob.ts'

const TEXT = JSON.stringify({ summary: 'Straße '.repeat(2_000) })

/** A blob as another Node would have written it. */
function sealAs(codec: number, packed: Uint8Array): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(codec, 0)
  head.writeUInt32LE(crc32(packed), 1)
  return Buffer.concat([head, packed])
}

describe('a sealed blob', () => {
  it('gives its text back, and takes less room', () => {
    const sealed = sealText(TEXT)
    expect(unsealBytes(sealed, 'it').toString()).toBe(TEXT)
    expect(sealed.length).toBeLessThan(Buffer.byteLength(TEXT) / 10)
    expect(unsealBytes(sealText(''), 'it').toString()).toBe('')
    expect(unsealBytes(sealBytes(Buffer.from([1, 2])), 'it')).toEqual(Buffer.from([1, 2]))
  })

  it.each([1, 1_000, 20, 1024 * 1024, 1024 * 1024 + 1, 3_000_000, 5])(
    'is the same in memory that was used before, with %i bytes',
    (length) => {
      const scratch = {
        buffer: Buffer.from(sealBytesIn({ buffer: Buffer.alloc(0) }, Buffer.alloc(100, 'x'))),
      }
      const bytes = Buffer.alloc(length, 'span')
      expect(sealBytesIn(scratch, bytes).equals(sealBytes(bytes))).toBe(true)
      expect(scratch.buffer.length).toBeLessThan(1024 * 1024 + 100)
    },
  )

  it('is read whether the Node that wrote it had Zstandard or not', async () => {
    const zstd = await Zstd.load()
    expect(unsealBytes(sealAs(2, zstd.compress(Buffer.from(TEXT))), 'it').toString()).toBe(TEXT)
    expect(unsealBytes(sealAs(1, gzipSync(TEXT)), 'it').toString()).toBe(TEXT)
  })

  it.each([
    ['too short', Buffer.from([0, 1]), 'no blob of a store'],
    [
      'changed',
      Buffer.concat([sealBytes(Buffer.from('a')), Buffer.from('b')]),
      'bytes that do not fit their checksum',
    ],
    ['of an unknown packing', sealAs(9, Buffer.from('a')), 'a packing 9 that is not known'],
    ['no Zstandard', sealAs(2, Buffer.from('abcdef')), 'Damaged data (something else behind a frame)'],
  ])('says what is wrong where it is %s', (_, blob, found) => {
    expect(() => unsealBytes(blob, 'the report r')).toThrow(
      expect.objectContaining({
        fault: 'corrupt',
        message: `Cannot read the report r: expected what was stored, found ${found}`,
      }),
    )
  })
})
