import * as fc from 'fast-check'
import protobuf from 'protobufjs'
import { describe, expect, it } from 'vitest'
import { createTraceDecoder } from '../../src/otlp/decode-json.ts'
import { decodeMessage } from '../../src/otlp/decode-message.ts'
import type { DecodedSpan } from '../../src/otlp/decoded-span.ts'
import { listSpans, rewriteRequest, type RewriteOptions } from '../../src/otlp/rewrite-request.ts'
import type { SpanEdit } from '../../src/otlp/span-edit.ts'

type Fields = readonly Buffer[]

/** A field that is bytes: another message, or a text. */
function bytesField(number: number, content: string | Buffer | Fields): Buffer {
  const bytes =
    typeof content === 'string'
      ? Buffer.from(content)
      : Buffer.isBuffer(content)
        ? content
        : Buffer.concat([...content])
  return Buffer.from(
    protobuf.Writer.create()
      .uint32(number * 8 + 2)
      .bytes(bytes)
      .finish(),
  )
}

function numberField(number: number, value: number): Buffer {
  return Buffer.from(
    protobuf.Writer.create()
      .uint32(number * 8)
      .int64(value)
      .finish(),
  )
}

function timeField(number: number, value: number): Buffer {
  return Buffer.from(
    protobuf.Writer.create()
      .uint32(number * 8 + 1)
      .fixed64(value)
      .finish(),
  )
}

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const textValue = (text: string): Buffer => bytesField(1, text)
const boolValue = (value: boolean): Buffer => numberField(2, Number(value))
const keyValue = (key: string, value: Buffer): Fields => [bytesField(1, key), bytesField(2, [value])]
const attribute = (key: string, value: Buffer): Buffer => bytesField(9, keyValue(key, value))
const event = (name: string, ...attributes: readonly Fields[]): Buffer =>
  bytesField(11, [timeField(1, 5), bytesField(2, name), ...attributes.map((each) => bytesField(3, each))])
const status = (...fields: Fields): Buffer => bytesField(15, fields)
const idField = (spanId: string): Buffer => bytesField(2, Buffer.from(spanId, 'hex'))
const identity = (spanId: string): Fields => [
  bytesField(1, Buffer.from(TRACE_ID, 'hex')),
  idField(spanId),
  timeField(7, 1),
  timeField(8, 2),
]

/** A request in which each list of fields is a span. */
function request(...spans: readonly Fields[]): Buffer {
  const scopeSpans = [
    bytesField(1, [bytesField(1, 'scope')]),
    ...spans.map((span) => bytesField(2, span)),
    bytesField(3, 'https://schema'),
  ]
  const resource = bytesField(1, [bytesField(1, keyValue('service.name', textValue('shop')))])
  return bytesField(1, [resource, bytesField(2, scopeSpans), bytesField(3, 'https://schema')])
}

function decode(body: Buffer): readonly DecodedSpan[] {
  const { value, damage } = decodeMessage(body)
  expect(damage).toEqual([])
  return createTraceDecoder()(value).spans
}

const [A, B] = ['00f067aa0ba902b7', 'b7ad6b7169203331']
const options: RewriteOptions = {
  keys: new Set(['ours', 'ours.status']),
  events: [{ name: 'alert' }, { name: 'verdict', attribute: ['verdict.name', 'node'] }],
  statusKey: 'ours.status',
}
const none = (): null => null

const edit: SpanEdit = {
  attributes: { ours: 'new', 'ours.count': 3, 'ours.share': 0.5, 'ours.list': ['a', 'ä'], 'ours.is': false },
  events: [{ name: 'alert', timeNs: 1_700_000_000_123_456_789n, attributes: { ours: true } }],
  error: { message: 'no status', attributes: { 'ours.status': true }, unlessKeys: ['http.method'] },
}

describe('rewriteRequest()', () => {
  it('adds attributes and events at the end of the span that they are for', () => {
    const body = request([...identity(A), attribute('first', textValue('1'))], identity(B))
    const [a, b] = decode(rewriteRequest(body, (spanId) => (spanId === A ? edit : null), options))
    expect(Object.entries(a?.attributes ?? {})).toEqual([
      ['first', '1'],
      ['ours', 'new'],
      ['ours.count', 3],
      ['ours.share', 0.5],
      ['ours.list', ['a', 'ä']],
      ['ours.is', false],
      ['ours.status', true],
    ])
    expect(a?.events).toEqual([
      { name: 'alert', time: [1_700_000_000, 123_456_789], attributes: { ours: true } },
    ])
    expect(a?.status).toEqual({ code: 2, message: 'no status' })
    expect(b?.attributes).toEqual({})
    expect(b?.status.code).toBe(0)
  })

  it('takes our attributes and events off every span, and leaves all others', () => {
    const others = [
      attribute('before', textValue('x')),
      event('exception'),
      event('verdict', keyValue('verdict.name', textValue('quality'))),
      event('verdict'),
      bytesField(13, [bytesField(3, 'link state')]),
      bytesField(3, 'trace state'),
      numberField(10, 7),
      bytesField(99, 'of tomorrow'),
    ]
    const ours = [
      attribute('ours', textValue('old')),
      event('alert', keyValue('x', textValue('y'))),
      event('verdict', keyValue('z', textValue('')), keyValue('verdict.name', textValue('node'))),
    ]
    const mixed = [ours[0], ...others.slice(0, 3), ours[1], ...others.slice(3), ours[2]] as Fields
    const body = request([...identity(A), ...mixed])
    expect(rewriteRequest(body, none, options)).toEqual(request([...identity(A), ...others]))
  })

  it.each([
    ['a status', [status(numberField(3, 1))]],
    ['a message', [status(bytesField(2, 'said by the program'))]],
    ['an attribute that forbids it', [attribute('http.method', textValue('GET'))]],
  ])('raises no status over %s', (_, fields) => {
    const raise = { ...edit, attributes: {}, events: [] }
    const body = request([...identity(A), ...fields])
    expect(rewriteRequest(body, () => raise, options)).toBe(body)
  })

  it('raises a status that is written and says nothing, and keeps what it does not know of it', () => {
    const unknown = numberField(9, 4)
    const body = request([...identity(A), status(numberField(3, 0), unknown), attribute('k', textValue('v'))])
    const raise = { ...edit, attributes: {}, events: [] }
    expect(rewriteRequest(body, () => raise, options)).toEqual(
      request([
        ...identity(A),
        attribute('k', textValue('v')),
        attribute('ours.status', boolValue(true)),
        status(unknown, bytesField(2, 'no status'), numberField(3, 2)),
      ]),
    )
  })

  it('takes back a status that was ours before', () => {
    const raised = [
      attribute('ours.status', boolValue(true)),
      status(bytesField(2, 'old'), numberField(3, 2)),
    ]
    const body = request([...identity(A), ...raised])
    expect(rewriteRequest(body, none, options)).toEqual(request(identity(A)))
    expect(decode(rewriteRequest(body, () => edit, options))[0]?.status.message).toBe('no status')
    const denied = request([...identity(A), attribute('ours.status', boolValue(false)), raised[1] as Buffer])
    expect(decode(rewriteRequest(denied, none, options))[0]?.status).toEqual({ code: 2, message: 'old' })
  })

  it('puts an attribute in the place of one with its key, so that no key is there twice', () => {
    const body = request([...identity(A), attribute('seen', textValue('1'))])
    const edited = rewriteRequest(body, () => ({ attributes: { seen: '2' }, events: [], error: null }))
    expect(edited).toEqual(request([...identity(A), attribute('seen', textValue('2'))]))
  })

  it('leaves spans out, and what is empty without them', () => {
    const two = Buffer.concat([request(identity(A), identity(B)), request(identity(A))])
    expect(listSpans(two).map(({ spanId }) => spanId)).toEqual([A, B, A])
    const one = rewriteRequest(two, none, { keeps: (_, position) => position === 1 })
    expect(one).toEqual(request(identity(B)))
    expect(rewriteRequest(two, none, { keeps: () => false })).toHaveLength(0)
  })

  it('lets a damaged span pass as it is and changes those beside it', () => {
    const damaged = bytesField(2, Buffer.concat([idField(A), Buffer.from([9 * 8 + 2, 100, 1])]))
    const intact = [...identity(B), attribute('ours', textValue('old'))]
    const wrap = (...spans: Fields): Buffer => bytesField(1, [bytesField(2, [...spans])])
    const body = wrap(damaged, bytesField(2, intact))
    expect(rewriteRequest(body, none, options)).toEqual(wrap(damaged, bytesField(2, identity(B))))
    expect(listSpans(wrap(bytesField(2, intact), damaged)).map(({ spanId }) => spanId)).toEqual([B, ''])
  })

  it('never throws, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(), fc.nat(255), (bytes, at, byte) => {
        rewriteRequest(Buffer.from(bytes), () => edit, options)
        const broken = request([...identity(A), attribute('ours', textValue('x')), event('alert')])
        broken[at % broken.length] = byte
        rewriteRequest(broken, () => edit, options)
        rewriteRequest(broken.subarray(0, at % broken.length), () => edit, options)
      }),
      { numRuns: 2_000 },
    )
  })
})

/** A field of a span, and whether it goes when the span is rewritten. */
interface Drawn {
  readonly bytes: Buffer
  readonly goes: boolean
}

const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const drawn: fc.Arbitrary<Drawn> = fc.oneof(
  text.map((name) => ({ bytes: bytesField(5, name), goes: false })),
  fc
    .tuple(
      fc.constantFrom('a', 'ours', 'ours.count', 'b'),
      fc.oneof(text.map(textValue), fc.constant(boolValue(true))),
    )
    .map(([key, value]) => ({ bytes: attribute(key, value), goes: key.startsWith('ours') })),
  fc.tuple(fc.constantFrom('exception', 'alert'), text).map(([name, value]) => ({
    bytes: event(name, keyValue('k', textValue(value))),
    goes: name === 'alert',
  })),
  fc.uint8Array({ maxLength: 20 }).map((link) => ({ bytes: bytesField(13, Buffer.from(link)), goes: false })),
  fc.integer({ min: 17, max: 5_000 }).map((number) => ({ bytes: numberField(number, -1), goes: false })),
  fc.nat(1e6).map((count) => ({ bytes: numberField(10, count), goes: false })),
)
const spans = fc.array(fc.array(drawn, { maxLength: 8 }), { minLength: 1, maxLength: 4 })
const idAt = (at: number): string => `00f067aa0ba9020${at + 1}`
const bytesOf = (fields: readonly Drawn[]): Fields => fields.map(({ bytes }) => bytes)

describe('whatever spans hold', () => {
  it('without edits and keys every byte stays', () => {
    fc.assert(
      fc.property(spans, (drawnSpans) => {
        const body = request(...drawnSpans.map((fields, at) => [...identity(idAt(at)), ...bytesOf(fields)]))
        expect(rewriteRequest(body, none)).toBe(body)
      }),
    )
  })

  it('everything but what is edited stays, byte for byte, and to do it twice is to do it once', () => {
    const change: SpanEdit = { attributes: { 'ours.count': 1 }, events: [], error: null }
    fc.assert(
      fc.property(spans, fc.nat(3), (drawnSpans, which) => {
        const body = request(...drawnSpans.map((fields, at) => [...bytesOf(fields), ...identity(idAt(at))]))
        const rules = { ...options, keys: new Set(['ours', 'ours.count']) }
        const rewrite = (bytes: Buffer): Buffer =>
          rewriteRequest(bytes, (spanId) => (spanId === idAt(which) ? change : null), rules)
        const once = rewrite(body)
        const expected = request(
          ...drawnSpans.map((fields, at) => [
            ...bytesOf(fields.filter(({ goes }) => !goes)),
            ...identity(idAt(at)),
            ...(at === which ? [attribute('ours.count', numberField(3, 1))] : []),
          ]),
        )
        expect(once).toEqual(expected)
        expect(rewrite(once)).toEqual(once)
      }),
    )
  })

  it('a raised status stays the same when it is raised again', () => {
    fc.assert(
      fc.property(fc.array(drawn, { maxLength: 6 }), fc.boolean(), (fields, hasStatus) => {
        const body = request([
          ...(hasStatus ? [status(numberField(3, 0))] : []),
          ...bytesOf(fields),
          ...identity(A),
        ])
        const once = rewriteRequest(body, () => edit, options)
        expect(rewriteRequest(once, () => edit, options)).toEqual(once)
      }),
    )
  })
})
