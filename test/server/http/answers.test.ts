import { request as httpRequest } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { StoreError, type StoreFault } from '../../../src/server/report-store.ts'
import type { HttpAnswer, HttpHandler } from '../../../src/server/http/http-handler.ts'
import { HttpProblem } from '../../../src/server/http/http-problem.ts'
import { exchangeRaw } from './raw-client.ts'
import { serve, type Serving } from './serve.ts'

const answering = async (handler: HttpHandler, path = '/it'): Promise<Serving> =>
  serve({ routes: [{ method: 'GET', path, handler }] })

/** Asks as it stands: no header is added, nothing is unpacked. */
async function ask(url: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
    (resolve, reject) => {
      const request = httpRequest(url, { method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          })
        })
        response.on('error', reject)
      })
      request.on('error', reject)
      request.end()
    },
  )
}

test('parts of the path in braces come decoded', async () => {
  const { url } = await answering(
    ({ params }) => ({ status: 200, body: JSON.stringify(params) }),
    '/chains/{name}/nodes/{node}',
  )
  const answer = await fetch(`${url}/chains/a%2Fb%20%3Cc%3E/nodes/%C3%A4`)
  expect(await answer.json()).toEqual({ name: 'a/b <c>', node: 'ä' })
  for (const path of ['/chains//nodes/x', '/chains/%ff/nodes/x', '/chains/a/nodes', '/chains/a/nodes/b/']) {
    expect((await fetch(`${url}${path}`)).status).toBe(404)
  }
})

test('a path as it stands goes before one with braces', async () => {
  const { url } = await serve({
    routes: ['/chains/{name}', '/chains/all'].map((path) => ({
      method: 'GET',
      path,
      handler: () => ({ status: 200, body: JSON.stringify(path) }),
    })),
  })
  expect(await (await fetch(`${url}/chains/all`)).json()).toBe('/chains/all')
  expect(await (await fetch(`${url}/chains/one`)).json()).toBe('/chains/{name}')
})

test('two routes for one method and path are an error', async () => {
  const route = { method: 'GET', path: '/a', handler: () => ({ status: 200, body: '' }) }
  await expect(serve({ routes: [route, route] })).rejects.toThrow(
    'Cannot add a route: expected one per method and path, found a second GET /a',
  )
})

test('a method that a path does not have is told with those that it has', async () => {
  const { url } = await answering(() => ({ status: 200, body: '{}' }))
  for (const method of ['POST', 'DELETE', 'OPTIONS', 'PUT']) {
    const answer = await fetch(`${url}/it`, { method })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, HEAD')
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  }
})

test('HEAD has the head of GET and no body', async () => {
  const { url } = await answering(() => ({ status: 200, body: '{"a":1}' }))
  const answer = await ask(`${url}/it`, {}, 'HEAD')
  expect(answer).toMatchObject({
    status: 200,
    headers: { 'content-length': '7', 'content-type': 'application/json' },
  })
  expect(answer.body).toHaveLength(0)
})

test('what the client has already is not sent again', async () => {
  const { url } = await answering(() => ({ status: 200, body: '{"a":1}' }))
  const etag = String((await ask(`${url}/it`)).headers['etag'])
  expect(etag).toMatch(/^W\/"[\w-]{22}"$/u)
  for (const known of [etag, `"x", ${etag}`, etag.slice(2), '*']) {
    const answer = await ask(`${url}/it`, { 'if-none-match': known })
    expect(answer).toMatchObject({ status: 304, headers: { etag } })
    expect(answer.body).toHaveLength(0)
    expect(answer.headers['content-type']).toBeUndefined()
  }
  for (const other of ['"x"', '', 'W/"', etag.slice(3, -1)]) {
    expect((await ask(`${url}/it`, { 'if-none-match': other })).status).toBe(200)
  }
})

test('a handler may name the tag itself', async () => {
  const { url } = await answering(() => ({ status: 200, headers: { etag: '"r7"' }, body: '{}' }))
  expect((await ask(`${url}/it`, { 'if-none-match': 'W/"r7"' })).status).toBe(304)
})

test('a body above 1 KiB is packed for who takes it', async () => {
  const text = JSON.stringify('a'.repeat(5_000))
  const { url } = await answering(() => ({ status: 200, body: text }))
  for (const takes of ['gzip', 'br, GZIP;q=0.5', '*', 'deflate;q=1, x-gzip']) {
    const answer = await ask(`${url}/it`, { 'accept-encoding': takes })
    expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    expect(answer.body.length).toBeLessThan(200)
    expect(gunzipSync(answer.body).toString()).toBe(text)
  }
  for (const takes of ['', 'br', 'gzip;q=0', 'gzip;q=0.000, *', 'identity']) {
    const answer = await ask(`${url}/it`, { 'accept-encoding': takes })
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.headers['vary']).toBe('accept-encoding')
    expect(answer.body.toString()).toBe(text)
  }
})

test('a small body is never packed', async () => {
  const { url } = await answering(() => ({ status: 200, body: 'a'.repeat(1_024) }))
  const answer = await ask(`${url}/it`, { 'accept-encoding': 'gzip' })
  expect(answer.headers['content-encoding']).toBeUndefined()
  expect(answer.body).toHaveLength(1_024)
})

test('every answer forbids guessing at its type and using it again unasked', async () => {
  const { url } = await answering(() => ({ status: 200, body: '{}' }))
  expect((await ask(`${url}/it`)).headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  })
  expect((await ask(`${url}/not`)).headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-type': 'application/problem+json',
  })
})

test('chunks are sent as they come', async () => {
  async function* lines(): AsyncGenerator<string> {
    for (let n = 0; n < 5_000; n++) yield `${n}\n`
  }
  const { url } = await answering(() => ({
    status: 200,
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines(),
  }))
  const text = await (await fetch(`${url}/it`)).text()
  expect(text.split('\n')).toHaveLength(5_001)
})

test('a body that fails midway breaks the connection, so that nobody takes it for whole', async () => {
  async function* failing(): AsyncGenerator<string> {
    yield 'first'
    throw new Error('secret of the inside')
  }
  const { port, log } = await answering(() => ({ status: 200, body: failing() }))
  const text = await exchangeRaw(port, 'GET /it HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(text).toMatch(/first/u)
  expect(text).not.toMatch(/\r\n0\r\n\r\n$/u)
  expect(log).toEqual(['error an answer failed {"reason":"Error: secret of the inside"}'])
})

test('what a handler throws is told to the log and not to the client', async () => {
  const { url, log } = await answering(() => {
    throw new Error('secret of the inside')
  })
  const answer = await fetch(`${url}/it`)
  expect(answer.status).toBe(500)
  expect(await answer.json()).toEqual({
    type: 'about:blank',
    title: 'Internal Server Error',
    status: 500,
    detail: 'The server failed on this request',
  })
  expect(log).toEqual(['error a request failed {"status":500,"reason":"Error: secret of the inside"}'])
})

test('a problem is sent as its handler says', async () => {
  const { url, log } = await answering(() => {
    throw new HttpProblem(400, 'No such\nstatus', {
      type: 'urn:x',
      title: 'Bad filter',
      members: { status: 1, at: 2 },
    })
  })
  const answer = await fetch(`${url}/it`)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toEqual({
    type: 'urn:x',
    title: 'Bad filter',
    status: 400,
    detail: 'No such status',
    at: 2,
  })
  expect(log).toEqual([])
})

test.each<StoreFault>(['full', 'io', 'busy', 'overloaded', 'read_only', 'closed'])(
  'a store that is %s makes the client come back',
  async (fault) => {
    const { url } = await answering(() => {
      throw new StoreError(fault, '/var/secret.db')
    })
    const answer = await fetch(`${url}/it`)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('6')
    expect(await answer.text()).not.toContain('secret')
  },
)

test('a damaged store is a problem of its own kind', async () => {
  const { url } = await answering(() => {
    throw new StoreError('corrupt', '/var/secret.db')
  })
  const answer = await fetch(`${url}/it`)
  expect(answer.status).toBe(500)
  expect(answer.headers.get('retry-after')).toBeNull()
  expect(await answer.json()).toMatchObject({ type: 'urn:agent-reach:problem:store-corrupt' })
})

test.each(['a\r\nSet-Cookie: x=1', 'a\nb', 'a\0b', 'ж'])(
  'the header value %j makes an answer of 500',
  async (value) => {
    const { port, log } = await answering((): HttpAnswer => ({
      status: 200,
      headers: { 'x-name': value },
      body: '{}',
    }))
    const text = await exchangeRaw(port, 'GET /it HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(text).toMatch(/^HTTP\/1.1 500 /u)
    expect(text.toLowerCase()).not.toContain('set-cookie')
    expect(log).toHaveLength(1)
  },
)

test('a body above the limit of its reader is refused before it has come, and the client sees it', async () => {
  const { port } = await serve()
  const head = 'POST /echo HTTP/1.1\r\nHost: localhost\r\n'
  const declared = await exchangeRaw(port, `${head}Content-Length: 100001\r\n\r\n${'a'.repeat(50_000)}`)
  expect(declared).toMatch(/^HTTP\/1.1 413 /u)
  const chunk = `${(60_000).toString(16)}\r\n${'a'.repeat(60_000)}\r\n`
  const counted = await exchangeRaw(port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`)
  expect(counted).toMatch(/^HTTP\/1.1 413 /u)
  expect(counted).toMatch(/connection: close/u)
})

test('the connection is kept where what was not wanted of a body is small', async () => {
  const { port } = await serve()
  const ask404 = `POST /not HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n${'a'.repeat(200_000)}`
  const text = await exchangeRaw(port, `${ask404}GET /echo?after HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  expect(text.match(/HTTP\/1.1 \d+/gu)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200'])
})
