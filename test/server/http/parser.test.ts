import { expect, test } from 'vitest'
import { exchangeRaw, openRaw, statusesOf } from './raw-client.ts'
import { serve } from './serve.ts'

const head = 'POST /echo HTTP/1.1\r\nHost: localhost\r\n'
const chunked = 'Transfer-Encoding: chunked\r\n'

const refused: readonly (readonly [what: string, status: number, bytes: string])[] = [
  ['both a length and a coding', 400, `${head}Content-Length: 5\r\n${chunked}\r\n0\r\n\r\n`],
  ['the same length twice', 400, `${head}Content-Length: 2\r\nContent-Length: 2\r\n\r\nab`],
  ['two lengths', 400, `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc`],
  ['a list of lengths', 400, `${head}Content-Length: 2, 2\r\n\r\nab`],
  ['a length with a sign', 400, `${head}Content-Length: +2\r\n\r\nab`],
  ['a negative length', 400, `${head}Content-Length: -2\r\n\r\nab`],
  ['a length beyond all numbers', 400, `${head}Content-Length: 99999999999999999999\r\n\r\nab`],
  ['a space before the colon', 400, `${head}Content-Length : 2\r\n\r\nab`],
  ['a folded header', 400, `${head}X: a\r\n b\r\nContent-Length: 0\r\n\r\n`],
  ['a bare CR in a value', 400, `${head}X: a\rY: b\r\nContent-Length: 0\r\n\r\n`],
  ['a bare LF behind the request line', 400, 'POST /echo HTTP/1.1\nHost: localhost\n\n'],
  ['a bare LF behind a header', 400, `${head}X: a\nContent-Length: 0\r\n\r\n`],
  ['NUL in a value', 400, `${head}X: a\0b\r\nContent-Length: 0\r\n\r\n`],
  ['no host', 400, 'GET /echo HTTP/1.1\r\n\r\n'],
  ['two hosts', 400, `${head}Host: localhost\r\nContent-Length: 0\r\n\r\n`],
  ['another coding', 501, `${head}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
  ['a coding behind chunked', 400, `${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
  ['an unknown coding', 400, `${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
  ['a coding with a vertical tab', 400, `${head}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`],
  ['chunked twice', 400, `${head}${chunked}${chunked}\r\n0\r\n\r\n`],
  ['chunks in HTTP/1.0', 400, `POST /echo HTTP/1.0\r\nHost: localhost\r\n${chunked}\r\n0\r\n\r\n`],
  ['a chunk with a bare LF', 400, `${head}${chunked}\r\n1\nx\n0\n\n`],
  ['a chunk whose size is no number', 400, `${head}${chunked}\r\n0x1\r\nx\r\n0\r\n\r\n`],
  ['a chunk beyond all numbers', 400, `${head}${chunked}\r\nfffffffffffffffff\r\nx\r\n0\r\n\r\n`],
  [
    'a chunk with an endless extension',
    413,
    `${head}${chunked}\r\n1;${'a'.repeat(20_000)}\r\nx\r\n0\r\n\r\n`,
  ],
  ['a head above 16 KiB', 431, `${head}X: ${'a'.repeat(17_000)}\r\n\r\n`],
  ['HTTP/2.0', 505, 'GET /echo HTTP/2.0\r\nHost: localhost\r\n\r\n'],
  ['HTTP/0.9', 505, 'GET /echo\r\n\r\n'],
  ['TLS on a plain port', 400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['an unknown method', 400, 'GPOST /echo HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ['another expectation', 417, `${head}Expect: tea\r\nContent-Length: 0\r\n\r\n`],
]

test.each(refused)('a request with %s is refused with %i', async (_what, status, bytes) => {
  const { port } = await serve()
  expect(statusesOf(await exchangeRaw(port, bytes))).toEqual([status])
})

test('a target that is no path is nowhere', async () => {
  const { port } = await serve()
  const answers = await exchangeRaw(
    port,
    'GET http://localhost/echo HTTP/1.1\r\nHost: localhost\r\n\r\nOPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n',
  )
  expect(statusesOf(answers)).toEqual([404, 404])
})

test('CONNECT gets no answer and no tunnel', async () => {
  const { port } = await serve()
  expect(await exchangeRaw(port, 'CONNECT a:80 HTTP/1.1\r\nHost: localhost\r\n\r\n')).toBe('')
})

test('a wish for another protocol is passed over', async () => {
  const { port } = await serve()
  const wish = 'GET /echo HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'
  expect(statusesOf(await exchangeRaw(port, wish))).toEqual([200])
})

test('requests that come together are answered in their order', async () => {
  const { port } = await serve()
  const asks = ['1', '2', '3'].map((n) => `GET /echo?n=${n} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  const text = await exchangeRaw(port, asks.join(''))
  expect([...text.matchAll(/"n","(\d)"/gu)].map((match) => match[1])).toEqual(['1', '2', '3'])
})

test('bytes that are no request never take the place of the answer before them', async () => {
  let finish: () => void = () => undefined
  const slow = new Promise<void>((resolve) => {
    finish = resolve
  })
  const handler = async () => {
    await slow
    return { status: 200, body: '{}' }
  }
  const { port } = await serve({ routes: [{ method: 'GET', path: '/slow', handler }] })
  const text = await exchangeRaw(port, 'GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\nrubbish\r\n\r\n')
  finish()
  expect(text).toBe('')
})

test('a head that does not come to its end is answered with 408', async () => {
  const { port } = await serve({ headMillis: 300 })
  const client = await openRaw(port)
  client.send('GET /echo HTTP/1.1\r\nHost: loc')
  expect(statusesOf(await client.closed)).toEqual([408])
})

test('a body that does not come to its end is dropped without an answer, so that it is sent again', async () => {
  const { port, server } = await serve({ headMillis: 300, requestMillis: 600 })
  const client = await openRaw(port)
  client.send(`${head}Content-Length: 100\r\n\r\n`)
  const dripping = setInterval(() => client.send('a'), 50)
  expect(await client.closed).toBe('')
  clearInterval(dripping)
  await expect.poll(() => server.requestsInFlight).toBe(0)
})

test('a client that waits for it is told to go on, but only where its body is wanted', async () => {
  const { port } = await serve()
  const expecting = 'Host: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n'
  const wanted = await openRaw(port)
  wanted.send(`POST /echo HTTP/1.1\r\n${expecting}`)
  await wanted.until(/100 Continue/u)
  wanted.send('ab')
  expect(await wanted.until(/"body":"ab"/u)).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/u)
  wanted.socket.destroy()
  const unwanted = await openRaw(port)
  unwanted.send(`POST /nowhere HTTP/1.1\r\n${expecting}`)
  expect(statusesOf(await unwanted.until(/404/u))).toEqual([404])
  unwanted.socket.destroy()
})

test('connections beyond the limit are not accepted', async () => {
  const { port } = await serve({ maxConnections: 2 })
  const first = await openRaw(port)
  const second = await openRaw(port)
  const third = await openRaw(port)
  expect(await third.closed).toBe('')
  for (const { socket } of [first, second]) socket.destroy()
})
