import { describe, expect, it } from 'vitest'
import { decodeMessage } from '../../src/otlp/decode-message.ts'
import { decodeRequest } from '../../src/otlp/decode-request.ts'
import { encodeRequest } from '../../src/otlp/encode-request.ts'
import { rewriteRequest } from '../../src/otlp/rewrite-request.ts'
import { scanRequest } from '../../src/otlp/scan-request.ts'
import { bytesField } from './wire-fields.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const SPAN_ID = '00f067aa0ba902b7'
const hex = (text: string): Buffer => Buffer.from(text, 'hex')
const toTraceId = (number: number): string => number.toString(16).padStart(32, '0')
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)

function span(traceId: string, ...more: readonly Uint8Array[]): Buffer {
  return bytesField(2, bytesField(1, hex(traceId)), bytesField(2, hex(SPAN_ID)), ...more)
}

const request = (...spans: readonly Uint8Array[]): Buffer => bytesField(1, bytesField(2, ...spans))

describe('A request of more traces than are taken', () => {
  const traceIds = [...numbers(100_002).map(toTraceId), toTraceId(1)]

  it('in protobuf keeps the first 100,000, and tells of the spans of all others', () => {
    const { traces, spanCount, rejectedSpans, rejected } = scanRequest(
      request(Buffer.concat(traceIds.map((id) => span(id)))),
    )
    expect([traces.length, spanCount, rejectedSpans]).toEqual([100_000, 100_001, 2])
    expect(traces[0]?.spans).toHaveLength(2)
    expect(rejected).toEqual([
      {
        reason: 'too_many_parts',
        path: 'resourceSpans[0].scopeSpans[0].spans[100000].traceId',
        expected: 'At most 100000 traces in a request',
        found: toTraceId(100_001),
        kept: false,
      },
      expect.objectContaining({ path: 'resourceSpans[0].scopeSpans[0].spans[100001].traceId' }),
    ])
  })

  it('in JSON keeps as many', () => {
    const spans = traceIds.map((traceId) => ({ traceId, spanId: SPAN_ID }))
    const { body } = encodeRequest({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
    const { traces, spanCount, rejectedSpans } = scanRequest(body)
    expect([traces.length, spanCount, rejectedSpans]).toEqual([100_000, 100_001, 2])
  })

  it('counts spans without an id by trace for as many', () => {
    const lacking = Buffer.concat(traceIds.map((id) => bytesField(2, bytesField(1, hex(id)))))
    const { traces, rejectedSpans } = scanRequest(request(span(TRACE_ID), lacking))
    expect([traces.length, rejectedSpans]).toEqual([100_000, 100_003])

    const spans = traceIds.map((traceId) => ({ traceId, spanId: '' }))
    const encoded = encodeRequest({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
    expect([encoded.rejectedByTrace.size, encoded.rejectedSpans]).toEqual([100_000, 100_003])
    expect(encoded.rejectedByTrace.get(toTraceId(1))).toBe(2)
  })
})

describe('A request of more parts than are taken', () => {
  it('keeps the spans of 200,000 scopes', () => {
    const scope = bytesField(2, span(TRACE_ID))
    const { spanCount, rejectedSpans, rejected } = scanRequest(
      bytesField(1, Buffer.alloc(200_003 * scope.length, scope)),
    )
    expect([spanCount, rejectedSpans]).toEqual([200_000, 3])
    expect(rejected.map(({ reason, path }) => [reason, path])).toEqual(
      [200_000, 200_001, 200_002].map((at) => [
        'too_many_parts',
        `resourceSpans[0].scopeSpans[${at}].spans[0]`,
      ]),
    )
  })

  it.each([
    ['resource', (parts: Buffer) => bytesField(1, bytesField(2, span(TRACE_ID)), parts)],
    ['scope', (parts: Buffer) => bytesField(1, bytesField(2, span(TRACE_ID), parts))],
  ])('takes a %s in a thousand parts, and gives up its list at one more', (_, toRequest) => {
    const whole = scanRequest(toRequest(Buffer.alloc(2_000, bytesField(1))))
    expect([whole.spanCount, whole.rejectedSpans]).toEqual([1, 0])

    const { spanCount, rejectedSpans, rejected } = scanRequest(
      toRequest(Buffer.alloc(60_000_000, bytesField(1))),
    )
    expect([spanCount, rejectedSpans]).toEqual([1, 1])
    expect(rejected[0]?.expected).toBe('At most 1000 parts of a message')
  })

  it('leaves out a span with more than a hundred groups in one another', () => {
    const groups = (levels: number): Buffer =>
      Buffer.concat([Buffer.alloc(levels, hex('23')), Buffer.alloc(levels, hex('24'))])
    expect(scanRequest(request(span(TRACE_ID, groups(100)))).spanCount).toBe(1)
    for (const levels of [101, 10_000_000]) {
      const { spanCount, rejected } = scanRequest(request(span(TRACE_ID), span(TRACE_ID, groups(levels))))
      expect([spanCount, rejected[0]?.expected]).toEqual([1, 'At most 100 groups in one another'])
    }
  })
})

describe('A request of nothing but damage', () => {
  const many = (size: number, part: string): Buffer => Buffer.alloc(size, hex(part))
  const good = span(TRACE_ID)

  it('is told span by span ten thousand times, and given up from there on', () => {
    const { spanCount, rejectedSpans, rejected } = scanRequest(request(good, many(30_000, '120100'), good))
    expect([spanCount, rejectedSpans]).toEqual([2, 10_000])
    expect(rejected).toHaveLength(1_000)

    const started = performance.now()
    const lost = scanRequest(request(good, many(30_000_000, '120100'), good))
    // The last of them costs its list, too.
    expect([lost.spanCount, lost.rejectedSpans]).toEqual([1, 10_002])
    expect(performance.now() - started).toBeLessThan(3_000)
  })

  it('is given up in the same way where its lists are damaged', () => {
    const started = performance.now()
    const { spanCount, rejectedSpans } = scanRequest(
      Buffer.concat([request(good), many(30_000_000, '0a021205'), request(good)]),
    )
    expect([spanCount, rejectedSpans]).toEqual([1, 10_001])
    expect(performance.now() - started).toBeLessThan(3_000)
  })

  it('takes no memory for spans that are empty', () => {
    const bytes = request(many(40_000_000, '1200'), hex('120100'))
    const before = process.memoryUsage.rss()
    expect(scanRequest(bytes)).toMatchObject({ traces: [], spanCount: 0, rejectedSpans: 20_000_001 })
    expect(process.memoryUsage.rss() - before).toBeLessThan(100e6)
  })
})

const inList = (value: Uint8Array): Buffer => bytesField(5, bytesField(1, value))
const inMap = (value: Uint8Array): Buffer => bytesField(6, bytesField(1, bytesField(2, value)))
const inJsonList = (value: object): object => ({ arrayValue: { values: [value] } })
const inJsonMap = (value: object): object => ({ kvlistValue: { values: [{ key: '', value }] } })

function nest<T>(inner: T, levels: number, wrap: (value: T) => T): T {
  let value = inner
  for (let level = 0; level < levels; level++) value = wrap(value)
  return value
}

/** How many lists or maps lie in one another, and what the last holds. */
function depthOf(value: unknown): unknown {
  let levels = 0
  let inner = value
  for (; typeof inner === 'object' && inner !== null; levels++) inner = Object.values(inner)[0]
  return [levels, inner]
}

/** The same value in all places in which a span can have one. */
function spanWithValue(value: Uint8Array): Buffer {
  const attribute = (field: number): Buffer => bytesField(field, bytesField(1, 'k'), bytesField(2, value))
  const resource = bytesField(1, attribute(1))
  const one = span(TRACE_ID, attribute(9), bytesField(11, attribute(3)), bytesField(13, attribute(4)))
  return bytesField(1, resource, bytesField(2, bytesField(1, attribute(3)), one))
}

function jsonWithValue(value: object): object {
  const attributes = [{ key: 'k', value }]
  const one = {
    traceId: TRACE_ID,
    spanId: SPAN_ID,
    attributes,
    events: [{ attributes }],
    links: [{ attributes }],
  }
  return {
    resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { attributes }, spans: [one] }] }],
  }
}

function depthsOf(bytes: Buffer): unknown[] {
  return decodeRequest(bytes).spans.flatMap(({ attributes, events, resource }) =>
    [attributes, events[0]?.attributes, resource.attributes].map((bag) => depthOf(bag?.['k'])),
  )
}

describe('A value that lies deep', () => {
  const text = bytesField(1, 'core')

  it.each([
    ['lists', inList],
    ['maps', inMap],
  ])('in %s of protobuf is read at 64 levels and null below, however deep it goes', (_, wrap) => {
    for (const [levels, expected] of [
      [64, [64, 'core']],
      [65, [64, null]],
      [5_000, [64, null]],
    ] as const) {
      const bytes = spanWithValue(nest(text, levels, wrap))
      const { traces, rejectedSpans } = scanRequest(bytes)
      expect([traces[0]?.body.equals(bytes), rejectedSpans]).toEqual([true, 0])
      expect(depthsOf(bytes)).toEqual([expected, expected, expected])
      expect(decodeMessage(bytes).damage).toEqual([])
    }
  })

  it.each([
    ['lists', inJsonList],
    ['maps', inJsonMap],
  ])('in %s of JSON is written at 64 levels and empty below, however deep it goes', (_, wrap) => {
    for (const [levels, expected] of [
      [64, [64, 'core']],
      [65, [64, null]],
      [200_000, [64, null]],
    ] as const) {
      const { body, rejected } = encodeRequest(jsonWithValue(nest({ stringValue: 'core' }, levels, wrap)))
      expect(depthsOf(body)).toEqual([expected, expected, expected])
      // Of the span, its event and its link, its resource and its scope.
      expect(rejected.map(({ reason }) => reason)).toEqual(
        levels === 64 ? [] : Array.from({ length: 5 }, () => 'nested_too_deep'),
      )
    }
  })

  it('stays as it is where a span of the request is changed', () => {
    const bytes = spanWithValue(nest(text, 5_000, inList))
    const edit = { attributes: { mark: 'it' }, events: [], error: null }
    const rewritten = rewriteRequest(bytes, () => edit)
    expect(depthsOf(rewritten)).toEqual([
      [64, null],
      [64, null],
      [64, null],
    ])
    expect(decodeRequest(rewritten).spans[0]?.attributes['mark']).toBe('it')
  })
})

describe('A number of millions of digits', () => {
  it('stays text, and is not read as a number', () => {
    const digits = '9'.repeat(4_000_000)
    const started = performance.now()
    const { body } = encodeRequest(jsonWithValue({ intValue: digits }))
    expect(performance.now() - started).toBeLessThan(3_000)
    expect(decodeRequest(body).spans[0]?.attributes['k']).toBe(digits)
  })
})
