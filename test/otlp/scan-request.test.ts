import { describe, expect, it } from 'vitest'
import { scanRequest } from '../../src/otlp/scan-request.ts'
import { WireFault } from '../../src/otlp/wire-cursor.ts'
import { bytesField, fixed32Field, fixed64Field, numberField } from './wire-fields.ts'

const TRACE_A = '0af7651916cd43dd8448eb211c80319c'
const TRACE_B = 'ff000000000000000000000000000001'
const hex = (text: string): Buffer => Buffer.from(text, 'hex')

const resource = bytesField(
  1,
  bytesField(1, bytesField(1, 'service.name'), bytesField(2, bytesField(1, 'shop'))),
)
const scope = bytesField(1, bytesField(1, 'agent'), bytesField(2, '1.0'))

function span(traceId: string, number: number, ...more: readonly Uint8Array[]): Buffer {
  const spanId = hex(number.toString(16).padStart(16, '0'))
  return bytesField(2, bytesField(1, hex(traceId)), bytesField(2, spanId), ...more)
}

/** A request with one resource and one scope. */
function request(...spans: readonly Uint8Array[]): Buffer {
  const scopeSpans = bytesField(2, scope, bytesField(3, 'scope-url'), ...spans)
  return bytesField(1, resource, bytesField(3, 'url'), scopeSpans)
}

describe('scanRequest()', () => {
  it('gives each trace the bytes of its spans, with those of their resource and scope', () => {
    const parent = bytesField(4, hex('00000000000000aa'))
    const one = span(TRACE_A, 1, parent, fixed32Field(16, 0x301), bytesField(5, 'chat'))
    const two = span(TRACE_B, 2, parent, bytesField(900, 'what nobody knows'))
    const three = span(TRACE_A, 3, parent, fixed32Field(16, 0x100))
    expect(scanRequest(request(one, two, three))).toEqual({
      traces: [
        {
          traceId: TRACE_A,
          body: request(one, three),
          spans: [
            { spanId: '0000000000000001', parentSpanId: '00000000000000aa', isRemote: true },
            { spanId: '0000000000000003', parentSpanId: '00000000000000aa', isRemote: false },
          ],
          rejectedSpans: 0,
        },
        {
          traceId: TRACE_B,
          body: request(two),
          spans: [{ spanId: '0000000000000002', parentSpanId: '00000000000000aa', isRemote: undefined }],
          rejectedSpans: 0,
        },
      ],
      spanCount: 3,
      rejectedSpans: 0,
      rejected: [],
    })
  })

  it('keeps resource and scope in the bytes that came, whatever their order and number', () => {
    const parts = [bytesField(1, numberField(2, 7)), resource]
    const inner = bytesField(2, span(TRACE_A, 1), bytesField(1, bytesField(1, 'late')), scope)
    const [trace] = scanRequest(bytesField(1, inner, ...parts)).traces
    expect(trace?.body).toEqual(
      bytesField(1, ...parts, bytesField(2, bytesField(1, bytesField(1, 'late')), scope, span(TRACE_A, 1))),
    )
  })

  it('keeps texts that are no UTF-8 as they are', () => {
    const message = request(span(TRACE_A, 1, bytesField(5, hex('ff80'))))
    expect(scanRequest(message).traces[0]?.body).toEqual(message)
  })

  it('keeps spans with the bytes of their lengths, also where these are more than it takes', () => {
    const one = span(TRACE_A, 1)
    const long = Buffer.concat([hex('12'), hex('9c8000'), span(TRACE_A, 2).subarray(2)])
    const [first, second] = scanRequest(request(one, long, span(TRACE_B, 3), long)).traces
    expect(long).toHaveLength(4 + 0x1c)
    expect(first?.body).toEqual(request(one, long, long))
    expect(first?.spans.map(({ spanId }) => spanId.at(-1))).toEqual(['1', '2', '2'])
    expect(second?.body).toEqual(request(span(TRACE_B, 3)))
  })

  it('leaves out a span whose ids are no ids, and says so', () => {
    const noSpanId = bytesField(2, bytesField(1, hex(TRACE_A)))
    const shortTraceId = bytesField(
      2,
      bytesField(1, hex('0af7')),
      bytesField(2, hex('01')),
      fixed64Field(7, 1),
    )
    const { traces, rejected, rejectedSpans, spanCount } = scanRequest(
      request(noSpanId, span(TRACE_A, 0), span('00'.repeat(16), 1), shortTraceId, span(TRACE_A, 5)),
    )
    expect([spanCount, rejectedSpans]).toEqual([1, 4])
    expect(traces.map(({ traceId, body, rejectedSpans: lost }) => [traceId, body, lost])).toEqual([
      [TRACE_A, request(span(TRACE_A, 5)), 2],
    ])
    expect(rejected.map(({ reason, path, found }) => [reason, path, found])).toEqual([
      ['invalid_span_id', 'resourceSpans[0].scopeSpans[0].spans[0].spanId', 'nothing'],
      ['invalid_span_id', 'resourceSpans[0].scopeSpans[0].spans[1].spanId', '0000000000000000'],
      ['invalid_trace_id', 'resourceSpans[0].scopeSpans[0].spans[2].traceId', '0'.repeat(32)],
      ['invalid_trace_id', 'resourceSpans[0].scopeSpans[0].spans[3].traceId', '0af7'],
    ])
  })

  it.each([
    ['a length beyond its end', bytesField(9, hex('0a7f'))],
    ['a value that does not end', bytesField(9, bytesField(2, hex('18ff')))],
    [
      'a list whose value does not end',
      bytesField(9, bytesField(2, bytesField(5, bytesField(1, hex('18ff'))))),
    ],
    ['half a number of 8 bytes in an event', bytesField(11, hex('09000000'))],
    ['an end of a group in a link', bytesField(13, hex('0c'))],
    ['a field without a number', hex('0000')],
    ['a group without an end', hex('9301')],
  ])('leaves out a span with %s, and keeps the others of its trace', (_, damage) => {
    const [first, last] = [span(TRACE_A, 1), span(TRACE_A, 3)]
    const { traces, rejected, rejectedSpans } = scanRequest(request(first, span(TRACE_A, 2, damage), last))
    expect(traces.map(({ body, rejectedSpans: lost }) => [body, lost])).toEqual([[request(first, last), 1]])
    expect(rejectedSpans).toBe(1)
    expect(rejected.map(({ reason, path, kept }) => [reason, path, kept])).toEqual([
      ['invalid_shape', 'resourceSpans[0].scopeSpans[0].spans[1]', false],
    ])
  })

  it('names a trace of which nothing can be read', () => {
    const damaged = span(TRACE_B, 2, hex('0000'))
    expect(scanRequest(request(span(TRACE_A, 1), damaged)).traces[1]).toEqual({
      traceId: TRACE_B,
      body: Buffer.alloc(0),
      spans: [],
      rejectedSpans: 1,
    })
  })

  it('keeps what comes before a damage outside of the spans, and counts the rest as one', () => {
    const whole = request(span(TRACE_A, 1))
    const { traces, rejectedSpans, rejected } = scanRequest(Buffer.concat([whole, hex('0a7f00')]))
    expect(traces.map(({ body }) => body)).toEqual([whole])
    expect(rejectedSpans).toBe(1)
    expect(rejected.map(({ path, expected }) => [path, expected])).toEqual([['', 'At most 1 bytes']])
  })

  it('keeps of a damaged resource what comes before the damage', () => {
    const damaged = bytesField(1, bytesField(1, bytesField(1, 'a')), hex('0000'))
    const [trace] = scanRequest(bytesField(1, bytesField(2, span(TRACE_A, 1)), damaged)).traces
    expect(trace?.body).toEqual(
      bytesField(1, bytesField(1, bytesField(1, bytesField(1, 'a'))), bytesField(2, span(TRACE_A, 1))),
    )
  })

  it.each([
    ['a line of text', Buffer.from('hello')],
    ['a request in JSON', Buffer.from('{"resourceSpans":[]}')],
    ['what is left of a request that was cut off', request(span(TRACE_A, 1)).subarray(0, 60)],
  ])('throws at %s', (_, bytes) => {
    expect(() => scanRequest(bytes)).toThrow(WireFault)
  })

  it('takes a request without spans', () => {
    const nothing = { traces: [], spanCount: 0, rejectedSpans: 0, rejected: [] }
    expect(scanRequest(Buffer.alloc(0))).toEqual(nothing)
    expect(scanRequest(request())).toEqual(nothing)
  })

  it.each([
    [
      'metrics',
      bytesField(
        2,
        bytesField(1, 'requests'),
        bytesField(3, '1'),
        bytesField(7, bytesField(1, fixed64Field(3, 5))),
      ),
    ],
    [
      'logs',
      bytesField(
        2,
        fixed64Field(1, 5),
        numberField(2, 9),
        bytesField(5, bytesField(1, 'text')),
        fixed64Field(11, 5),
      ),
    ],
  ])('throws at %s, which are no spans', (_, element) => {
    expect(() => scanRequest(request(element))).toThrow('expected Spans, found metrics, logs or profiles')
  })

  it('copies a large resource for as many traces as it may, and rejects the others', () => {
    const large = bytesField(1, bytesField(1, bytesField(1, 'a'.repeat(1_000_000))))
    const spans = Array.from({ length: 100 }, (_, i) => span(i.toString(16).padStart(32, 'f'), 1))
    const { traces, spanCount, rejectedSpans } = scanRequest(bytesField(1, large, bytesField(2, ...spans)))
    const size = traces.reduce((sum, { body }) => sum + body.length, 0)
    expect(size).toBeLessThan(21 * 2 ** 20)
    expect(spanCount).toBe(traces.filter((trace) => trace.spans.length === 1).length)
    expect(spanCount + rejectedSpans).toBe(100)
    expect(spanCount).toBeGreaterThan(15)
  })

  it('takes no longer for each of many parts where there are many traces', () => {
    const parts = Buffer.alloc(2_000, bytesField(1))
    const spans = Array.from({ length: 20_000 }, (_, i) => span(i.toString(16).padStart(32, 'f'), 1))
    const message = bytesField(1, parts, bytesField(2, ...spans))
    const started = performance.now()
    scanRequest(message)
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  it('passes what lies in itself a thousand times', () => {
    const group = Buffer.concat([Buffer.alloc(100, hex('23')), Buffer.alloc(100, hex('24'))])
    let value = bytesField(1, 'deep')
    for (let i = 0; i < 5_000; i++) value = bytesField(5, bytesField(1, value))
    const message = request(span(TRACE_A, 1, group, bytesField(9, bytesField(2, value))))
    const started = performance.now()
    expect(scanRequest(message).traces[0]?.body.equals(message)).toBe(true)
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})
