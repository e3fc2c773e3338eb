import { describe, expect, it } from 'vitest'
import { createTraceDecoder, decodeTraces } from '../../src/otlp/decode-json.ts'

const TRACE_ID = '5b8efff798038103d269b633813fc60c'
const SPAN_ID = 'eee19b7ec3c1b174'

const SPAN = {
  traceId: TRACE_ID,
  spanId: SPAN_ID,
  name: 'chat',
  startTimeUnixNano: '1544712660123456789',
  endTimeUnixNano: '1544712661000000001',
}

function bodyOf(...spans: readonly unknown[]): unknown {
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] }
}

function decodeSpan(fields: object) {
  const { spans } = decodeTraces(bodyOf({ ...SPAN, ...fields }))
  if (spans[0] === undefined) throw new Error('Expected a span, found none')
  return spans[0]
}

function decodeValue(value: unknown): unknown {
  return decodeSpan({ attributes: [{ key: 'k', value }] }).attributes['k']
}

/** A text within lists, one in the other. */
function nested(levels: number): unknown {
  let value: unknown = { stringValue: 'core' }
  for (let i = 0; i < levels; i++) value = { arrayValue: { values: [value] } }
  return value
}

/** How many lists lie one in the other, and what lies in the innermost. */
function depthOf(value: unknown): [number, unknown] {
  let levels = 0
  let inner = value
  while (Array.isArray(inner)) {
    inner = inner[0]
    levels += 1
  }
  return [levels, inner]
}

function withService(name: string): unknown {
  return {
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: name } }] },
        scopeSpans: [{ spans: [SPAN] }],
      },
    ],
  }
}

describe('decodeTraces() reads a request', () => {
  it('as the OTLP project writes it in its example, with upper-case ids', () => {
    const { signal, spans, rejected } = decodeTraces({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
          scopeSpans: [
            {
              scope: { name: 'my.library', version: '1.0.0', attributes: [] },
              spans: [
                {
                  traceId: '5B8EFFF798038103D269B633813FC60C',
                  spanId: 'EEE19B7EC3C1B174',
                  parentSpanId: 'EEE19B7EC3C1B173',
                  name: 'server span',
                  startTimeUnixNano: '1544712660000000000',
                  endTimeUnixNano: '1544712661000000000',
                  kind: 2,
                  attributes: [{ key: 'count', value: { intValue: '7' } }],
                  droppedAttributesCount: 3,
                  status: { code: 2, message: 'boom' },
                  events: [
                    {
                      timeUnixNano: '1544712660500000000',
                      name: 'exception',
                      attributes: [{ key: 'exception.type', value: { stringValue: 'Error' } }],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ],
    })
    expect(signal).toBe('traces')
    expect(rejected).toEqual([])
    expect(spans).toHaveLength(1)
    expect(spans[0]?.spanContext()).toEqual({ traceId: TRACE_ID, spanId: SPAN_ID })
    expect(spans[0]).toMatchObject({
      name: 'server span',
      kind: 1,
      parentSpanContext: { spanId: 'eee19b7ec3c1b173' },
      startTime: [1_544_712_660, 0],
      endTime: [1_544_712_661, 0],
      status: { code: 2, message: 'boom' },
      attributes: { count: 7 },
      events: [
        { name: 'exception', time: [1_544_712_660, 500_000_000], attributes: { 'exception.type': 'Error' } },
      ],
      resource: { attributes: { 'service.name': 'shop' } },
      instrumentationScope: { name: 'my.library', version: '1.0.0' },
      droppedAttributesCount: 3,
    })
  })

  it('with snake_case keys, enum names and quoted numbers', () => {
    const { spans } = decodeTraces({
      resource_spans: [
        {
          scope_spans: [
            {
              spans: [
                {
                  trace_id: TRACE_ID,
                  span_id: SPAN_ID,
                  parent_span_id: 'EEE19B7EC3C1B173',
                  name: 'a',
                  kind: 'SPAN_KIND_CLIENT',
                  start_time_unix_nano: 1_000_000_001,
                  end_time_unix_nano: '2000000002',
                  dropped_attributes_count: '4',
                  status: { code: 'STATUS_CODE_ERROR' },
                  events: [{ time_unix_nano: '1500000000', name: 'e' }],
                  attributes: [{ key: 'list', value: { array_value: { values: [{ int_value: '1' }] } } }],
                },
                { trace_id: TRACE_ID, span_id: SPAN_ID, kind: '5', status: { code: '1' } },
              ],
            },
          ],
        },
      ],
    })
    expect(spans[0]).toMatchObject({
      kind: 2,
      startTime: [1, 1],
      endTime: [2, 2],
      droppedAttributesCount: 4,
      status: { code: 2 },
      parentSpanContext: { spanId: 'eee19b7ec3c1b173' },
      events: [{ time: [1, 500_000_000], name: 'e' }],
      attributes: { list: [1] },
    })
    expect(spans[1]).toMatchObject({ kind: 4, status: { code: 1 } })
  })

  it('with every zero value left out', () => {
    const { spans, rejected } = decodeTraces(bodyOf({ traceId: TRACE_ID, spanId: SPAN_ID }))
    expect(rejected).toEqual([])
    expect(spans[0]).toMatchObject({
      name: '',
      kind: 0,
      parentSpanContext: undefined,
      startTime: [0, 0],
      endTime: [0, 0],
      status: { code: 0, message: undefined },
      attributes: {},
      events: [],
      resource: { attributes: {} },
      instrumentationScope: undefined,
      droppedAttributesCount: 0,
    })
  })

  it('with the instrumentation libraries of OTLP before 0.15', () => {
    const { spans } = decodeTraces({
      resourceSpans: [
        {
          instrumentationLibrarySpans: [
            { instrumentationLibrary: { name: 'old', version: '0.1' }, spans: [SPAN] },
          ],
        },
      ],
    })
    expect(spans[0]?.instrumentationScope).toEqual({ name: 'old', version: '0.1' })
  })

  it('with null for absent, unknown fields everywhere, and empty envelopes', () => {
    const { spans, rejected } = decodeTraces({
      later: 1,
      resourceSpans: [
        {},
        { resource: null, scopeSpans: null, instrumentationLibrarySpans: null },
        {
          later: {},
          scopeSpans: [
            { spans: null },
            {
              spans: [
                { ...SPAN, later: [], attributes: null, events: null, status: null, parentSpanId: null },
              ],
            },
          ],
        },
      ],
    })
    expect(rejected).toEqual([])
    expect(spans).toHaveLength(1)
  })

  it('as traces although the list is empty', () => {
    expect(decodeTraces({ resourceSpans: [] })).toEqual({
      signal: 'traces',
      spans: [],
      rejected: [],
      rejectedSpans: 0,
    })
  })

  it.each(['resourceMetrics', 'resource_metrics', 'resourceLogs', 'resource_logs', 'resourceProfiles'])(
    'of another signal (%s) without an error',
    (key) => {
      expect(decodeTraces({ [key]: [{}] })).toEqual({
        signal: 'other',
        spans: [],
        rejected: [],
        rejectedSpans: 0,
      })
    },
  )

  it.each([[undefined], [null], [1], ['text'], [[]], [{}], [{ spans: [] }]])(
    'that is no OTLP (%j) as unknown',
    (body) => {
      expect(decodeTraces(body)).toEqual({ signal: 'unknown', spans: [], rejected: [], rejectedSpans: 0 })
    },
  )
})

describe('decodeTraces() reads times', () => {
  it.each([
    ['0', [0, 0]],
    ['1', [0, 1]],
    ['999999999', [0, 999_999_999]],
    ['1000000000', [1, 0]],
    ['1544712660123456789', [1_544_712_660, 123_456_789]],
    ['18446744073709551615', [18_446_744_073, 709_551_615]],
    [1_700_000_000_123_457_000, [1_700_000_000, 123_457_000]],
    [1_500_000_000, [1, 500_000_000]],
  ])('without losing a nanosecond: %s', (time, expected) => {
    expect(decodeSpan({ startTimeUnixNano: time }).startTime).toEqual(expected)
  })

  it.each([
    '',
    '-1',
    '1.5',
    '12a',
    ' 1',
    '18446744073709551616',
    '1'.repeat(400),
    -1,
    1.5,
    1e300,
    true,
    {},
    [],
  ])('and leaves a span out whose time is %j', (time) => {
    for (const key of ['startTimeUnixNano', 'endTimeUnixNano']) {
      const { spans, rejected, rejectedSpans } = decodeTraces(bodyOf({ ...SPAN, [key]: time }, SPAN))
      expect(spans).toHaveLength(1)
      expect(rejectedSpans).toBe(1)
      expect(rejected).toMatchObject([
        { reason: 'invalid_time', path: `resourceSpans[0].scopeSpans[0].spans[0].${key}`, kept: false },
      ])
    }
  })

  it('and keeps an event whose time cannot be read', () => {
    const { spans, rejected } = decodeTraces(
      bodyOf({ ...SPAN, events: [{ name: 'a' }, { name: 'b', timeUnixNano: 'soon' }] }),
    )
    expect(spans[0]?.events).toMatchObject([
      { name: 'a', time: [0, 0] },
      { name: 'b', time: [0, 0] },
    ])
    expect(rejected).toEqual([
      {
        reason: 'invalid_time',
        path: 'resourceSpans[0].scopeSpans[0].spans[0].events[1].timeUnixNano',
        expected: 'Nanoseconds since 1970 as a decimal number',
        found: 'soon',
        kept: true,
      },
    ])
  })
})

describe('decodeTraces() reads kind, status and parent', () => {
  it.each([
    [undefined, 0],
    [0, 0],
    [1, 0],
    [2, 1],
    [3, 2],
    [4, 3],
    [5, 4],
    [6, 0],
    [-1, 0],
    ['SPAN_KIND_UNSPECIFIED', 0],
    ['SPAN_KIND_INTERNAL', 0],
    ['SPAN_KIND_SERVER', 1],
    ['SPAN_KIND_PRODUCER', 3],
    ['SPAN_KIND_CONSUMER', 4],
    ['SPAN_KIND_NEW', 0],
    ['3', 2],
    [{}, 0],
  ])('kind %j as %d', (kind, expected) => {
    expect(decodeSpan({ kind }).kind).toBe(expected)
  })

  it.each([
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 0],
    ['2', 2],
    ['STATUS_CODE_UNSET', 0],
    ['STATUS_CODE_OK', 1],
    ['STATUS_CODE_ERROR', 2],
    [null, 0],
  ])('status code %j as %d', (code, expected) => {
    expect(decodeSpan({ status: { code } }).status.code).toBe(expected)
  })

  it.each([[undefined], [null], [''], ['0000000000000000']])(
    'parent %j as none, without a warning',
    (parent) => {
      const { spans, rejected } = decodeTraces(bodyOf({ ...SPAN, parentSpanId: parent }))
      expect(spans[0]?.parentSpanContext).toBeUndefined()
      expect(rejected).toEqual([])
    },
  )

  it('a parent id that is none as none, with a warning', () => {
    const { spans, rejected, rejectedSpans } = decodeTraces(bodyOf({ ...SPAN, parentSpanId: 'abc' }))
    expect(spans).toHaveLength(1)
    expect(spans[0]?.parentSpanContext).toBeUndefined()
    expect(rejectedSpans).toBe(0)
    expect(rejected).toEqual([
      {
        reason: 'invalid_parent_span_id',
        path: 'resourceSpans[0].scopeSpans[0].spans[0].parentSpanId',
        expected: '16 hex digits, or nothing on a root',
        found: 'abc',
        kept: true,
      },
    ])
  })

  it.each([
    [undefined, undefined],
    [0x001, undefined],
    [0x101, false],
    [0x301, true],
    ['769', true],
  ])('flags %j as a parent whose isRemote is %j', (flags, isRemote) => {
    const span = decodeSpan({ parentSpanId: 'eee19b7ec3c1b173', flags })
    expect(span.parentSpanContext).toEqual({ spanId: 'eee19b7ec3c1b173', isRemote })
  })
})

describe('decodeTraces() leaves out a span', () => {
  it.each([
    ['traceId', 'invalid_trace_id', undefined, 'nothing'],
    ['traceId', 'invalid_trace_id', '', 'an empty text'],
    ['traceId', 'invalid_trace_id', '0'.repeat(32), '0'.repeat(32)],
    ['traceId', 'invalid_trace_id', `${TRACE_ID}00`, `${TRACE_ID}00`],
    ['traceId', 'invalid_trace_id', `g${TRACE_ID.slice(1)}`, `g${TRACE_ID.slice(1)}`],
    ['traceId', 'invalid_trace_id', 'W47/95gDgQPSabYzgT/GDA==', 'W47/95gDgQPSabYzgT/GDA=='],
    ['traceId', 'invalid_trace_id', 'x'.repeat(500), `${'x'.repeat(39)}…`],
    ['spanId', 'invalid_span_id', SPAN_ID.slice(1), SPAN_ID.slice(1)],
    ['spanId', 'invalid_span_id', `é${SPAN_ID.slice(1)}`, `é${SPAN_ID.slice(1)}`],
    ['spanId', 'invalid_span_id', 12_345, '12345'],
    ['spanId', 'invalid_span_id', null, 'nothing'],
    ['spanId', 'invalid_span_id', [1], 'an array'],
    ['spanId', 'invalid_span_id', {}, 'an object'],
    ['spanId', 'invalid_span_id', '\u001b[31m', '\ufffd[31m'],
  ])('whose %s is bad (%s), and only that one', (key, reason, id, found) => {
    const other = { ...SPAN, spanId: 'aaaaaaaaaaaaaaaa' }
    const { spans, rejected, rejectedSpans } = decodeTraces({
      resourceSpans: [{}, { scopeSpans: [{}, { spans: [other, other, { ...SPAN, [key]: id }, other] }] }],
    })
    expect(spans).toHaveLength(3)
    expect(rejectedSpans).toBe(1)
    expect(rejected).toEqual([
      {
        reason,
        path: `resourceSpans[1].scopeSpans[1].spans[2].${key}`,
        expected: key === 'traceId' ? '32 hex digits, not all zero' : '16 hex digits, not all zero',
        found,
        kept: false,
      },
    ])
  })

  it.each([[null], ['span'], [7], [[]]])('that is %j', (entry) => {
    const { spans, rejected, rejectedSpans } = decodeTraces(bodyOf(entry, SPAN))
    expect(spans).toHaveLength(1)
    expect(rejectedSpans).toBe(1)
    expect(rejected).toMatchObject([
      { reason: 'invalid_shape', path: 'resourceSpans[0].scopeSpans[0].spans[0]', expected: 'A span' },
    ])
  })

  it.each([
    ['resourceSpans', { resourceSpans: 'text' }],
    ['resourceSpans[0]', { resourceSpans: [1] }],
    ['resourceSpans[0].scopeSpans', { resourceSpans: [{ scopeSpans: {} }] }],
    ['resourceSpans[0].scopeSpans[0]', { resourceSpans: [{ scopeSpans: [null] }] }],
    ['resourceSpans[0].scopeSpans[0].spans', { resourceSpans: [{ scopeSpans: [{ spans: 'all' }] }] }],
  ])('list that is none and says where: %s', (path, body) => {
    expect(decodeTraces(body).rejected).toMatchObject([{ reason: 'invalid_shape', path, kept: false }])
  })

  it('and lists at most 1,000 of them but counts all', () => {
    const { rejected, rejectedSpans } = decodeTraces(bodyOf(...Array.from({ length: 1_500 }, () => ({}))))
    expect(rejected).toHaveLength(1_000)
    expect(rejectedSpans).toBe(1_500)
  })
})

describe('decodeTraces() reads an attribute value', () => {
  it.each([
    [{ stringValue: 'text' }, 'text'],
    [{ stringValue: '' }, ''],
    [{ string_value: 'text' }, 'text'],
    [{ boolValue: false }, false],
    [{ bool_value: true }, true],
    [{ intValue: 42 }, 42],
    [{ intValue: '-42' }, -42],
    [{ int_value: '0' }, 0],
    [{ intValue: '9007199254740991' }, 9_007_199_254_740_991],
    [{ intValue: '9007199254740993' }, '9007199254740993'],
    [{ intValue: '-9223372036854775808' }, '-9223372036854775808'],
    [{ intValue: 2 ** 60 }, '1152921504606847000'],
    [{ intValue: 1e300 }, 1e300],
    [{ doubleValue: 0.5 }, 0.5],
    [{ double_value: '0.25' }, 0.25],
    [{ doubleValue: 'NaN' }, Number.NaN],
    [{ doubleValue: 'Infinity' }, Number.POSITIVE_INFINITY],
    [{ doubleValue: '-Infinity' }, Number.NEGATIVE_INFINITY],
    [{ arrayValue: {} }, []],
    [{ arrayValue: { values: [{ stringValue: 'a' }, { intValue: '1' }, {}, null] } }, ['a', 1, null, null]],
    [{ kvlistValue: {} }, {}],
    [
      {
        kvlistValue: {
          values: [
            { key: 'a', value: { boolValue: true } },
            { key: 'b', value: { kvlist_value: { values: [{ key: 'c', value: { intValue: 1 } }] } } },
            { key: 'd' },
          ],
        },
      },
      { a: true, b: { c: 1 }, d: null },
    ],
    [{ bytesValue: 'AQL/' }, new Uint8Array([1, 2, 255])],
    [{ bytes_value: '' }, new Uint8Array()],
    [{}, null],
    [null, null],
    [{ stringValue: null }, null],
    [{ stringValueStrindex: 3 }, null],
    [{ later: 3, intValue: '1' }, 1],
  ])('%j', (value, expected) => {
    expect(decodeValue(value)).toEqual(expected)
  })

  it.each([
    [{ stringValue: 5 }, 'A text', '5'],
    [{ intValue: 'many' }, 'An integer', 'many'],
    [{ intValue: '' }, 'An integer', 'an empty text'],
    [{ intValue: '-' }, 'An integer', '-'],
    [{ intValue: true }, 'An integer', 'true'],
    [{ boolValue: 'true' }, 'true or false', 'true'],
    [{ doubleValue: 'much' }, 'A number', 'much'],
    [{ doubleValue: ' ' }, 'A number', ' '],
    [{ bytesValue: [1] }, 'Bytes in base64', 'an array'],
    [{ arrayValue: { values: 'all' } }, 'An object with an array of values', 'all'],
    [{ kvlistValue: 1 }, 'An object with an array of values', '1'],
    ['bare', 'An object such as {"stringValue": "text"}', 'bare'],
  ])('that is none (%j) as null, with a warning', (value, expected, found) => {
    const { spans, rejected, rejectedSpans } = decodeTraces(
      bodyOf({
        ...SPAN,
        attributes: [
          { key: 'good', value: { intValue: 1 } },
          { key: 'bad', value },
        ],
      }),
    )
    expect(spans[0]?.attributes).toEqual({ good: 1, bad: null })
    expect(rejectedSpans).toBe(0)
    expect(rejected).toMatchObject([
      { path: 'resourceSpans[0].scopeSpans[0].spans[0].attributes[1]', expected, found, kept: true },
    ])
  })

  it('down to 64 levels, and cuts what lies deeper', () => {
    expect(depthOf(decodeValue(nested(64)))).toEqual([64, 'core'])
    expect(depthOf(decodeValue(nested(65)))).toEqual([64, null])

    const { rejected } = decodeTraces(
      bodyOf({
        ...SPAN,
        events: [{}, { attributes: [{ key: 'k', value: nested(100_000) }] }],
      }),
    )
    expect(rejected).toEqual([
      {
        reason: 'nested_too_deep',
        path: 'resourceSpans[0].scopeSpans[0].spans[0].events[1].attributes[0]',
        expected: 'At most 64 levels of lists and maps',
        found: 'an object',
        kept: true,
      },
    ])
  })
})

describe('decodeTraces() reads attributes', () => {
  it('so that of equal keys the last wins', () => {
    const span = decodeSpan({
      attributes: [
        { key: 'a', value: { intValue: 1 } },
        { key: 'b', value: { intValue: 2 } },
        { key: 'a', value: { intValue: 3 } },
      ],
    })
    expect(span.attributes).toEqual({ a: 3, b: 2 })
  })

  it('named like parts of every object, without harm', () => {
    const { attributes } = decodeSpan({
      attributes: [
        {
          key: '__proto__',
          value: { kvlistValue: { values: [{ key: 'polluted', value: { boolValue: true } }] } },
        },
        { key: 'constructor', value: { stringValue: 'c' } },
      ],
    })
    expect(Object.keys(attributes)).toEqual(['__proto__', 'constructor'])
    expect(attributes['__proto__']).toEqual({ polluted: true })
    expect(attributes['polluted']).toBeUndefined()
    expect('toString' in attributes).toBe(false)
    expect('__proto__' in decodeSpan({}).attributes).toBe(false)
    expect(JSON.stringify(attributes)).toBe('{"__proto__":{"polluted":true},"constructor":"c"}')
    expect(Object.hasOwn({ ...attributes }, '__proto__')).toBe(true)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('and leaves out entries that are none', () => {
    const { spans, rejected } = decodeTraces(
      bodyOf({
        ...SPAN,
        attributes: [7, { key: 5, value: {} }, { value: { intValue: 1 } }],
        events: [1, {}],
      }),
    )
    expect(spans[0]?.attributes).toEqual({ '': 1 })
    expect(spans[0]?.events).toHaveLength(1)
    expect(
      rejected.map(({ path, kept }) => [path.replace('resourceSpans[0].scopeSpans[0].', ''), kept]),
    ).toEqual([
      ['spans[0].attributes[0]', true],
      ['spans[0].attributes[1]', true],
      ['spans[0].events[0]', true],
    ])
  })

  it('and tells of lists that are none', () => {
    const { rejected } = decodeTraces({
      resourceSpans: [
        {
          resource: { attributes: 'a' },
          scopeSpans: [{ spans: [{ ...SPAN, attributes: {}, events: 'e' }] }],
        },
      ],
    })
    expect(rejected.map(({ path }) => path)).toEqual([
      'resourceSpans[0].resource.attributes',
      'resourceSpans[0].scopeSpans[0].spans[0].attributes',
      'resourceSpans[0].scopeSpans[0].spans[0].events',
    ])
  })
})

describe('createTraceDecoder()', () => {
  it('shares one object between equal resources of many documents', () => {
    const decode = createTraceDecoder()
    const resources = ['a', 'b', 'a'].map((name) => decode(withService(name)).spans[0]?.resource)
    expect(resources[2]).toBe(resources[0])
    expect(resources[1]).not.toBe(resources[0])
    expect(resources[1]?.attributes).toEqual({ 'service.name': 'b' })
  })

  it('keeps the 256 resources used last', () => {
    const decode = createTraceDecoder()
    const resourceOf = (name: string): unknown => decode(withService(name)).spans[0]?.resource
    const [kept, dropped] = [resourceOf('kept'), resourceOf('dropped')]
    for (let i = 0; i < 255; i++) {
      resourceOf('kept')
      resourceOf(`other ${i}`)
    }
    expect(resourceOf('kept')).toBe(kept)
    expect(resourceOf('dropped')).not.toBe(dropped)
  })

  it('keeps no resource of more than 65,536 characters', () => {
    const decode = createTraceDecoder()
    const body = withService('x'.repeat(70_000))
    expect(decode(body).spans[0]?.resource).not.toBe(decode(body).spans[0]?.resource)
    expect(decode(body).spans[0]?.resource).toEqual({ attributes: { 'service.name': 'x'.repeat(70_000) } })
  })

  it('reads a resource that is nested deeper than the engine can write', () => {
    const depth = 200_000
    const json = `{"resourceSpans":[{"resource":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}]}`
    expect(decodeTraces(JSON.parse(json) as unknown).signal).toBe('traces')
  })

  it('shares the scope between the spans of one list', () => {
    const { spans } = decodeTraces({
      resourceSpans: [{ scopeSpans: [{ scope: { name: 's', version: '' }, spans: [SPAN, SPAN] }] }],
    })
    expect(spans[0]?.instrumentationScope).toEqual({ name: 's', version: undefined })
    expect(spans[1]?.instrumentationScope).toBe(spans[0]?.instrumentationScope)
  })
})
