import { createGzip, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { openRaw, statusesOf } from '../http/raw-client.ts'
import { readResponse, readStatus } from './read-answer.ts'
import { jsonRequest, jsonSpan, MemoryIntake, post, protobufRequest, receive, TRACE } from './receive.ts'

const ONE = '00f067aa0ba902b7'
const MIB = 1024 * 1024
const good = protobufRequest([ONE])
const bytes = (buffer: Buffer): Uint8Array<ArrayBuffer> => Uint8Array.from(buffer)

const head = (more: string): string =>
  `POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n${more}\r\n\r\n`

/** Zeros, packed, made as they are sent. */
function packedZeros(totalBytes: number): ReadableStream<Uint8Array> {
  const gzip = createGzip({ level: 1 })
  const zeros = Buffer.alloc(MIB)
  let left = totalBytes
  const feed = (): void => {
    while (left > 0) {
      left -= zeros.length
      if (!gzip.write(zeros)) return void gzip.once('drain', feed)
    }
    gzip.end()
  }
  feed()
  return ReadableStream.from<Uint8Array>(gzip)
}

test('a gigabyte of packed zeros stops at the limit with 413', async () => {
  const { url, intake, receiver } = await receive()
  const answer = await post(url, packedZeros(1024 * MIB), { 'content-encoding': 'gzip' })
  expect(answer).toMatchObject({ status: 413, type: 'application/x-protobuf' })
  expect(readStatus(answer)).toEqual({
    code: 8,
    message: 'A body may have 67108864 bytes, as it comes and unpacked',
    violations: [],
  })
  expect(intake.taken).toEqual([])
  expect(receiver.load).toEqual({ requests: 0, bytes: 0 })
  expect(receiver.counts.requests.too_large).toBe(1)
})

test('a bomb whose sender stalls is answered at once', async () => {
  const { port } = await receive({ maxBodyBytes: MIB })
  const client = await openRaw(port)
  const bomb = gzipSync(Buffer.alloc(16 * MIB))
  client.send(head(`Content-Encoding: gzip\r\nContent-Length: ${bomb.length}`))
  client.send(bomb.subarray(0, -10))
  expect(statusesOf(await client.until(/HTTP/u))).toEqual([413])
  client.socket.destroy()
})

test('a bomb of deflate and one of many members stop at the limit', async () => {
  const { url } = await receive({ maxBodyBytes: MIB })
  const deflated = bytes(deflateSync(Buffer.alloc(64 * MIB)))
  expect((await post(url, deflated, { 'content-encoding': 'deflate' })).status).toBe(413)
  const member = gzipSync(Buffer.alloc(MIB / 2))
  const members = bytes(Buffer.concat([member, member, member]))
  expect((await post(url, members, { 'content-encoding': 'gzip' })).status).toBe(413)
})

test('a body of just the limit is read, one of a byte more is not', async () => {
  const { url } = await receive({ maxBodyBytes: good.length })
  expect((await post(url, good)).status).toBe(200)
  const { url: lower } = await receive({ maxBodyBytes: good.length - 1 })
  expect((await post(lower, good)).status).toBe(413)
  const packed = bytes(gzipSync(good))
  expect((await post(lower, packed, { 'content-encoding': 'gzip' })).status).toBe(413)
})

test('a body of 100 MB is refused with 413, whether its length is told or not', async () => {
  const { url, receiver } = await receive()
  const told = await post(url, new Uint8Array(100_000_000))
  expect(told.status).toBe(413)
  const chunk = new Uint8Array(1_000_000)
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let n = 0; n < 100; n++) yield chunk
  }
  const untold = await post(url, ReadableStream.from<Uint8Array>(chunks()))
  expect(untold.status).toBe(413)
  expect(receiver.counts.receivedBytes).toBe(0)
})

test('a large request is taken whole', async () => {
  const { url, intake } = await receive()
  const text = 'a'.repeat(1_000_000)
  const spans = Array.from({ length: 60 }, (_, n) =>
    jsonSpan((n + 1).toString(16).padStart(16, '0'), {
      attributes: [{ key: 'text', value: { stringValue: text } }],
    }),
  )
  expect((await post(url, jsonRequest(spans))).status).toBe(200)
  expect(intake.spans).toHaveLength(60)
  expect(intake.taken[0]?.traces[0]?.body.length).toBeGreaterThan(60_000_000)
})

test('a span with a million attributes is taken', async () => {
  const { url, intake } = await receive()
  const attributes = Array.from({ length: 1_000_000 }, (_, n) => ({ key: `k${n}`, value: { intValue: '1' } }))
  expect((await post(url, jsonRequest([jsonSpan(ONE, { attributes })]))).status).toBe(200)
  expect(intake.spans).toEqual([`${TRACE}/${ONE}`])
})

test.each(['[]', '{}', '1', '[[]]'])(
  'JSON of nothing but %s many million times is refused',
  async (value) => {
    const { url } = await receive()
    const answer = await post(url, `{"a":[${`${value},`.repeat(5_000_000)}1]}`)
    expect(answer.status).toBe(413)
    expect(readStatus(answer).message).toBe('A body may hold 5000000 values; send it as protobuf or in parts')
  },
)

test('a request of more traces than fit is refused, one that fits beside no other comes later', async () => {
  const { url, intake, receiver } = await receive({ maxBodyBytes: MIB, maxPendingBytes: MIB })
  const spansOf = (count: number): string =>
    jsonRequest(
      Array.from({ length: count }, (_, n) =>
        jsonSpan(ONE, { traceId: (n + 1).toString(16).padStart(32, '0'), name: '' }),
      ),
    )
  expect(await post(url, spansOf(3_000))).toMatchObject({ status: 413 })
  expect(intake.taken).toEqual([])
  let store: () => void = () => undefined
  intake.before = async () =>
    new Promise<void>((resolve) => {
      store = resolve
    })
  const first = post(url, spansOf(1_000))
  await expect.poll(() => receiver.load.bytes).toBeGreaterThan(640_000)
  expect(await post(url, spansOf(1_000))).toMatchObject({ status: 503 })
  store()
  expect(await first).toMatchObject({ status: 200 })
})

test('signs in text are no values', async () => {
  const { url, intake } = await receive()
  const text = `${'\\"[{,'.repeat(3_000_000)}\\\\`
  const request = jsonRequest([jsonSpan(ONE, { name: 'NAME' })]).replace('NAME', text)
  expect((await post(url, request)).status).toBe(200)
  expect(intake.spans).toHaveLength(1)
})

test.each<readonly [string, string, string]>([
  ['lists', '{"arrayValue":{"values":[', ']}}'],
  ['maps', '{"kvlistValue":{"values":[{"key":"a","value":', '}]}}'],
])('%s in each other many thousand times cost their span at most', async (_what, open, close) => {
  const { url, intake } = await receive()
  const deep = `${open.repeat(100_000)}{}${close.repeat(100_000)}`
  const bad = jsonSpan('00f067aa0ba902ff', { attributes: [{ key: 'deep', value: 'DEEP' }] })
  const request = jsonRequest([bad, jsonSpan(ONE)]).replace('"DEEP"', deep)
  const answer = await post(url, request)
  expect(answer.status).toBe(200)
  expect(readResponse(answer)?.rejected ?? 0).toBeLessThanOrEqual(1)
  expect(intake.spans).toContain(`${TRACE}/${ONE}`)
})

test('brackets without end are no JSON', async () => {
  const { url } = await receive()
  expect((await post(url, '['.repeat(5_000_000))).status).toBe(400)
})

test('requests beyond the limit are told to come back before their body is read', async () => {
  const { url, port, receiver, intake } = await receive({ maxRequests: 2 })
  const slow = await Promise.all([openRaw(port), openRaw(port)])
  for (const client of slow) client.send(head('Content-Length: 100'))
  await expect.poll(() => receiver.load).toEqual({ requests: 2, bytes: 200 })
  const refused = await openRaw(port)
  refused.send(head('Content-Length: 60000000'))
  const text = await refused.until(/\r\n\r\n/u)
  expect(text).toMatch(/^HTTP\/1.1 503 /u)
  expect(text).toMatch(/retry-after: 6\r\n/u)
  for (const { socket } of [...slow, refused]) socket.destroy()
  await expect.poll(() => receiver.load).toEqual({ requests: 0, bytes: 0 })
  expect(receiver.counts.requests).toMatchObject({ aborted: 2, unavailable: 1 })
  expect((await post(url, good)).status).toBe(200)
  expect(intake.taken).toHaveLength(1)
})

test('bytes beyond the limit are told to come back, declared, sent or unpacked', async () => {
  const { url, port, receiver } = await receive({ maxBodyBytes: MIB, maxPendingBytes: 1.5 * MIB })
  const holding = await openRaw(port)
  holding.send(head(`Content-Length: ${MIB}`))
  await expect.poll(() => receiver.load).toEqual({ requests: 1, bytes: MIB })
  const big = new Uint8Array(0.75 * MIB)
  expect((await post(url, big)).status).toBe(503)
  expect((await post(url, ReadableStream.from<Uint8Array>([big]))).status).toBe(503)
  const packed = bytes(gzipSync(big))
  expect((await post(url, packed, { 'content-encoding': 'gzip' })).status).toBe(503)
  expect((await post(url, good)).status).toBe(200)
  holding.socket.destroy()
  await expect.poll(() => receiver.load).toEqual({ requests: 0, bytes: 0 })
})

test('a connection is used on after a refusal for now', async () => {
  const { port, receiver } = await receive({ maxRequests: 1 })
  const slow = await openRaw(port)
  slow.send(head('Content-Length: 100'))
  await expect.poll(() => receiver.load.requests).toBe(1)
  const client = await openRaw(port)
  const whole = Buffer.concat([Buffer.from(head(`Content-Length: ${good.length}`)), good])
  client.send(whole)
  await client.until(/503/u)
  slow.socket.destroy()
  await expect.poll(() => receiver.load.requests).toBe(0)
  client.send(whole)
  expect(statusesOf(await client.until(/200/u))).toEqual([503, 200])
  client.socket.destroy()
})

test.each<readonly [string, string, Buffer]>([
  ['with its length', `Content-Length: ${good.length}`, Buffer.from(good.subarray(0, -1))],
  ['in chunks', 'Transfer-Encoding: chunked', Buffer.from(`5\r\n${'a'.repeat(5)}\r\n3\r\nab`)],
  ['packed', 'Content-Encoding: gzip\r\nContent-Length: 1000', gzipSync(good)],
])('a body that is torn (%s) is dropped without trace', async (_what, headers, part) => {
  const { port, receiver, intake, log } = await receive()
  const client = await openRaw(port)
  client.send(head(headers))
  client.send(part)
  await expect.poll(() => receiver.load.requests).toBe(1)
  client.socket.destroy()
  await expect.poll(() => receiver.load).toEqual({ requests: 0, bytes: 0 })
  expect(intake.taken).toEqual([])
  expect(receiver.counts.requests.aborted).toBe(1)
  expect(log).toEqual([])
})

test('a body that drips for ever gives its place back', async () => {
  const { port, receiver } = await receive({ maxRequests: 1 }, { headMillis: 300, requestMillis: 600 })
  const client = await openRaw(port)
  client.send(head('Content-Length: 1000'))
  const dripping = setInterval(() => client.send('a'), 20)
  expect(await client.closed).toBe('')
  clearInterval(dripping)
  await expect.poll(() => receiver.load.requests).toBe(0)
})

test('what is left of a body is never read as a request', async () => {
  const { port, intake } = await receive({ maxBodyBytes: 1_000 })
  const smuggled = Buffer.concat([Buffer.from(head(`Content-Length: ${good.length}`)), good])
  const client = await openRaw(port)
  client.send(head('Content-Length: 1000000'))
  client.send(Buffer.concat([smuggled, smuggled, Buffer.alloc(10_000)]))
  await client.until(/413/u)
  client.send(smuggled)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(statusesOf(client.received())).toEqual([413])
  expect(intake.taken).toEqual([])
  client.socket.destroy()
})

test('requests that come together are taken in their order', async () => {
  const { port, intake } = await receive()
  const ids = Array.from({ length: 30 }, (_, n) => (n + 1).toString(16).padStart(16, '0'))
  const client = await openRaw(port)
  const whole = ids.map((id) => {
    const body = protobufRequest([id])
    return Buffer.concat([Buffer.from(head(`Content-Length: ${body.length}`)), body])
  })
  client.send(Buffer.concat(whole))
  await expect.poll(() => statusesOf(client.received())).toEqual(ids.map(() => 200))
  expect(intake.spans).toEqual(ids.map((id) => `${TRACE}/${id}`))
  client.socket.destroy()
})

test('a stop under load loses nothing that was answered', async () => {
  const intake = new MemoryIntake()
  intake.before = async () => new Promise((resolve) => setTimeout(resolve, 20))
  const { url, server } = await receive({ intake })
  const answered: string[] = []
  let refused = 0
  const over = new AbortController()
  const send = async (sender: number): Promise<void> => {
    for (let n = 1; !over.signal.aborted; n++) {
      const id = `${sender.toString(16).padStart(8, '0')}${n.toString(16).padStart(8, '0')}`
      const answer = await post(url, protobufRequest([id])).catch(() => undefined)
      if (answer?.status === 200) answered.push(`${TRACE}/${id}`)
      else if (answer === undefined || answer.status === 503) refused++
      else throw new Error(`Status ${answer.status}`)
      if (answer === undefined) return
    }
  }
  const senders = Array.from({ length: 8 }, async (_, n) => send(n + 1))
  await expect.poll(() => answered.length, { timeout: 20_000 }).toBeGreaterThan(20)
  const before = performance.now()
  await server.close(10_000)
  expect(performance.now() - before).toBeLessThan(5_000)
  over.abort()
  await Promise.all(senders)
  expect(answered.length).toBeGreaterThan(20)
  expect(refused).toBeGreaterThan(0)
  expect([...intake.spans].sort()).toEqual([...answered].sort())
})
