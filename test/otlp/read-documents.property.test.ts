import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeTraces } from '../../src/otlp/decode-json.ts'
import { readDocuments } from '../../src/otlp/read-documents.ts'
import { chunksOf, collect, cutAt } from './chunks.ts'

function read(...pieces: readonly (string | Uint8Array)[]) {
  return collect(readDocuments(chunksOf(...pieces), { maxLineBytes: 2_000 }))
}

const fragment = fc.oneof(
  fc.json(),
  fc.jsonValue().map((value) => JSON.stringify(value, undefined, 2)),
  fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '\n', '\r\n', ' ', '\u{feff}', '{"a":[', 'x', '1'),
  fc.string({ unit: 'binary' }),
  fc.constant('y'.repeat(2_500)),
)

/** Bytes as they occur in files: JSON, pieces of JSON, line ends, text that is none, and arbitrary bytes. */
const input = fc.oneof(
  fc.array(fragment).map((fragments) => Buffer.from(fragments.join(''))),
  fc.array(fragment).map((fragments) => Buffer.from(fragments.join('\n'))),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
)

describe('readDocuments()', () => {
  it('reads the same documents however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(input, fc.array(fc.nat(400)), async (bytes, places) => {
        expect(await read(...cutAt(bytes, places))).toEqual(await read(bytes))
      }),
      { numRuns: 500 },
    )
  })

  it('reads the same documents packed and plain', async () => {
    await fc.assert(
      fc.asyncProperty(input, fc.array(fc.nat(400)), async (bytes, places) => {
        // Two magic bytes at the start of the plain text would be taken for what they say.
        fc.pre(bytes[0] !== 0x1f && bytes[0] !== 0x28)
        expect(await read(...cutAt(gzipSync(bytes), places))).toEqual(await read(bytes))
      }),
      { numRuns: 200 },
    )
  })

  it('never throws, goes forward only, and yields no more than it was given', async () => {
    await fc.assert(
      fc.asyncProperty(input, async (bytes) => {
        let offset = 0
        let line = 1
        const items = await read(bytes)
        for (const item of items) {
          expect(item.offset).toBeGreaterThanOrEqual(offset)
          expect(item.line).toBeGreaterThanOrEqual(line)
          ;({ offset, line } = item)
          if ('problem' in item) expect(item.problem.found.length).toBeLessThanOrEqual(40)
        }
        expect(offset).toBeLessThanOrEqual(bytes.length)
        expect(items.length).toBeLessThanOrEqual(bytes.length)
      }),
      // Text that begins as a message does: a line feed is the first field, and a brace may be its length.
      { numRuns: 1_000, examples: [[Buffer.from(`\n{${' '.repeat(121)}\0\0`)]] },
    )
  })

  it('reads back every list of objects, one a line or pretty-printed', async () => {
    const objects = fc.array(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())))
    await fc.assert(
      fc.asyncProperty(objects, fc.constantFrom(0, 2), fc.boolean(), async (values, indent, ends) => {
        const texts = values.map((value) => JSON.stringify(value, undefined, indent))
        const items = await collect(readDocuments(chunksOf(texts.join('\n'), ends ? '\n' : '')))
        expect(items.map((item) => ('value' in item ? JSON.stringify(item.value) : item))).toEqual(
          texts.map((text) => JSON.stringify(JSON.parse(text))),
        )
      }),
    )
  })

  it('loses no good line to bad ones among them', async () => {
    const good = '{"good":[{"a":1}]}'
    const bad = fc.oneof(
      fc.nat(good.length - 2).map((end) => good.slice(0, end + 1)),
      fc.string().filter((text) => !/[[\]{}]/.test(text)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(bad)), async (lines) => {
        const items = await read(lines.map((line) => `${line ?? good}\n`).join(''))
        const found = items.filter((item) => 'value' in item && JSON.stringify(item.value) === good)
        expect(found).toHaveLength(lines.filter((line) => line === null).length)
      }),
      { numRuns: 1_000 },
    )
  })
})

const keys = [
  'resourceSpans resource_spans resourceLogs resource scopeSpans scope spans',
  'instrumentationLibrarySpans traceId spanId parentSpanId name kind flags status code message',
  'startTimeUnixNano endTimeUnixNano attributes events key value stringValue intValue doubleValue',
  'boolValue bytesValue arrayValue kvlistValue values droppedAttributesCount __proto__ constructor',
  'toJSON length',
].flatMap((line) => line.split(' '))
const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    '0',
    '1544712660123456789',
    'a'.repeat(32),
    'B'.repeat(16),
    -1,
    2 ** 63,
  ),
  fc.jsonValue(),
  fc.string(),
  fc.double(),
)

/** Trees that look like OTLP here and there. */
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 12, withCrossShrink: true },
    scalar,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...keys), tie('tree'), { maxKeys: 5 }),
  ),
}))

const wrapped = fc.oneof(
  tree,
  tree.map((spans) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] })),
  fc.array(tree).map((attributes) => ({
    resourceSpans: [
      { scopeSpans: [{ spans: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), attributes }] }] },
    ],
  })),
  fc.object({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true }),
)

describe('decodeTraces()', () => {
  it('never throws, whatever it is given, and gives back spans that can be used', () => {
    fc.assert(
      fc.property(wrapped, (body) => {
        const { spans, rejected, rejectedSpans } = decodeTraces(body)
        for (const span of spans) {
          expect(span.spanContext().traceId).toMatch(/^[0-9a-f]{32}$/)
          expect(span.spanContext().spanId).toMatch(/^[0-9a-f]{16}$/)
          for (const number of [...span.startTime, ...span.endTime]) expect(number).toBeGreaterThanOrEqual(0)
          expect(typeof JSON.stringify(span)).toBe('string')
        }
        for (const { path, found } of rejected) {
          expect(path).toMatch(/^resourceSpans/)
          expect(found.length).toBeLessThanOrEqual(40)
        }
        expect(rejected.filter(({ kept }) => !kept).length).toBeGreaterThanOrEqual(
          Math.min(rejectedSpans, 1_000),
        )
      }),
      { numRuns: 5_000 },
    )
  })
})
