import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeTraces } from '../../src/otlp/decode-json.ts'

/** The content of a span, as a reader should find it. */
interface Content {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: number
  readonly startTime: readonly [number, number]
  readonly endTime: readonly [number, number]
  readonly code: number
  readonly message: string | undefined
  readonly attributes: readonly (readonly [string, unknown])[]
  readonly events: readonly { name: string; time: readonly [number, number]; attributes: readonly [] }[]
  readonly dropped: number
}

const hexDigit = fc.nat(15).map((digit) => digit.toString(16))
// Never all zeros.
const hexId = (digits: number): fc.Arbitrary<string> =>
  fc.string({ unit: hexDigit, minLength: digits - 1, maxLength: digits - 1 }).map((id) => `1${id}`)
const time = fc.tuple(fc.nat(4_000_000_000), fc.nat(999_999_999))
const scalar = fc.oneof(fc.string({ unit: 'binary' }), fc.boolean(), fc.maxSafeInteger(), fc.double())
const { anyValue } = fc.letrec<{ anyValue: unknown }>((tie) => ({
  anyValue: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.constant(null),
    fc.uint8Array(),
    fc.array(tie('anyValue'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('anyValue'), { maxKeys: 4 }),
  ),
}))

const content: fc.Arbitrary<Content> = fc.record({
  traceId: hexId(32),
  spanId: hexId(16),
  parentSpanId: fc.option(hexId(16), { nil: undefined }),
  name: fc.string(),
  kind: fc.nat(4),
  startTime: time,
  endTime: time,
  code: fc.nat(2),
  message: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  attributes: fc.uniqueArray(fc.tuple(fc.string(), anyValue), { selector: ([key]) => key }),
  events: fc.array(fc.record({ name: fc.string(), time, attributes: fc.constant([] as const) })),
  dropped: fc.nat(1_000),
})

type Encode = (value: unknown) => object

/** The Collector writes integers as text, special doubles as text, and leaves zero values out. */
const collectorValue: Encode = (value) => {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    return { doubleValue: Number.isFinite(value) ? value : String(value) }
  }
  return typeof value === 'number' ? { intValue: String(value) } : compound(value, collectorValue)
}

/** The JavaScript SDK writes integers as numbers; `JSON.stringify` would lose special doubles. */
const sdkValue: Encode = (value) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    return typeof value === 'number' ? { doubleValue: String(value) } : compound(value, sdkValue)
  }
  return Number.isSafeInteger(value) ? { intValue: value } : { doubleValue: value }
}

function compound(value: unknown, encode: Encode): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (value instanceof Uint8Array) return { bytesValue: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(encode) } }
  if (value === null) return {}
  return { kvlistValue: { values: keyValues(Object.entries(value as object), encode) } }
}

function keyValues(entries: readonly (readonly [string, unknown])[], encode: Encode): object[] {
  return entries.map(([key, value]) => ({ key, value: encode(value) }))
}

function nanoseconds([seconds, rest]: readonly [number, number]): string {
  return `${BigInt(seconds) * 1_000_000_000n + BigInt(rest)}`
}

function isZero(field: unknown): boolean {
  return !field || (Array.isArray(field) && field.length === 0)
}

function withoutZeros(fields: Record<string, unknown>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => !isZero(field)))
}

function collectorTime(at: readonly [number, number]): string | undefined {
  return at[0] === 0 && at[1] === 0 ? undefined : nanoseconds(at)
}

function collectorSpan(span: Content): object {
  return withoutZeros({
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? '',
    name: span.name,
    kind: span.kind + 1,
    startTimeUnixNano: collectorTime(span.startTime),
    endTimeUnixNano: collectorTime(span.endTime),
    attributes: keyValues(span.attributes, collectorValue),
    droppedAttributesCount: span.dropped,
    events: span.events.map((event) =>
      withoutZeros({ name: event.name, timeUnixNano: collectorTime(event.time) }),
    ),
    status: withoutZeros({ code: span.code, message: span.message }),
  })
}

function sdkSpan(span: Content): object {
  return {
    traceId: span.traceId.toUpperCase(),
    spanId: span.spanId.toUpperCase(),
    parentSpanId: span.parentSpanId,
    name: span.name,
    kind: span.kind + 1,
    startTimeUnixNano: nanoseconds(span.startTime),
    endTimeUnixNano: nanoseconds(span.endTime),
    attributes: keyValues(span.attributes, sdkValue),
    droppedAttributesCount: span.dropped,
    events: span.events.map(({ name, time: at }) => ({
      name,
      timeUnixNano: nanoseconds(at),
      attributes: [],
    })),
    status: { code: span.code, message: span.message },
    links: [],
    flags: 0x101,
  }
}

/** JSON has one zero, and every object that is read is without a prototype; both are no loss. */
function plain(value: unknown): unknown {
  if (typeof value === 'number') return value === 0 ? 0 : value
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  return new Map(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
}

function readBack(spans: readonly object[]): unknown[] {
  const json = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
  const decoded = decodeTraces(JSON.parse(json))
  expect(decoded.rejected).toEqual([])
  return decoded.spans.map((span) => ({
    ...span.spanContext(),
    parentSpanId: span.parentSpanContext?.spanId,
    name: span.name,
    kind: span.kind,
    startTime: span.startTime,
    endTime: span.endTime,
    code: span.status.code,
    message: span.status.message,
    attributes: plain(span.attributes),
    events: span.events.map(({ name, time: at }) => ({ name, time: at, attributes: [] })),
    dropped: span.droppedAttributesCount,
  }))
}

describe('decodeTraces() gives back every span', () => {
  it.each([
    ['the Collector', collectorSpan],
    ['the SDK', sdkSpan],
  ])('as %s writes it', (_, encode) => {
    fc.assert(
      fc.property(fc.array(content), (contents) => {
        const expected = contents.map((span) => ({
          ...span,
          attributes: new Map(span.attributes.map(([key, inner]) => [key, plain(inner)])),
        }))
        expect(readBack(contents.map(encode))).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })
})
