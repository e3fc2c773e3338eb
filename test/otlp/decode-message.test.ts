import { describe, expect, it } from 'vitest'
import { decodeTraces } from '../../src/otlp/decode-json.ts'
import { decodeMessage, listTraceIds } from '../../src/otlp/decode-message.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const SPAN_ID = 'b7ad6b7169203331'
const NO_DAMAGE = { damage: [], damagedTraces: [] }

/** A field of bytes: its number, its length, what is in it. */
function field(number: number, ...content: readonly (string | Uint8Array | number)[]): Buffer {
  const bytes = Buffer.concat(
    content.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part as Uint8Array))),
  )
  expect(bytes.length).toBeLessThan(16_384)
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7]
  expect(number).toBeLessThan(16)
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes])
}

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(' ', ''), 'hex')
}

const ids = Buffer.concat([field(1, hex(TRACE_ID)), field(2, hex(SPAN_ID))])

/** A request with one list of spans, of a resource and a scope that nothing is known of. */
function request(...spans: readonly (readonly Uint8Array[])[]): Buffer {
  return field(1, field(2, ...spans.map((parts) => field(2, ...parts))))
}

/** A span with one attribute `a`, whose value is given as it is written. */
function spanWithValue(...value: readonly Uint8Array[]): Buffer {
  return request([ids, field(9, field(1, 'a'), field(2, ...value))])
}

function valueOf(message: Buffer): unknown {
  const { value, damage } = decodeMessage(message)
  expect(damage).toEqual([])
  const { spans, rejected } = decodeTraces(value)
  expect(rejected).toEqual([])
  return spans[0]?.attributes['a']
}

describe('decodeMessage()', () => {
  it('gives the JSON form of a message, every field by its name', () => {
    const keyValue = field(1, field(1, 'k'), field(2, field(1, 'v')))
    const span = [
      ids,
      field(3, 'vendor=1'),
      field(4, hex('00f067aa0ba902b7')),
      field(5, 'chat'),
      hex('30 03'),
      hex('39 0100000000000000'),
      hex('41 00001ac4bf9f7c18'),
      field(9, field(1, 'k'), field(2, field(1, 'v'))),
      hex('50 ac02'),
      field(
        11,
        hex('09 0200000000000000'),
        field(2, 'note'),
        field(3, field(1, 'k'), field(2, field(1, 'v'))),
        hex('20 01'),
      ),
      hex('60 04'),
      field(13, ids, field(3, 's'), hex('28 05'), hex('35 01010000')),
      hex('70 06'),
      field(15, field(2, 'boom'), hex('18 02')),
      // Field 16 takes two bytes for its number.
      hex('8501 01030000'),
    ]
    const message = field(
      1,
      field(1, keyValue, hex('10 07')),
      field(
        2,
        field(1, field(1, 'scope'), field(2, '1.0'), hex('20 08')),
        field(2, ...span),
        field(3, 'url'),
      ),
      field(3, 'schema'),
    )
    const attributes = [{ key: 'k', value: { stringValue: 'v' } }]
    expect(decodeMessage(message)).toEqual({
      ...NO_DAMAGE,
      value: {
        resourceSpans: [
          {
            resource: { attributes, droppedAttributesCount: 7 },
            scopeSpans: [
              {
                scope: { name: 'scope', version: '1.0', droppedAttributesCount: 8 },
                spans: [
                  {
                    traceId: TRACE_ID,
                    spanId: SPAN_ID,
                    traceState: 'vendor=1',
                    parentSpanId: '00f067aa0ba902b7',
                    name: 'chat',
                    kind: 3,
                    startTimeUnixNano: '1',
                    endTimeUnixNano: '1764460800000000000',
                    attributes,
                    droppedAttributesCount: 300,
                    events: [{ timeUnixNano: '2', name: 'note', attributes, droppedAttributesCount: 1 }],
                    droppedEventsCount: 4,
                    links: [
                      {
                        traceId: TRACE_ID,
                        spanId: SPAN_ID,
                        traceState: 's',
                        droppedAttributesCount: 5,
                        flags: 257,
                      },
                    ],
                    droppedLinksCount: 6,
                    status: { message: 'boom', code: 2 },
                    flags: 769,
                  },
                ],
                schemaUrl: 'url',
              },
            ],
            schemaUrl: 'schema',
          },
        ],
      },
    })
  })

  it.each([
    ['a text', 'text', field(1, 'text')],
    ['an empty text', '', field(1)],
    ['bytes of text that are not UTF-8', 'a\u{fffd}', field(1, 'a', 0xff)],
    ['true', true, hex('10 01')],
    ['a number', 300, hex('18 ac02')],
    ['-1', -1, hex('18 ffffffffffffffffff01')],
    ['the largest safe number', 9_007_199_254_740_991, hex('18 ffffffffffffff0f')],
    ['a number beyond it', '9007199254740992', hex('18 8080808080808010')],
    ['the largest number', '9223372036854775807', hex('18 ffffffffffffffff7f')],
    ['the smallest number', '-9223372036854775808', hex('18 80808080808080808001')],
    ['a double', -0.5, hex('21 000000000000e0bf')],
    ['no number', Number.NaN, hex('21 000000000000f87f')],
    ['bytes', new Uint8Array([1, 2]), field(7, 1, 2)],
    ['a list', ['x', null], field(5, field(1, field(1, 'x')), field(1))],
    ['a map', { x: 'y' }, field(6, field(1, field(1, 'x'), field(2, field(1, 'y'))))],
    ['nothing', null, Buffer.alloc(0)],
    ['the last of several', 'b', Buffer.concat([hex('18 01'), field(1, 'b')])],
  ])('reads %s', (_, expected, value) => {
    expect(valueOf(spanWithValue(value))).toEqual(expected)
  })

  it('tells of values that are nested too deep, and of no others', () => {
    let value = field(1, 'x')
    for (let level = 0; level < 64; level++) value = field(5, field(1, value))
    expect(valueOf(spanWithValue(value))).toBeInstanceOf(Array)
    for (let level = 0; level < 1_000; level++) value = field(5, field(1, value))
    const { value: json, damage } = decodeMessage(spanWithValue(value))
    expect(damage).toEqual([])
    expect(decodeTraces(json).rejected).toMatchObject([{ reason: 'nested_too_deep', kept: true }])
  })

  it('puts parts of a message together that come one after the other', () => {
    const [first, second] = [field(1, field(1, field(1, 'a'))), field(1, hex('10 05'))]
    const { value } = decodeMessage(field(1, first, second))
    expect(value).toEqual({
      resourceSpans: [{ resource: { attributes: [{ key: 'a' }], droppedAttributesCount: 5 } }],
    })
  })

  it('passes over fields that OTLP does not have, groups too', () => {
    const unknown = [
      hex('a006 01'),
      hex('a106 0000000000000000'),
      hex('a206 03 616263'),
      hex('a306 ab06 08 01 ac06 a406'),
      hex('a506 00000000'),
    ]
    const { value, damage } = decodeMessage(request([...unknown, ids, ...unknown]))
    expect(damage).toEqual([])
    expect(value).toEqual({
      resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: TRACE_ID, spanId: SPAN_ID }] }] }],
    })
  })

  it('tells of a field that is written in a way that it cannot have, and keeps the rest', () => {
    const { value, damage } = decodeMessage(request([ids, hex('28 01')]))
    expect(decodeTraces(value).spans).toMatchObject([{ name: '' }])
    expect(damage).toEqual([
      {
        reason: 'invalid_shape',
        path: 'resourceSpans[0].scopeSpans[0].spans[0].name',
        expected: 'A field of a length and bytes',
        found: 'a number',
        kept: true,
      },
    ])
  })

  it.each([
    ['a length that goes beyond the span', hex('2a 7f 61'), 'At most 1 bytes', '127 before byte 36'],
    ['a length of gigabytes', hex('2a ffffffff0f 61'), 'At most 1 bytes', '4294967295 before byte 40'],
    [
      'a number without an end',
      hex('30 ffffffffffffffffffff01'),
      'A whole number',
      'no end of one before byte 45',
    ],
    ['a number that is cut off', hex('30 ff'), 'A whole number', 'no end of one before byte 36'],
    ['too few bytes for a time', hex('39 010203'), '8 bytes', '3 before byte 35'],
    ['field 0', hex('00'), 'A field', 'number 0 before byte 35'],
    ['a kind that there is not', hex('2e'), 'A field', 'one of kind 6 before byte 35'],
    ['the end of a group that has not begun', hex('a406'), 'A field', 'one of kind 4 before byte 36'],
    ['a group without an end', hex('a306 08 01'), 'A whole number', 'no end of one before byte 38'],
  ])('leaves out a span with %s, and goes on behind it', (_, wrong, expected, found) => {
    const other = field(1, hex('11'.repeat(16)))
    const { value, damage, damagedTraces } = decodeMessage(
      request([ids, wrong], [other, field(2, hex(SPAN_ID))]),
    )
    expect(damage).toEqual([
      {
        reason: 'invalid_shape',
        path: 'resourceSpans[0].scopeSpans[0].spans[0]',
        expected,
        found,
        kept: false,
      },
    ])
    expect(damagedTraces).toEqual([TRACE_ID])
    const { spans, rejectedSpans } = decodeTraces(value)
    expect(spans.map((span) => span.spanContext().traceId)).toEqual(['11'.repeat(16)])
    expect(rejectedSpans).toBe(1)
  })

  it('keeps what comes before the damage of a list', () => {
    const cut = field(1, field(2, field(2, ids), hex('12 7f')), field(2, field(2, ids)))
    const { value, damage } = decodeMessage(cut)
    expect(decodeTraces(value).spans).toHaveLength(2)
    expect(damage).toMatchObject([{ path: 'resourceSpans[0].scopeSpans[0]', kept: false }])
  })

  it('tells metrics, logs and profiles by what they hold', () => {
    const metric = field(2, field(2, field(1, 'http.server.duration'), field(3, 'ms'), field(7, field(1))))
    const log = field(
      2,
      field(
        2,
        hex('09 0100000000000000'),
        hex('10 09'),
        field(5, field(1, 'hello')),
        field(9, hex(TRACE_ID)),
        field(10, hex(SPAN_ID)),
      ),
    )
    const profile = field(2, field(2, field(1, hex('08 01 10 02')), hex('19 0100000000000000')))
    for (const content of [metric, log, profile]) {
      const { value, damage } = decodeMessage(field(1, content))
      expect([decodeTraces(value).signal, damage]).toEqual(['other', []])
    }
    expect(decodeTraces(decodeMessage(request([ids])).value).signal).toBe('traces')
    expect(decodeTraces(decodeMessage(field(1)).value).signal).toBe('traces')
  })
})

describe('listTraceIds()', () => {
  it('has the trace of every span, damaged or not', () => {
    const damaged = [field(1, hex('11'.repeat(16))), hex('07')]
    expect(listTraceIds(request([ids], damaged)).toSorted()).toEqual([TRACE_ID, '11'.repeat(16)])
  })
})
