import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeRequest } from '../../src/otlp/decode-request.ts'
import { encodeRequest } from '../../src/otlp/encode-request.ts'
import { type ScannedRequest, scanRequest } from '../../src/otlp/scan-request.ts'
import { WireFault } from '../../src/otlp/wire-cursor.ts'
import { type SpanView, toNanoseconds } from '../../src/steps/span-view.ts'
import { protoRequest } from './proto-requests.ts'
import {
  decodeWithOracle,
  encodeWithOracle,
  type ProtoKeyValue,
  type ProtoRequest,
  type ProtoSpan,
  type ProtoValue,
} from './trace-proto.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function plainValue(value: ProtoValue | null | undefined): unknown {
  if (value?.arrayValue !== undefined) return value.arrayValue.values.map(plainValue)
  if (value?.kvlistValue !== undefined) return plainAttributes(value.kvlistValue.values)
  if (value?.bytesValue !== undefined) return `bytes ${hex(value.bytesValue)}`
  if (value?.intValue !== undefined) {
    const number = Number(value.intValue)
    return Number.isSafeInteger(number) ? number : value.intValue
  }
  return value?.stringValue ?? value?.boolValue ?? value?.doubleValue ?? null
}

function plainAttributes(list: readonly ProtoKeyValue[]): unknown {
  return new Map(list.map(({ key, value }) => [key, plainValue(value)]))
}

/** What was read, in the same form. */
function plainRead(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes ${hex(value)}`
  if (Array.isArray(value)) return value.map(plainRead)
  if (typeof value !== 'object' || value === null) return value
  return new Map(Object.entries(value).map(([key, inner]) => [key, plainRead(inner)]))
}

const REMOTE = new Map([
  [0x100, false],
  [0x300, true],
])
const remoteOf = (flags: number): boolean | undefined => REMOTE.get(flags & 0x300)

function expectedSpan(span: ProtoSpan): unknown {
  const isRoot = span.parentSpanId.length === 0
  return {
    ids: [hex(span.traceId), hex(span.spanId)],
    parent: isRoot ? undefined : { spanId: hex(span.parentSpanId), isRemote: remoteOf(span.flags) },
    name: span.name,
    kind: Math.max(0, span.kind - 1),
    times: [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)],
    status: { code: span.status?.code ?? 0, message: span.status?.message ?? '' },
    attributes: plainAttributes(span.attributes),
    dropped: span.droppedAttributesCount,
    events: span.events.map(({ name, timeUnixNano, attributes }) => [
      name,
      BigInt(timeUnixNano),
      plainAttributes(attributes),
    ]),
  }
}

function readSpan(span: SpanView): unknown {
  const { traceId, spanId } = span.spanContext()
  return {
    ids: [traceId, spanId],
    parent: span.parentSpanContext,
    name: span.name,
    kind: (span as unknown as { kind: number }).kind,
    times: [toNanoseconds(span.startTime), toNanoseconds(span.endTime)],
    status: { code: span.status.code, message: span.status.message ?? '' },
    attributes: plainRead(span.attributes),
    dropped: span.droppedAttributesCount,
    events: span.events.map(({ name, time, attributes }) => [
      name,
      toNanoseconds(time),
      plainRead(attributes),
    ]),
  }
}

const spansOf = (request: ProtoRequest): ProtoSpan[] =>
  request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))

function scan(bytes: Buffer): ScannedRequest | undefined {
  try {
    return scanRequest(bytes)
  } catch (error) {
    expect(error).toBeInstanceOf(WireFault)
    return undefined
  }
}

/** As OTLP/JSON writes what protobufjs holds: ids in hex, other bytes in base64. */
function toJson(value: unknown, key = ''): unknown {
  if (value instanceof Uint8Array) {
    return Buffer.from(value).toString(key.endsWith('Id') ? 'hex' : 'base64')
  }
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (Array.isArray(value)) return value.map((inner) => toJson(inner))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toJson(inner, name)]))
}

describe('A request that protobufjs wrote', () => {
  it('is read span by span with what it says', () => {
    fc.assert(
      fc.property(protoRequest, (request) => {
        const { spans, rejectedSpans } = decodeRequest(encodeWithOracle(request))
        expect(rejectedSpans).toBe(0)
        expect(spans.map(readSpan)).toEqual(spansOf(request).map(expectedSpan))
      }),
      { numRuns: 300 },
    )
  })

  it('is split by trace into requests in which protobufjs sees the same', () => {
    fc.assert(
      fc.property(protoRequest, (request) => {
        const { traces, rejectedSpans } = scanRequest(encodeWithOracle(request))
        const all = spansOf(request)
        expect(rejectedSpans).toBe(0)
        expect(traces.map(({ traceId }) => traceId)).toEqual([
          ...new Set(all.map((span) => hex(span.traceId))),
        ])
        for (const { traceId, body, spans } of traces) {
          const own = all.filter((span) => hex(span.traceId) === traceId)
          expect(spansOf(decodeWithOracle(body)).map(expectedSpan)).toEqual(own.map(expectedSpan))
          expect(spans).toEqual(
            own.map(({ spanId, parentSpanId, flags }) => ({
              spanId: hex(spanId),
              parentSpanId: parentSpanId.length === 0 ? null : hex(parentSpanId),
              isRemote: parentSpanId.length === 0 ? undefined : remoteOf(flags),
            })),
          )
        }
      }),
      { numRuns: 300 },
    )
  })

  it('is no reason to throw where bytes of it are changed, and what is kept protobufjs sees too', () => {
    const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }))
    fc.assert(
      fc.property(protoRequest, fc.array(change, { minLength: 1, maxLength: 4 }), (request, changes) => {
        const bytes = encodeWithOracle(request)
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte
        decodeRequest(bytes).spans.forEach(readSpan)
        for (const { traceId, body, spans } of scan(bytes)?.traces ?? []) {
          const seen = tryOracle(body)
          if (seen === undefined) continue
          expect(seen.map((span) => [hex(span.traceId), hex(span.spanId)])).toEqual(
            spans.map(({ spanId }) => [traceId, spanId]),
          )
        }
      }),
      { numRuns: 1_000 },
    )
  })
})

function tryOracle(body: Buffer): ProtoSpan[] | undefined {
  try {
    return spansOf(decodeWithOracle(body))
  } catch {
    return undefined
  }
}

describe('A request in JSON', () => {
  it('is written so that protobufjs reads all of it: links, trace state, flags, schema URLs, counts', () => {
    fc.assert(
      fc.property(protoRequest, (request) => {
        // What protobufjs itself makes of the request: equal keys and empty values included.
        const content = decodeWithOracle(encodeWithOracle(request))
        const { body, rejectedSpans, rejected } = encodeRequest(toJson(content))
        expect([rejectedSpans, rejected]).toEqual([0, []])
        expect(decodeWithOracle(body)).toEqual(content)
      }),
      { numRuns: 300 },
    )
  })
})
