import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { StoreError, type StoreFault } from '../../../src/server/report-store.ts'
import { IntakeFullError } from '../../../src/server/span-intake.ts'
import { readResponse, readStatus } from './read-answer.ts'
import { jsonRequest, jsonSpan, post, protobufRequest, receive, TRACE } from './receive.ts'

const ONE = '00f067aa0ba902b7'
const TWO = '00f067aa0ba902b8'
const PROTOBUF = 'application/x-protobuf'
const JSON_TYPE = 'application/json'
const good = protobufRequest([ONE, TWO])
const goodJson = jsonRequest([jsonSpan(ONE), jsonSpan(TWO)])
const ids = [`${TRACE}/${ONE}`, `${TRACE}/${TWO}`]

const bytes = (buffer: Buffer): Uint8Array<ArrayBuffer> => Uint8Array.from(buffer)

test.each<readonly [string, string]>([
  [PROTOBUF, PROTOBUF],
  [`${PROTOBUF}; charset=utf-8`, PROTOBUF],
  ['Application/X-Protobuf', PROTOBUF],
  [JSON_TYPE, JSON_TYPE],
  [`${JSON_TYPE};charset=UTF-8`, JSON_TYPE],
  [`${JSON_TYPE} ; q=1`, JSON_TYPE],
])('a request of type %s is answered with the bare type %s', async (asked, answered) => {
  const { url, intake } = await receive()
  const answer = await post(url, answered === PROTOBUF ? good : goodJson, { 'content-type': asked })
  expect(answer).toMatchObject({ status: 200, type: answered })
  expect(answer.body.toString()).toBe(answered === PROTOBUF ? '' : '{}')
  expect(intake.spans).toEqual(ids)
})

test.each([
  'text/plain',
  'application/protobuf',
  'application/x-protobuf2',
  'application/jsonp',
  'application/grpc',
])('a request of type %s is refused with 415', async (type) => {
  const { url, intake, receiver } = await receive()
  const answer = await post(url, good, { 'content-type': type })
  expect(answer).toMatchObject({ status: 415, type: PROTOBUF })
  expect(readStatus(answer)).toMatchObject({ code: 3, violations: [] })
  expect(intake.taken).toEqual([])
  expect(receiver.counts.requests.unsupported).toBe(1)
})

test('a request without a type is refused with 415', async () => {
  const { url } = await receive()
  const response = await fetch(url, { method: 'POST', body: new Uint8Array(good) })
  expect(response.status).toBe(415)
})

test.each(['GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'])('%s is refused with 405', async (method) => {
  const { url } = await receive()
  const response = await fetch(url, { method })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('POST')
  expect(response.headers.get('content-type')).toBe(PROTOBUF)
})

test.each(['/v1/metrics', '/v1/logs', '/v1development/profiles'])('%s is not there', async (path) => {
  const { port } = await receive()
  const wire = await post(`http://127.0.0.1:${port}${path}`, good)
  expect(wire).toMatchObject({ status: 404, type: PROTOBUF })
  expect(readStatus(wire)).toEqual({ code: 12, message: 'Only spans are taken here', violations: [] })
  const json = await post(`http://127.0.0.1:${port}${path}`, '{}')
  expect(json).toMatchObject({ status: 404, type: JSON_TYPE })
  expect(readStatus(json)).toEqual({ code: 12, message: 'Only spans are taken here', violations: [] })
})

test('without its token a request is refused in its own encoding', async () => {
  const { url, intake } = await receive({}, { token: 'tell-nobody' })
  const wire = await post(url, good)
  expect(wire).toMatchObject({ status: 401, type: PROTOBUF })
  expect(readStatus(wire).code).toBe(16)
  const json = await post(url, goodJson)
  expect(json).toMatchObject({ status: 401, type: JSON_TYPE })
  expect(intake.taken).toEqual([])
  expect((await post(url, good, { authorization: 'Bearer tell-nobody' })).status).toBe(200)
})

const codings: readonly (readonly [string, Uint8Array<ArrayBuffer>])[] = [
  ['identity', good],
  ['', good],
  ['gzip', bytes(gzipSync(good))],
  ['GZIP', bytes(gzipSync(good))],
  ['x-gzip', bytes(gzipSync(good))],
  ['deflate', bytes(deflateSync(good))],
]

test.each(codings)('a body of the coding %j is unpacked', async (coding, body) => {
  const { url, intake, receiver } = await receive()
  expect(await post(url, body, { 'content-encoding': coding })).toMatchObject({ status: 200 })
  expect(intake.spans).toEqual(ids)
  expect(receiver.counts).toMatchObject({ receivedBytes: body.length, unpackedBytes: good.length })
})

test('members of gzip that follow each other are one body', async () => {
  const { url, intake } = await receive()
  const body = bytes(Buffer.concat([gzipSync(good.subarray(0, 20)), gzipSync(good.subarray(20))]))
  expect(await post(url, body, { 'content-encoding': 'gzip' })).toMatchObject({ status: 200 })
  expect(intake.spans).toEqual(ids)
})

test.each(['br', 'snappy', 'lz4', 'gzip, gzip', 'gzip, deflate', 'identity, gzip', 'gzip;q=1', 'nonsense'])(
  'a body of the coding %j is refused with 415, and the sender is told what is taken',
  async (coding) => {
    const { url, intake } = await receive()
    const answer = await post(url, good, { 'content-encoding': coding })
    expect(answer).toMatchObject({ status: 415, type: PROTOBUF })
    expect(answer.headers.get('accept-encoding')).toMatch(/^gzip, deflate(, zstd)?$/u)
    expect(intake.taken).toEqual([])
  },
)

const packed = gzipSync(good)
const damaged = Buffer.from(packed)
damaged.writeUInt32LE(0, damaged.length - 8)

test.each<readonly [string, string, Buffer]>([
  ['cut', 'gzip', packed.subarray(0, -9)],
  ['cut in its head', 'gzip', packed.subarray(0, 5)],
  ['of another sum', 'gzip', damaged],
  ['no gzip at all', 'gzip', Buffer.from(good)],
  ['cut', 'deflate', deflateSync(good).subarray(0, -6)],
  ['raw', 'deflate', deflateRawSync(good)],
])('a packed body that is %s (%s) is refused with 400', async (_what, coding, body) => {
  const { url, intake, receiver } = await receive()
  const answer = await post(url, bytes(body), { 'content-encoding': coding })
  expect(answer).toMatchObject({ status: 400, type: PROTOBUF })
  const { code, message, violations } = readStatus(answer)
  expect(code).toBe(3)
  expect(message).toMatch(/^The body cannot be unpacked: /u)
  expect(violations).toHaveLength(1)
  expect(intake.taken).toEqual([])
  expect(receiver.counts.requests.invalid).toBe(1)
})

test('a request of nothing is taken', async () => {
  const { url, intake, receiver } = await receive()
  const empties: readonly (readonly [string | Uint8Array<ArrayBuffer>, Record<string, string>])[] = [
    [new Uint8Array(), {}],
    [new Uint8Array(), { 'content-encoding': 'gzip' }],
    [bytes(gzipSync('')), { 'content-encoding': 'gzip' }],
    ['', {}],
    ['{}', {}],
    ['{"foo":1}', {}],
    ['{"resourceSpans":[]}', {}],
    ['{"resourceSpans":[{"scopeSpans":[{"spans":[]}]}]}', {}],
  ]
  for (const [body, headers] of empties) {
    const answer = await post(url, body, headers)
    expect(answer.status).toBe(200)
    expect(readResponse(answer)).toBeNull()
  }
  expect(intake.taken).toEqual([])
  expect(receiver.counts.requests.accepted).toBe(empties.length)
})

test.each<readonly [string, string | Uint8Array<ArrayBuffer>]>([
  ['of protobuf that is none', bytes(Buffer.from('hello, world'))],
  ['of protobuf that is JSON', bytes(Buffer.from(goodJson))],
  ['that is cut', goodJson.slice(0, -2)],
  ['of a list', '[]'],
  ['of null', 'null'],
  ['of text', '"x"'],
  ['of a number', '1'],
  ['with two marks of byte order', `\uFEFF\uFEFF${goodJson}`],
  ['of blanks', '   '],
  ['of metrics', '{"resourceMetrics":[]}'],
  ['of NaN', '{"resourceSpans":NaN}'],
])('a body %s is refused with 400 and says so in its encoding', async (_what, body) => {
  const { url, intake } = await receive()
  const answer = await post(url, body)
  expect(answer).toMatchObject({ status: 400, type: typeof body === 'string' ? JSON_TYPE : PROTOBUF })
  const { code, message, violations } = readStatus(answer)
  expect(code).toBe(3)
  expect(violations).toEqual([message])
  expect(intake.taken).toEqual([])
})

test.each<readonly [string, Buffer]>([
  ['Latin-1', Buffer.from(goodJson.replace('"x"', '"é"'), 'latin1')],
  ['UTF-16', Buffer.from(goodJson, 'utf16le')],
  ['a cut character', Buffer.concat([Buffer.from(goodJson.replace('"x"', '"')), Buffer.from([0xe2, 0x82])])],
  [
    'an overlong character',
    Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
  ],
  ['half a pair', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')])],
])('JSON in %s is refused with 400', async (_what, body) => {
  const { url } = await receive()
  expect(await post(url, bytes(body), { 'content-type': JSON_TYPE })).toMatchObject({
    status: 400,
    type: JSON_TYPE,
  })
})

test('one mark of byte order is passed over', async () => {
  const { url, intake } = await receive()
  expect(await post(url, `\uFEFF${goodJson}`)).toMatchObject({ status: 200 })
  expect(intake.spans).toEqual(ids)
})

test('hex ids of either case, snake case and names of enums are read, unknown fields passed over', async () => {
  const { url, intake } = await receive()
  const span = {
    trace_id: TRACE.toUpperCase(),
    span_id: ONE.toUpperCase(),
    kind: 'SPAN_KIND_CLIENT',
    startTimeUnixNano: 1000,
    unknown: { deep: [1] },
  }
  const answer = await post(
    url,
    JSON.stringify({ resource_spans: [{ scope_spans: [{ spans: [span] }], no: 1 }] }),
  )
  expect(answer.status).toBe(200)
  expect(readResponse(answer)).toBeNull()
  expect(intake.spans).toEqual([`${TRACE}/${ONE}`])
})

test.each<readonly [string, Record<string, unknown>]>([
  ['a trace id of 31 digits', { traceId: TRACE.slice(1) }],
  ['a trace id of 33 digits', { traceId: `${TRACE}0` }],
  ['a trace id of zeros', { traceId: '0'.repeat(32) }],
  ['a trace id that is no hex', { traceId: 'g'.repeat(32) }],
  ['a trace id in base64', { traceId: Buffer.from(TRACE, 'hex').toString('base64') }],
  ['no trace id', { traceId: undefined }],
  ['a span id of 15 digits', { spanId: ONE.slice(1) }],
  ['a span id of zeros', { spanId: '0'.repeat(16) }],
  ['no span id', { spanId: undefined }],
])('a span with %s costs itself and not the others', async (_what, fault) => {
  const { url, intake, receiver } = await receive()
  const answer = await post(
    url,
    jsonRequest([jsonSpan(ONE), jsonSpan('00f067aa0ba902ff', fault), jsonSpan(TWO)]),
  )
  expect(answer.status).toBe(200)
  expect(answer.body.toString()).toMatch(/^\{"partialSuccess":\{"rejectedSpans":"1",/u)
  expect(readResponse(answer)?.message).toMatch(/^1 span cannot be read; resourceSpans\[0\]/u)
  expect(intake.spans).toEqual(ids)
  expect(receiver.counts).toMatchObject({ acceptedSpans: 2, rejectedSpans: 1, requests: { partial: 1 } })
})

test('a span of protobuf with an id of a wrong length costs itself and not the others', async () => {
  const { url, intake } = await receive()
  const answer = await post(url, protobufRequest([ONE, '00f067aa0ba902', TWO]))
  expect(answer).toMatchObject({ status: 200, type: PROTOBUF })
  expect(readResponse(answer)).toMatchObject({ rejected: 1 })
  expect(intake.spans).toEqual(ids)
})

test('a request whose spans are all bad is taken, and says that all were rejected', async () => {
  const { url, intake } = await receive()
  const answer = await post(url, jsonRequest([jsonSpan('1'), jsonSpan('2'), {}]))
  expect(answer.status).toBe(200)
  expect(readResponse(answer)).toMatchObject({ rejected: 3 })
  expect(intake.spans).toEqual([])
})

test.each<StoreFault>(['full', 'io', 'busy', 'overloaded', 'read_only', 'corrupt', 'closed'])(
  'a store that is %s makes the sender come back',
  async (fault) => {
    const { url, intake, receiver } = await receive()
    intake.before = () => {
      throw new StoreError(fault, 'secret of the inside')
    }
    const answer = await post(url, good)
    expect(answer).toMatchObject({ status: 503, type: PROTOBUF })
    expect(answer.headers.get('retry-after')).toBe('6')
    expect(readStatus(answer)).toMatchObject({ code: 14 })
    expect(answer.body.toString()).not.toContain('secret')
    expect(receiver.counts.requests.unavailable).toBe(1)
    expect(receiver.counts.acceptedSpans).toBe(0)
  },
)

test('an intake that is full makes the sender come back', async () => {
  const { url, intake, log } = await receive()
  intake.before = () => {
    throw new IntakeFullError('full')
  }
  const answer = await post(url, goodJson)
  expect(answer).toMatchObject({ status: 503, type: JSON_TYPE })
  expect(answer.headers.get('retry-after')).toBe('6')
  expect(readStatus(answer)).toEqual({ code: 14, message: 'The intake is full', violations: [] })
  expect(log).toEqual([])
})

test.each([
  [0, '1'],
  [0.999, '10'],
])('those who come back are spread over 1 to 10 seconds (%d)', async (random, seconds) => {
  const { url, intake } = await receive({ random: () => random })
  intake.before = () => {
    throw new IntakeFullError('full')
  }
  expect((await post(url, good)).headers.get('retry-after')).toBe(seconds)
})

test('a defect is told as one, in the encoding of the request and without its text', async () => {
  const { url, intake, log, receiver } = await receive()
  intake.before = () => {
    throw new Error('secret of the inside')
  }
  const answer = await post(url, goodJson)
  expect(answer).toMatchObject({ status: 500, type: JSON_TYPE })
  expect(readStatus(answer).message).toBe('The server failed on this request')
  expect(log).toEqual(['error a request failed {"status":500,"reason":"Error: secret of the inside"}'])
  expect(receiver.counts.requests.failed).toBe(1)
})

test('a request is answered when its spans are durable, not before', async () => {
  const { url, intake, receiver } = await receive()
  let store: () => void = () => undefined
  intake.before = async () =>
    new Promise<void>((resolve) => {
      store = resolve
    })
  let hasAnswer = false
  const answer = post(url, good).finally(() => {
    hasAnswer = true
  })
  // The spans as they came, 512 bytes for their trace and 128 for each of them.
  await expect.poll(() => receiver.load).toEqual({ requests: 1, bytes: good.length + 768 })
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(hasAnswer).toBe(false)
  store()
  expect((await answer).status).toBe(200)
  expect(receiver.load).toEqual({ requests: 0, bytes: 0 })
})

test('a body may not be allowed more than all bodies together', async () => {
  await expect(receive({ maxBodyBytes: 1_000, maxPendingBytes: 999 })).rejects.toThrow(
    'Cannot receive: expected at least 1000 pending bytes, as many as a body may have, found 999',
  )
})

test('what was counted is shown as metrics', async () => {
  const { url, receiver } = await receive()
  await post(url, good)
  await post(url, jsonRequest([jsonSpan('1')]))
  await post(url, 'no')
  const values = receiver
    .metrics()
    .flatMap(({ name, samples }) =>
      samples.map(
        ({ labels, value }) => [labels === undefined ? name : `${name} ${labels['outcome']}`, value] as const,
      ),
    )
  expect(Object.fromEntries(values)).toMatchObject({
    'agent_reach_receiver_requests_total accepted': 1,
    'agent_reach_receiver_requests_total partial': 1,
    'agent_reach_receiver_requests_total invalid': 1,
    'agent_reach_receiver_requests_total failed': 0,
    agent_reach_receiver_accepted_spans_total: 2,
    agent_reach_receiver_rejected_spans_total: 1,
    agent_reach_receiver_requests_in_flight: 0,
  })
})
