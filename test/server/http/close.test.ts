import { expect, test } from 'vitest'
import type { HttpHandler } from '../../../src/server/http/http-handler.ts'
import { openRaw, statusesOf } from './raw-client.ts'
import { serve } from './serve.ts'

/** A handler that answers when it is told to. */
function holding(): {
  readonly handler: HttpHandler
  readonly letGo: () => void
  readonly signals: AbortSignal[]
} {
  let letGo: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const signals: AbortSignal[] = []
  const handler: HttpHandler = async ({ signal }) => {
    signals.push(signal)
    await held
    return { status: 200, body: '{"done":true}' }
  }
  return { handler, letGo, signals }
}

const slow = 'GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n'

test('what is in work is answered before the end, and nothing new is taken', async () => {
  const { handler, letGo } = holding()
  const { server, port } = await serve({ routes: [{ method: 'GET', path: '/slow', handler }] })
  const client = await openRaw(port)
  client.send(slow)
  await expect.poll(() => server.requestsInFlight).toBe(1)
  const closed = server.close(10_000)
  await expect(fetch(`http://127.0.0.1:${port}/slow`)).rejects.toThrow('fetch failed')
  letGo()
  const text = await client.closed
  expect(text).toMatch(/^HTTP\/1.1 200 /u)
  expect(text).toMatch(/connection: close/iu)
  expect(text).toMatch(/\{"done":true\}$/u)
  await closed
})

test('a request on a kept connection is told to come back', async () => {
  const { handler, letGo } = holding()
  const { server, port } = await serve({ routes: [{ method: 'GET', path: '/slow', handler }] })
  const busy = await openRaw(port)
  const kept = await openRaw(port)
  kept.send('GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await kept.until(/404/u)
  busy.send(slow)
  await expect.poll(() => server.requestsInFlight).toBe(1)
  const closed = server.close(10_000)
  kept.send(slow)
  const text = await kept.closed
  expect(statusesOf(text)).toEqual([404, 503])
  expect(text).toMatch(/retry-after: 6\r\n/u)
  expect(text).toMatch(/connection: close\r\n/u)
  letGo()
  await closed
  expect(statusesOf(await busy.closed)).toEqual([200])
})

test('connections on which nothing happens do not hold up the end', async () => {
  const { server, port } = await serve()
  const silent = await openRaw(port)
  const kept = await openRaw(port)
  kept.send('GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await kept.until(/200/u)
  const before = performance.now()
  await server.close(30_000)
  expect(performance.now() - before).toBeLessThan(5_000)
  await Promise.all([silent.closed, kept.closed])
  expect(server.openConnections).toBe(0)
})

test('at the deadline everything is cut', async () => {
  const { handler, signals } = holding()
  const { server, port } = await serve({ routes: [{ method: 'GET', path: '/slow', handler }] })
  const client = await openRaw(port)
  client.send(slow)
  await expect.poll(() => server.requestsInFlight).toBe(1)
  const before = performance.now()
  await server.close(300)
  expect(performance.now() - before).toBeGreaterThanOrEqual(290)
  expect(await client.closed).toBe('')
  expect(signals[0]?.aborted).toBe(true)
  expect(server.requestsInFlight).toBe(0)
})

test('to close twice is to close once', async () => {
  const { server } = await serve()
  await Promise.all([server.close(1_000), server.close(1_000)])
  await server.close(1_000)
})

test('a handler is told when its client goes away, and not when it was answered', async () => {
  const { handler, letGo, signals } = holding()
  const { server, port, log } = await serve({ routes: [{ method: 'GET', path: '/slow', handler }] })
  const gone = await openRaw(port)
  gone.send(slow)
  const staying = await openRaw(port)
  staying.send(slow)
  await expect.poll(() => server.requestsInFlight).toBe(2)
  gone.socket.destroy()
  await expect.poll(() => server.requestsInFlight).toBe(1)
  letGo()
  await staying.until(/done/u)
  await expect.poll(() => server.requestsInFlight).toBe(0)
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
  expect(log).toEqual([])
  staying.socket.destroy()
})

test('requests that wait behind another one on their connection end with it', async () => {
  const { handler } = holding()
  const { server, port } = await serve({ routes: [{ method: 'GET', path: '/slow', handler }] })
  const client = await openRaw(port)
  client.send(slow.repeat(20))
  await expect.poll(() => server.requestsInFlight).toBe(20)
  client.socket.destroy()
  await expect.poll(() => server.requestsInFlight).toBe(0)
})

test('an address that is taken is an error', async () => {
  const { port } = await serve()
  await expect(serve({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
