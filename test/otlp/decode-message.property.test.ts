import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTraceDecoder } from '../../src/otlp/decode-json.ts'
import { decodeMessage, listTraceIds } from '../../src/otlp/decode-message.ts'
import type { DecodedSpan } from '../../src/otlp/decoded-span.ts'
import { createSdkSpan, type SdkSpanFields, toMessage } from './sdk-span.ts'

const hexDigit = fc.nat(15).map((digit) => digit.toString(16))
// Never all zeros.
const hexId = (digits: number): fc.Arbitrary<string> =>
  fc.string({ unit: hexDigit, minLength: digits - 1, maxLength: digits - 1 }).map((id) => `1${id}`)
const time = fc.tuple(fc.nat(4_000_000_000), fc.nat(999_999_999))
// The JSON of the SDK has not all digits of an integer beyond 2^53, and no word for what is no number.
const double = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter((number) => !Number.isInteger(number) || Math.abs(number) > 2 ** 63)
const { anyValue } = fc.letrec<{ anyValue: unknown }>((tie) => ({
  anyValue: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'grapheme' }),
    fc.boolean(),
    fc.maxSafeInteger(),
    double,
    fc.constant(null),
    fc.uint8Array(),
    fc.array(tie('anyValue'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('anyValue'), { maxKeys: 4 }),
  ),
}))
const attributes = fc.dictionary(fc.string(), anyValue, { maxKeys: 5 })

const statusCode = fc.constantFrom(SpanStatusCode.UNSET, SpanStatusCode.OK, SpanStatusCode.ERROR)

const fields: fc.Arbitrary<SdkSpanFields> = fc.record({
  traceId: hexId(32),
  spanId: hexId(16),
  parentSpanId: fc.option(hexId(16), { nil: undefined }),
  isRemote: fc.boolean(),
  name: fc.string({ unit: 'grapheme' }),
  kind: fc.constantFrom(
    SpanKind.INTERNAL,
    SpanKind.SERVER,
    SpanKind.CLIENT,
    SpanKind.PRODUCER,
    SpanKind.CONSUMER,
  ),
  startTime: time,
  endTime: time,
  status: fc.oneof(
    fc.record({ code: statusCode }),
    fc.record({ code: statusCode, message: fc.string({ unit: 'grapheme' }) }),
  ),
  attributes,
  events: fc.array(fc.record({ name: fc.string(), time, attributes }), { maxLength: 3 }),
  links: fc.array(fc.record({ traceId: hexId(32), spanId: hexId(16) }), { maxLength: 2 }),
  droppedAttributesCount: fc.nat(1_000_000),
  resource: attributes.map((values) => resourceFromAttributes(values as Record<string, string>)),
  scope: fc.oneof(fc.record({ name: fc.string() }), fc.record({ name: fc.string(), version: fc.string() })),
})

function fromJson(bytes: Uint8Array | undefined) {
  return createTraceDecoder()(JSON.parse(Buffer.from(bytes ?? []).toString()))
}

function fromProtobuf(bytes: Uint8Array | undefined) {
  const { value, damage } = decodeMessage(Buffer.from(bytes ?? []))
  expect(damage).toEqual([])
  return createTraceDecoder()(value)
}

/** All that a span has. */
function contentOf(span: DecodedSpan) {
  return { ...Object.fromEntries(Object.entries(span)), context: span.spanContext() }
}

describe('decodeMessage() gives the spans that the JSON form of the same request gives', () => {
  it('field by field', () => {
    fc.assert(
      fc.property(fc.array(fields, { maxLength: 5 }), (list) => {
        const spans = list.map(createSdkSpan)
        const json = fromJson(JsonTraceSerializer.serializeRequest(spans))
        const protobuf = fromProtobuf(ProtobufTraceSerializer.serializeRequest(spans))
        expect(json.spans).toHaveLength(list.length)
        expect(protobuf.spans.map(contentOf)).toEqual(json.spans.map(contentOf))
        expect([protobuf.rejected, protobuf.rejectedSpans]).toEqual([json.rejected, json.rejectedSpans])
      }),
      { numRuns: 500 },
    )
  })
})

/** How bytes are damaged: cut off, changed, taken out, put in, or said to be followed by very many. */
const damages = fc.array(
  fc.record({
    kind: fc.constantFrom('cut', 'change', 'remove', 'insert', 'huge length'),
    place: fc.double({ min: 0, max: 1, noNaN: true }),
    byte: fc.nat(255),
  }),
  { minLength: 1, maxLength: 4 },
)

function applyDamage(bytes: Buffer, list: typeof damages extends fc.Arbitrary<infer T> ? T : never): Buffer {
  return list.reduce((before, { kind, place, byte }) => {
    const at = Math.floor(place * before.length)
    const [head, tail] = [before.subarray(0, at), before.subarray(at)]
    if (kind === 'cut') return head
    if (kind === 'remove') return Buffer.concat([head, tail.subarray(1)])
    if (kind === 'change') return Buffer.concat([head, Buffer.from([byte]), tail.subarray(1)])
    if (kind === 'insert') return Buffer.concat([head, Buffer.from([byte]), tail])
    return Buffer.concat([head, Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]), tail])
  }, bytes)
}

const someSpans = fc.array(fields, { minLength: 1, maxLength: 4 })

describe('decodeMessage() of anything', () => {
  it('neither throws nor takes long, and every span that it gives counts as mentioned', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          someSpans.map((list) => toMessage(...list)),
          fc.uint8Array({ maxLength: 300 }),
        ),
        damages,
        (bytes, list) => {
          const damaged = applyDamage(Buffer.from(bytes), list)
          const { value, damage, damagedTraces } = decodeMessage(damaged)
          const { spans } = createTraceDecoder()(value)
          const mentioned = new Set(listTraceIds(damaged))
          expect(spans.every((span) => mentioned.has(span.spanContext().traceId))).toBe(true)
          expect(damagedTraces.every((traceId) => mentioned.has(traceId))).toBe(true)
          expect(damage.every(({ expected, found }) => expected !== '' && found !== '')).toBe(true)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('gives all other spans where one is damaged, and says which', () => {
    fc.assert(
      fc.property(someSpans, fc.nat(3), (list, which) => {
        const at = which % list.length
        const messages = list.map((span) => toMessage(span))
        const whole = messages.map((bytes) =>
          createTraceDecoder()(decodeMessage(bytes).value).spans.map(contentOf),
        )
        const bytes = messages.map((message, i) => (i === at ? withWrongSpan(message) : message))
        const { value, damage } = decodeMessage(Buffer.concat(bytes))
        const decoded = createTraceDecoder()(value)
        expect(decoded.spans.map(contentOf)).toEqual(whole.filter((_, i) => i !== at).flat())
        expect(decoded.rejectedSpans).toBe(1)
        expect(damage.map(({ path, kept }) => [path, kept])).toEqual([
          [`resourceSpans[${at}].scopeSpans[0].spans[0]`, false],
        ])
      }),
      { numRuns: 300 },
    )
  })
})

/** The same with an end of a group, which nothing has begun, in place of the first byte of its span. */
function withWrongSpan(message: Buffer): Buffer {
  const damaged = Buffer.from(message)
  // A trace id is a field of 16 bytes, a span id one of 8.
  const at = damaged.findIndex(
    (byte, i) => byte === 0x0a && damaged[i + 1] === 16 && damaged[i + 18] === 0x12 && damaged[i + 19] === 8,
  )
  damaged[at] = 0x0c
  return damaged
}
