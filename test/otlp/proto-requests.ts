import * as fc from 'fast-check'
import type { ProtoKeyValue, ProtoRequest, ProtoSpan, ProtoValue } from './trace-proto.ts'

// Requests with every field of OTLP, for an encoder that is not ours. Ids are whole, so that every span counts.

const text = fc.string({ unit: 'grapheme', maxLength: 20 })
const count = fc.oneof(fc.nat(), fc.constant(2 ** 32 - 1))
const time = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String)
const integer = fc
  .oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n, 2n ** 53n - 1n, -(2n ** 53n), 0n, -1n),
  )
  .map(String)
const idOf = (size: number): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ minLength: size - 1, maxLength: size - 1 }).map((rest) => Buffer.from([1, ...rest]))
const traceId = fc.constantFrom(1, 2, 0xff).map((first) => Buffer.alloc(16, first))

const { attributes } = fc.letrec<{ value: ProtoValue; attributes: ProtoKeyValue[] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.record({ stringValue: text }),
    fc.record({ boolValue: fc.boolean() }),
    fc.record({ intValue: integer }),
    fc.record({ doubleValue: fc.double() }),
    fc.record({ bytesValue: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)) }),
    fc.constant({}),
    fc.record({ arrayValue: fc.record({ values: fc.array(tie('value'), { maxLength: 4 }) }) }),
    fc.record({ kvlistValue: fc.record({ values: tie('attributes') }) }),
  ),
  attributes: fc.array(
    fc.record({ key: fc.oneof(fc.constantFrom('a', '__proto__', ''), text), value: tie('value') }),
    { maxLength: 4 },
  ),
}))

const event = fc.record({ timeUnixNano: time, name: text, attributes, droppedAttributesCount: count })
const link = fc.record({
  traceId,
  spanId: idOf(8),
  traceState: text,
  attributes,
  droppedAttributesCount: count,
  flags: count,
})
const span: fc.Arbitrary<ProtoSpan> = fc.record({
  traceId,
  spanId: idOf(8),
  traceState: text,
  parentSpanId: fc.oneof(fc.constant(Buffer.alloc(0)), idOf(8)),
  flags: fc.constantFrom(0, 1, 0x100, 0x101, 0x300, 2 ** 32 - 1),
  name: text,
  kind: fc.integer({ min: 0, max: 5 }),
  startTimeUnixNano: time,
  endTimeUnixNano: time,
  attributes,
  droppedAttributesCount: count,
  events: fc.array(event, { maxLength: 3 }),
  droppedEventsCount: count,
  links: fc.array(link, { maxLength: 2 }),
  droppedLinksCount: count,
  status: fc.option(fc.record({ code: fc.integer({ min: 0, max: 2 }), message: text })),
})
const scopeSpans = fc.record({
  scope: fc.option(fc.record({ name: text, version: text })),
  schemaUrl: text,
  spans: fc.array(span, { maxLength: 4, minLength: 1 }),
})

/** A request of spans that are all whole. */
export const protoRequest: fc.Arbitrary<ProtoRequest> = fc.record({
  resourceSpans: fc.array(
    fc.record({
      resource: fc.option(fc.record({ attributes })),
      schemaUrl: text,
      scopeSpans: fc.array(scopeSpans, { maxLength: 3, minLength: 1 }),
    }),
    { maxLength: 3, minLength: 1 },
  ),
})
