import { describe, expect, it } from 'vitest'
import { readDocuments } from '../../src/otlp/read-documents.ts'
import { chunksOf, collect, cutAt } from './chunks.ts'
import { noisyLines } from './noisy-lines.ts'
import {
  createSlowZstd,
  createWideZstd,
  createZstdBomb,
  toRawZstd,
  toStreamedZstd,
  toZstd,
} from './zstd-data.ts'

function read(...pieces: readonly (string | Uint8Array)[]) {
  return collect(readDocuments(chunksOf(...pieces)))
}

const LINES = noisyLines(8_000)
const PACKED = toZstd(`${LINES.join('\n')}\n`)
const TRUNCATED = { expected: 'A complete Zstandard stream', found: 'The end of the input', torn: true }

/** Text as an exporter writes it: keys and words that come again and again. */
const TEXT = Array.from(
  { length: 20_000 },
  (_, i) => `{"i":${i},"text":"order ${(i * 7919) % 1000}"}\n`,
).join('')
const VALUES = TEXT.trim()
  .split('\n')
  .map((line) => JSON.parse(line) as unknown)

async function valuesOf(...pieces: readonly Uint8Array[]): Promise<readonly unknown[]> {
  return (await read(...pieces)).map((item) => ('value' in item ? item.value : item))
}

describe('readDocuments() reads Zstandard', () => {
  it('by its first bytes, with offsets of the unpacked text', async () => {
    const expected = [
      { line: 1, offset: 8, value: { a: 1 } },
      { line: 2, offset: 16, value: { b: 2 } },
    ]
    expect(await read(toZstd('{"a":1}\n{"b":2}\n'))).toEqual(expected)
    expect(await read(toRawZstd('{"a":1}\n{"b":2}\n'))).toEqual(expected)
  })

  it.each([1, 3, 9, 19])('as it is packed at level %d', async (level) => {
    expect(await valuesOf(toZstd(TEXT, level))).toEqual(VALUES)
    expect(await valuesOf(toStreamedZstd([TEXT.slice(0, 300_000), TEXT.slice(300_000)], level))).toEqual(
      VALUES,
    )
  })

  it('cut anywhere', async () => {
    for (const bytes of [toZstd('{"a":1}\n'), toZstd(`{"a":1}\n${' '.repeat(10_000)}`)]) {
      const everyByte = cutAt(bytes, [...bytes.keys()])
      expect(await read(...everyByte)).toEqual([{ line: 1, offset: 8, value: { a: 1 } }])
    }
    expect(await read(PACKED)).toEqual(await read(...cutAt(PACKED, [1, 2, 3, 1_000, 1_001, 60_000])))
  })

  it('frames one after the other, as one write of the Collector each, and those that are to be skipped', async () => {
    const skipped = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 0x28, 0xb5, 0x2f])
    const frames = [
      skipped,
      toZstd('{"a":1}\n{"b'),
      toRawZstd('":2}\n'),
      toZstd(''),
      skipped,
      toZstd('{"c":3}'),
    ]
    const expected = [
      { line: 1, offset: 8, value: { a: 1 } },
      { line: 2, offset: 16, value: { b: 2 } },
      { line: 3, offset: 23, value: { c: 3 } },
    ]
    expect(await read(...frames)).toEqual(expected)
    expect(await read(Buffer.concat(frames))).toEqual(expected)
  })

  it('with zero padding behind it', async () => {
    const expected = [{ line: 1, offset: 8, value: { a: 1 } }]
    expect(await read(toZstd('{"a":1}\n'), Buffer.alloc(1), Buffer.alloc(300_000))).toEqual(expected)
    expect(await read(Buffer.concat([toRawZstd('{"a":1}\n'), Buffer.alloc(512)]))).toEqual(expected)
  })

  it('that is truncated as far as it goes, and tells that it is torn', async () => {
    for (const end of [PACKED.length - 1, PACKED.length - 9, PACKED.length >> 1]) {
      const items = await read(PACKED.subarray(0, end))
      const documents = items.filter((item) => 'value' in item)
      expect(documents.map(({ value }) => JSON.stringify(value))).toEqual(LINES.slice(0, documents.length))
      // Some 1,400 lines are a block, of which all is lost where a byte is missing.
      expect(documents.length).toBeGreaterThan((LINES.length * end) / PACKED.length - 1_500)
      const problems = items.filter((item) => 'problem' in item)
      expect(problems.every(({ problem }) => problem.torn)).toBe(true)
      expect(items.at(-1)).toMatchObject({ problem: TRUNCATED })
    }
  })

  it('that is truncated in its header', async () => {
    for (let end = 4; end < 9; end++) {
      expect(await read(PACKED.subarray(0, end))).toEqual([{ line: 1, offset: 0, problem: TRUNCATED }])
    }
  })

  it('whose second frame is truncated', async () => {
    expect(await read(toZstd('{"a":1}\n'), PACKED.subarray(0, 5))).toEqual([
      { line: 1, offset: 8, value: { a: 1 } },
      { line: 2, offset: 8, problem: TRUNCATED },
    ])
  })

  it('that is damaged up to the damage, and says so', async () => {
    const packed = toZstd(TEXT)
    const damaged = Buffer.concat([toZstd('{"a":1}\n'), packed])
    // Headers of blocks too: without a checksum, what is damaged within a block may still become text.
    damaged.fill(0xff, packed.length >> 1)
    const items = await read(damaged)
    expect(items[0]).toEqual({ line: 1, offset: 8, value: { a: 1 } })
    expect(items.at(-1)).toMatchObject({
      problem: {
        expected: 'A Zstandard stream',
        found: expect.stringMatching(/^Damaged data \(.+\)$/),
        torn: false,
      },
    })
  })

  it('followed by something else, and says so', async () => {
    for (const pieces of [
      [toZstd('{"a":1}\n'), Buffer.from('{"b":2}\n')],
      [toRawZstd('{"a":1}\n'), PACKED.subarray(5)],
    ]) {
      const problem = {
        expected: 'A Zstandard stream',
        found: 'Damaged data (something else behind a frame)',
        torn: false,
      }
      const expected = [{ value: { a: 1 } }, { problem }]
      expect(await read(...pieces)).toMatchObject(expected)
      expect(await read(Buffer.concat(pieces))).toMatchObject(expected)
    }
  })

  it('that expands thirty thousand times without holding all of it', async () => {
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    let documents = 0
    for await (const item of readDocuments(chunksOf(createZstdBomb(2_000), toZstd('\n{"a":1}\n')))) {
      expect(item).toMatchObject({ value: { a: 1 } })
      documents += 1
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }
    expect(documents).toBe(1)
    // What it becomes is 250 MiB.
    expect(most).toBeLessThan(100 * 1024 * 1024)
  })

  it('with a window of 128 MiB at most', async () => {
    expect(await read(createWideZstd(27))).toMatchObject([{ problem: { expected: 'A JSON document' } }])
    expect(await read(createWideZstd(28))).toMatchObject([
      { problem: { expected: 'A Zstandard stream', found: 'Damaged data (a window of 268435456 bytes)' } },
    ])
  })

  it('whose blocks were made to be slow, in bounded time', async () => {
    const started = performance.now()
    const items = await read(toZstd('{"a":1}\n'), createSlowZstd())
    expect(items).toMatchObject([
      { value: { a: 1 } },
      { problem: { expected: 'A Zstandard stream', found: expect.stringMatching(/^Damaged data/) } },
    ])
    expect(performance.now() - started).toBeLessThan(60_000)
  })

  it('and stops unpacking when the reader stops', async () => {
    for await (const item of readDocuments(chunksOf(PACKED, PACKED))) {
      if ('value' in item) break
    }
  })
})
