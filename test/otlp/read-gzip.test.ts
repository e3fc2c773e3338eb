import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readDocuments } from '../../src/otlp/read-documents.ts'
import { chunksOf, collect, cutAt } from './chunks.ts'
import { noisyLines } from './noisy-lines.ts'

function read(...pieces: readonly (string | Uint8Array)[]) {
  return collect(readDocuments(chunksOf(...pieces)))
}

const LINES = noisyLines(2_000)
const PACKED = gzipSync(`${LINES.join('\n')}\n`)
const TRUNCATED = { expected: 'A complete gzip stream', found: 'The end of the input', torn: true }

describe('readDocuments() reads gzip', () => {
  it('by its first bytes, with offsets of the unpacked text', async () => {
    expect(await read(gzipSync('{"a":1}\n{"b":2}\n'))).toEqual([
      { line: 1, offset: 8, value: { a: 1 } },
      { line: 2, offset: 16, value: { b: 2 } },
    ])
  })

  it('cut anywhere', async () => {
    const bytes = gzipSync('{"a":1}\n')
    const everyByte = cutAt(bytes, [...bytes.keys()])
    expect(await read(...everyByte)).toEqual([{ line: 1, offset: 8, value: { a: 1 } }])
    expect(await read(PACKED)).toEqual(await read(...cutAt(PACKED, [1, 2, 3, 1_000, 1_001, 60_000])))
  })

  it('members one after the other, also where a line begins in one and ends in the next', async () => {
    const members = [gzipSync('{"a":1}\n{"b'), gzipSync('":2}\n'), gzipSync(''), gzipSync('{"c":3}')]
    const expected = [
      { line: 1, offset: 8, value: { a: 1 } },
      { line: 2, offset: 16, value: { b: 2 } },
      { line: 3, offset: 23, value: { c: 3 } },
    ]
    expect(await read(...members)).toEqual(expected)
    expect(await read(Buffer.concat(members))).toEqual(expected)
  })

  it('with zero padding behind it', async () => {
    const packed = gzipSync('{"a":1}\n')
    for (const padding of [
      [Buffer.alloc(512)],
      [Buffer.alloc(1), Buffer.alloc(300_000), Buffer.alloc(300_000)],
    ]) {
      const expected = [{ line: 1, offset: 8, value: { a: 1 } }]
      expect(await read(packed, ...padding)).toEqual(expected)
      expect(await read(Buffer.concat([packed, ...padding]))).toEqual(expected)
    }
  })

  it('that is truncated as far as it goes, and tells that it is torn', async () => {
    for (const end of [PACKED.length - 1, PACKED.length - 9, PACKED.length >> 1, 3_000]) {
      const items = await read(PACKED.subarray(0, end))
      const documents = items.filter((item) => 'value' in item)
      expect(documents.map(({ value }) => JSON.stringify(value))).toEqual(LINES.slice(0, documents.length))
      expect(documents.length).toBeGreaterThan(((LINES.length * end) / PACKED.length) * 0.8)
      const problems = items.filter((item) => 'problem' in item)
      expect(problems.every(({ problem }) => problem.torn)).toBe(true)
      expect(items.at(-1)).toMatchObject({ problem: TRUNCATED })
    }
  })

  it('that is truncated in its header', async () => {
    for (let end = 2; end < 12; end++) {
      expect(await read(PACKED.subarray(0, end))).toEqual([{ line: 1, offset: 0, problem: TRUNCATED }])
    }
  })

  it('whose second member is truncated', async () => {
    expect(await read(gzipSync('{"a":1}\n'), PACKED.subarray(0, 5))).toEqual([
      { line: 1, offset: 8, value: { a: 1 } },
      { line: 2, offset: 8, problem: TRUNCATED },
    ])
  })

  it('that is damaged up to the damage, and says so', async () => {
    const damaged = Buffer.from(PACKED)
    damaged.fill(0xff, 100_000, 100_100)
    const items = await read(damaged)
    expect(items.length).toBeGreaterThan(100)
    expect(items.at(-1)).toMatchObject({
      problem: {
        expected: 'A gzip stream',
        found: expect.stringMatching(/^Damaged data \(.+\)$/),
        torn: false,
      },
    })
  })

  it('followed by something else, and says so', async () => {
    const items = await read(gzipSync('{"a":1}\n'), '{"b":2}\n')
    expect(items).toMatchObject([
      { value: { a: 1 } },
      { problem: { expected: 'A gzip stream', torn: false } },
    ])
  })

  it('that expands a thousand times without holding all of it', async () => {
    const line = `${' '.repeat(999_990)}{"a":1}\n`
    const bytes = gzipSync(line.repeat(100))
    const items = await read(bytes)
    expect(items).toHaveLength(100)
    expect(items.at(-1)).toEqual({ line: 100, offset: line.length * 100, value: { a: 1 } })
  })

  it('and stops unpacking when the reader stops', async () => {
    for await (const item of readDocuments(chunksOf(PACKED, PACKED))) {
      if ('value' in item) break
    }
  })
})
