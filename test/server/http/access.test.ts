import { expect, test } from 'vitest'
import { HttpServer } from '../../../src/server/http/http-server.ts'
import { exchangeRaw } from './raw-client.ts'
import { serve } from './serve.ts'

const routes = ['/healthz', '/readyz', '/api'].map((path) => ({
  method: 'GET',
  path,
  handler: () => ({ status: 200, body: '{}' }),
}))

test.each(['0.0.0.0', '::', '192.0.2.7', 'example.test', '10.127.0.1', '127.evil.test'])(
  'listening on %s needs a token',
  (host) => {
    const options = { routes, host, port: 0, log: () => undefined, random: () => 0 }
    const message = `Cannot listen on ${host}: expected a bearer token for an address that other machines reach, found none`
    expect(() => new HttpServer(options)).toThrow(new TypeError(message))
    expect(() => new HttpServer({ ...options, token: 'secret' })).not.toThrow()
  },
)

test.each(['127.0.0.1', '127.8.8.8', '::1', 'localhost'])('listening on %s needs no token', (host) => {
  expect(() => new HttpServer({ routes, host, port: 0, log: () => undefined, random: () => 0 })).not.toThrow()
})

test.each(['', 'with space', 'line\nbreak', 'grün'])('the token %j is refused', (token) => {
  expect(() => new HttpServer({ routes, port: 0, token, log: () => undefined, random: () => 0 })).toThrow(
    TypeError,
  )
})

test('with a token all but the probes need it', async () => {
  const { url } = await serve({ routes, token: 'tell-nobody' })
  const ask = async (path: string, authorization?: string): Promise<number> =>
    (await fetch(`${url}${path}`, authorization === undefined ? {} : { headers: { authorization } })).status
  expect(await ask('/api')).toBe(401)
  expect(await ask('/api', 'Bearer tell-nobody')).toBe(200)
  expect(await ask('/api', 'bearer  tell-nobody')).toBe(200)
  for (const wrong of [
    'Bearer tell-nobod',
    'Bearer tell-nobody2',
    'Bearer',
    'tell-nobody',
    'Basic tell-nobody',
  ]) {
    expect(await ask('/api', wrong)).toBe(401)
  }
  expect(await ask('/healthz')).toBe(200)
  expect(await ask('/readyz')).toBe(200)
  expect(await ask('/nowhere')).toBe(401)
  expect(await ask('/healthz/../api')).toBe(401)
})

test('the answer without a token tells how to bring one', async () => {
  const { url } = await serve({ routes, token: 'tell-nobody' })
  const answer = await fetch(`${url}/api`)
  expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(await answer.json()).toEqual({
    type: 'about:blank',
    title: 'Unauthorized',
    status: 401,
    detail: 'A bearer token is needed',
  })
})

test('without a token only the names of the own machine are answered', async () => {
  const { port } = await serve({ routes, allowedHosts: ['Reports.test'] })
  const ask = async (host: string): Promise<string> =>
    (await exchangeRaw(port, `GET /api HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).slice(9, 12)
  for (const host of [
    'localhost',
    `localhost:${port}`,
    'LOCALHOST',
    '127.0.0.1:80',
    '[::1]:4318',
    'reports.test:1',
  ]) {
    expect(await ask(host)).toBe('200')
  }
  for (const host of [
    'evil.test',
    'localhost.evil.test',
    'evil.test:4318',
    '127.0.0.2',
    '',
    '[::1].evil.test',
  ]) {
    expect(await ask(host)).toBe('421')
  }
})
