import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indexTraces } from '../../src/otlp/index-traces.ts'
import { readDocuments } from '../../src/otlp/read-documents.ts'
import { chunksOf, collect, cutAt } from './chunks.ts'
import { toMessage, toRecords } from './sdk-span.ts'
import { createWideZstd, createZstdBomb, toRawZstd, toZstd } from './zstd-data.ts'

function read(...pieces: readonly (string | Uint8Array)[]) {
  return collect(readDocuments(chunksOf(...pieces)))
}

/** The trace of the only span in each document, or the problem in its place. */
async function readTraces(...pieces: readonly (string | Uint8Array)[]): Promise<readonly unknown[]> {
  return (await read(...pieces)).map((item) => ('value' in item ? traceOf(item.value) : item.problem))
}

function traceOf(value: unknown): unknown {
  const { resourceSpans } = value as { resourceSpans?: { scopeSpans: { spans: { traceId: string }[] }[] }[] }
  return resourceSpans?.[0]?.scopeSpans[0]?.spans[0]?.traceId
}

function traceId(number: number): string {
  return number.toString(16).padStart(2, '0').repeat(16)
}

function message(number: number): Buffer {
  return toMessage({ traceId: traceId(number), spanId: 'b7ad6b7169203331', name: `chat ${number}` })
}

function json(number: number): string {
  const spans = [{ traceId: traceId(number), spanId: 'b7ad6b7169203331' }]
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
}

const three = [traceId(1), traceId(2), traceId(3)]

describe('readDocuments() reads records behind their lengths', () => {
  it.each([
    ['protobuf', toRecords(message(1), message(2), message(3))],
    ['JSON', toRecords(json(1), json(2), json(3))],
    ['protobuf in Zstandard, each record for itself', toRecords(...[1, 2, 3].map((n) => toZstd(message(n))))],
    ['JSON in Zstandard, each record for itself', toRecords(...[1, 2, 3].map((n) => toZstd(json(n))))],
    ['all of them', toRecords(message(1), toZstd(json(2)), toRawZstd(message(3)))],
    ['protobuf in gzip as a whole', gzipSync(toRecords(message(1), message(2), message(3)))],
    ['protobuf in Zstandard as a whole', toZstd(toRecords(message(1), message(2), message(3)))],
    ['records with empty ones between', toRecords('', message(1), '', message(2), '', '', message(3), '')],
  ])('of %s', async (_, bytes) => {
    expect(await readTraces(bytes)).toEqual(three)
    expect(await readTraces(...cutAt(bytes, [...bytes.keys()]))).toEqual(three)
  })

  it('with their numbers and offsets', async () => {
    const bytes = toRecords(message(1), '', json(2))
    expect((await read(bytes)).map(({ line, offset }) => [line, offset])).toEqual([
      [1, 4 + message(1).length],
      [3, bytes.length],
    ])
  })

  it('and tells of the last one where it is cut off', async () => {
    const bytes = toRecords(message(1), message(2))
    const size = message(2).length
    const start = bytes.length - size - 4
    const torn = (found: string) => ({ expected: 'A record that is complete', found, torn: true })
    expect(await readTraces(bytes.subarray(0, start))).toEqual([traceId(1)])
    for (const end of [1, 2, 3]) {
      expect(await readTraces(bytes.subarray(0, start + end))).toEqual([
        traceId(1),
        torn('The end of the input'),
      ])
    }
    for (const have of [0, 1, size - 1]) {
      const expected = [traceId(1), torn(`${have} of ${size} bytes`)]
      expect(await readTraces(bytes.subarray(0, start + 4 + have))).toEqual(expected)
    }
  })

  it('and tells of one that is neither JSON nor a message, and goes on behind it', async () => {
    const wrong = [
      Buffer.from('{"a":'),
      Buffer.from('hello'),
      Buffer.from([0x0a, 0x7f, 1]),
      Buffer.from([0x78, 1]),
    ]
    expect(await readTraces(toRecords(message(1), ...wrong, message(2)))).toEqual([
      traceId(1),
      { expected: 'A JSON document', found: '{"a":', torn: false },
      { expected: 'A record with an OTLP message of traces', found: expect.any(String), torn: false },
      { expected: 'A record with an OTLP message of traces', found: expect.any(String), torn: false },
      { expected: 'A record with an OTLP message of traces', found: 'other fields', torn: false },
      traceId(2),
    ])
  })

  it('and tells of one that is too long, without holding it', async () => {
    const bytes = toRecords(message(1), Buffer.alloc(2_000, 'x'), message(2))
    const items = await collect(
      readDocuments(chunksOf(...cutAt(bytes, [500, 1_000])), { maxLineBytes: 1_000 }),
    )
    expect(items).toMatchObject([
      { value: {} },
      {
        line: 2,
        problem: { expected: 'A record of at most 1000 bytes', found: 'one of 2000 bytes', torn: false },
      },
      { value: {} },
    ])
  })

  it('and tells of a length of gigabytes', async () => {
    const bytes = Buffer.concat([toRecords(message(1)), Buffer.from([0xff, 0xff, 0xff, 0xff, 1, 2, 3])])
    expect(await readTraces(bytes)).toEqual([
      traceId(1),
      { expected: 'A record of at most 268435456 bytes', found: 'one of 4294967295 bytes', torn: false },
    ])
  })

  it('and tells of Zstandard in one that is damaged, cut off or too much, and goes on behind it', async () => {
    const packed = toZstd(json(9).repeat(3))
    const damaged = Buffer.from(packed)
    damaged.fill(0xff, 4, 12)
    const wrong = [damaged, packed.subarray(0, -3), createWideZstd(28), createZstdBomb(3_000)]
    const found = await readTraces(toRecords(message(1), ...wrong, message(2)))
    const inRecord = { expected: 'A record of Zstandard data', torn: false }
    expect(found).toEqual([
      traceId(1),
      { ...inRecord, found: expect.stringMatching(/^Damaged data \(.+\)$/) },
      { ...inRecord, found: 'Damaged data (the end of it)' },
      { ...inRecord, found: 'Damaged data (a window of 268435456 bytes)' },
      { expected: 'A record of at most 268435456 bytes', found: 'more', torn: false },
      traceId(2),
    ])
  })

  it('and takes a file of zeros, as a crash leaves it, for no records', async () => {
    expect(await read(Buffer.alloc(4_096))).toMatchObject([{ problem: { expected: 'A JSON document' } }])
    expect(await readTraces(toRecords(message(1)), Buffer.alloc(4_096))).toEqual([traceId(1)])
  })

  it('of any content and any cut, without an error', async () => {
    const bodies = fc.array(
      fc.oneof(
        fc.constantFrom(message(1), toZstd(message(2)), Buffer.from(json(3))),
        fc.uint8Array({ maxLength: 40 }),
      ),
      { maxLength: 6 },
    )
    const places = fc.array(fc.nat(1_000))
    await fc.assert(
      fc.asyncProperty(bodies, fc.uint8Array({ maxLength: 10 }), places, async (list, rest, cuts) => {
        const bytes = Buffer.concat([toRecords(message(1), ...list), rest])
        const items = await read(...cutAt(bytes, cuts))
        expect(items).toEqual(await read(bytes))
        expect(items.length).toBeGreaterThan(0)
      }),
      { numRuns: 300 },
    )
  })
})

describe('readDocuments() reads a protobuf message as a whole input', () => {
  it.each([
    ['one', message(1), [traceId(1)]],
    ['several in a row', Buffer.concat([message(1), message(2), message(3)]), three],
    ['one in gzip', gzipSync(message(1)), [traceId(1)]],
    ['one in Zstandard', toZstd(message(1)), [traceId(1)]],
  ])('%s', async (_, bytes, expected) => {
    expect(await readTraces(bytes)).toEqual(expected)
    expect(await readTraces(...cutAt(bytes, [...bytes.keys()]))).toEqual(expected)
  })

  it('that is cut off up to there', async () => {
    const bytes = Buffer.concat([message(1), message(2)])
    const size = message(2).length
    expect(await readTraces(bytes.subarray(0, -1))).toEqual([
      traceId(1),
      { expected: 'A record that is complete', found: `${size - 1} of ${size} bytes`, torn: true },
    ])
  })

  it('but text that begins with empty lines as text', async () => {
    for (const blank of ['\n', '\n\n\n', '\r\n \n', '\n\t\n']) {
      expect(await readTraces(`${blank}${json(1)}\n`)).toEqual([traceId(1)])
      expect(await readTraces(`${blank}{\n${blank}"resourceSpans": []}\n`)).toEqual([undefined])
    }
  })
})

describe('indexTraces() finds the traces of records', () => {
  it.each([
    ['protobuf', toRecords(message(1), message(2), message(1))],
    ['JSON in Zstandard', toRecords(toZstd(json(1)), toZstd(json(2)), toZstd(json(1)))],
    ['one message after the other', Buffer.concat([message(1), message(2), message(1)])],
  ])('of %s', async (_, bytes) => {
    const index = await indexTraces([chunksOf(...cutAt(bytes, [1, 10, 100]))])
    const items = await read(bytes)
    const ends = items.map(({ offset }) => offset)
    expect(index.size).toBe(2)
    // Behind the document before, and before the end of its own.
    expect(index.lastMention(traceId(1))).toEqual({ input: 0, offset: ends[1] })
    expect(index.lastMention(traceId(2))).toEqual({ input: 0, offset: ends[0] })
  })
})
