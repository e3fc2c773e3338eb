import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { EventHub } from '../../../src/server/api/event-hub.ts'
import { ReportFeed } from '../../../src/server/report-feed.ts'
import { StoreError } from '../../../src/server/report-store.ts'
import { createGoodReport } from '../../report/create-report.ts'
import { readEvents } from './event-stream.ts'
import { MemoryStore } from './memory-store.ts'
import { NOW_MS, type ServedApi, serveApi } from './serve-api.ts'

afterEach(() => {
  vi.useRealTimers()
})

function putChain(store: MemoryStore, chainId: string, summary = 'fine'): void {
  store.put(createGoodReport({ chain_id: chainId, summary }), NOW_MS)
}

/** Stores a report as the service does: first it is durable, then it is told. */
function report({ store, feed }: Pick<ServedApi, 'store' | 'feed'>, chainId: string): void {
  putChain(store, chainId)
  feed.publish()
}

interface Stream {
  readonly status: number
  readonly headers: Headers
  /** Reads until there are so many events of a chain; tells their ids and chains. */
  chains(count: number): Promise<readonly string[]>
  /** Reads to the end. */
  end(): Promise<void>
  close(): Promise<void>
}

async function openStream(
  { url }: ServedApi,
  query = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<Stream> {
  const response = await fetch(`${url}/api/v1/events${query}`, { headers })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  let told = 0
  const listChains = (): readonly string[] =>
    readEvents(text.slice(0, text.lastIndexOf('\n\n') + 2))
      .filter(({ type }) => type === 'chain')
      .map(({ id, data = '' }) => `${id} ${(JSON.parse(data) as { readonly chain_id: string }).chain_id}`)
  onTestFinished(async () => reader.cancel().catch(() => {}))
  return {
    status: response.status,
    headers: response.headers,
    chains: async (count) => {
      while (listChains().length < told + count) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`Cannot read ${count} events: the stream has ended after ${text}`)
        text += decoder.decode(value, { stream: true })
      }
      const found = listChains().slice(told)
      told += found.length
      return found
    },
    end: async () => {
      while (!(await reader.read()).done);
    },
    close: async () => reader.cancel(),
  }
}

async function waitFor(condition: () => Promise<boolean>): Promise<void> {
  await vi.waitFor(async () => expect(await condition()).toBe(true), { timeout: 5_000 })
}

async function countClients({ get }: ServedApi): Promise<number> {
  return Number(/^agent_reach_event_clients (?<count>\d+)$/mu.exec((await get('/metrics')).text)?.[1])
}

describe('the stream of events', () => {
  it('tells of chains as they are reported, and not of those that were', async () => {
    const served = await serveApi()
    putChain(served.store, 'before')
    const stream = await openStream(served)
    expect(stream.status).toBe(200)
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    expect(stream.headers.get('cache-control')).toBe('no-store')
    report(served, 'one')
    report(served, 'two')
    expect(await stream.chains(2)).toEqual(['2 one', '3 two'])
    report(served, 'three')
    expect(await stream.chains(1)).toEqual(['4 three'])
  })

  it('has the row that the list has', async () => {
    const served = await serveApi()
    const response = await fetch(`${served.url}/api/v1/events?after=0`)
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    report(served, 'one')
    let text = ''
    while (!text.includes('event: chain')) text += new TextDecoder().decode((await reader.read()).value)
    await reader.cancel()
    const { items } = (await served.get('/api/v1/chains')).json as { readonly items: readonly unknown[] }
    const event = readEvents(text).find(({ type }) => type === 'chain')
    expect(JSON.parse(event?.data ?? '')).toEqual(items[0])
  })

  it.each([
    ['the header of a browser that comes back', '', { 'last-event-id': '1' }],
    ['the query', '?after=1', {}],
    ['the header before the query', '?after=0', { 'last-event-id': '1' }],
  ])('goes on after the last event that is known, by %s', async (_, query, headers) => {
    const served = await serveApi()
    for (const id of ['one', 'two', 'three']) putChain(served.store, id)
    const stream = await openStream(served, query, headers)
    expect(await stream.chains(2)).toEqual(['2 two', '3 three'])
    report(served, 'four')
    expect(await stream.chains(1)).toEqual(['4 four'])
  })

  it('tells of a chain that was reported again once, with its last report', async () => {
    const served = await serveApi()
    for (const id of ['one', 'two', 'one']) putChain(served.store, id)
    const stream = await openStream(served, '?after=0')
    expect(await stream.chains(2)).toEqual(['2 two', '3 one'])
  })

  it('reads what was missed page by page, and loses nothing on the way to what is new', async () => {
    const served = await serveApi()
    for (let at = 1; at <= 120; at++) putChain(served.store, `chain ${at}`)
    const stream = await openStream(served, '?after=0')
    const early = stream.chains(130)
    for (let at = 121; at <= 130; at++) report(served, `chain ${at}`)
    expect(await early).toEqual(Array.from({ length: 130 }, (_, at) => `${at + 1} chain ${at + 1}`))
  })

  it('begins with what comes where the id is of another store', async () => {
    const served = await serveApi()
    putChain(served.store, 'one')
    const stream = await openStream(served, '', { 'last-event-id': '999' })
    report(served, 'two')
    expect(await stream.chains(1)).toEqual(['2 two'])
  })

  it.each([
    ['?after=-1', {}, 'after'],
    ['?after=', {}, 'after'],
    ['?since=1', {}, 'since'],
    ['', { 'last-event-id': 'x' }, 'Last-Event-ID'],
  ])('is refused with %s and %j', async (query, headers, parameter) => {
    const { get } = await serveApi()
    const { status, json } = await get(`/api/v1/events${query}`, headers)
    expect(status).toBe(400)
    expect(json).toMatchObject({ parameter })
  })

  it('ends when the service ends, and no other begins', async () => {
    const served = await serveApi()
    const stream = await openStream(served)
    served.api.close()
    await stream.end()
    const { status, headers } = await served.get('/api/v1/events')
    expect(status).toBe(503)
    expect(headers.get('retry-after')).toBe('10')
    expect((await served.get('/healthz')).status).toBe(200)
  })

  it('gives its place back when the client goes away', async () => {
    const served = await serveApi()
    const stream = await openStream(served)
    expect(await countClients(served)).toBe(1)
    await stream.close()
    await waitFor(async () => (await countClients(served)) === 0)
  })

  it('is not opened for a question about its head', async () => {
    const served = await serveApi()
    const response = await fetch(`${served.url}/api/v1/events`, { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(await countClients(served)).toBe(0)
  })

  it('goes on with the next report after one that the store could not read', async () => {
    const served = await serveApi()
    const stream = await openStream(served)
    report(served, 'one')
    await stream.chains(1)
    served.store.fault = new StoreError('busy', 'locked')
    report(served, 'two')
    await new Promise(setImmediate)
    served.store.fault = null
    report(served, 'three')
    expect(await stream.chains(2)).toEqual(['2 two', '3 three'])
    expect((await served.get('/metrics')).text).toContain('\nagent_reach_event_read_failures_total 1\n')
  })

  it('is given up where the client does not read, and the client resumes', async () => {
    const served = await serveApi()
    const { hostname, port } = new URL(served.url)
    const socket = connect(Number(port), hostname)
    socket.pause()
    socket.write(`GET /api/v1/events HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    await waitFor(async () => (await countClients(served)) === 1)
    // More than the buffers of the system take, which is some megabytes.
    const summary = 'x'.repeat(200_000)
    for (let at = 0; at < 400 && (await countClients(served)) > 0; at++) {
      putChain(served.store, `chain ${at}`, summary)
      served.feed.publish()
    }
    expect(await countClients(served)).toBe(0)
    expect((await served.get('/metrics')).text).toContain('\nagent_reach_event_clients_dropped_total 1\n')
    const stream = await openStream(served, '?after=1')
    expect(await stream.chains(1)).toContain('2 chain 1')
  })

  it('is for a hundred clients, and others come later', async () => {
    const served = await serveApi()
    const streams = await Promise.all(Array.from({ length: 100 }, async () => openStream(served)))
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200))
    expect((await served.get('/api/v1/events')).status).toBe(503)
    report(served, 'one')
    const told = await Promise.all(streams.map(async (stream) => stream.chains(1)))
    expect(new Set(told.flat())).toEqual(new Set(['1 one']))
    await streams[0]?.close()
    await waitFor(async () => (await countClients(served)) === 99)
    expect((await openStream(served)).status).toBe(200)
  })
})

describe('EventHub', () => {
  function createHub(): { readonly hub: EventHub; readonly store: MemoryStore; readonly feed: ReportFeed } {
    const store = new MemoryStore()
    const feed = new ReportFeed()
    return { hub: new EventHub(store, feed), store, feed }
  }

  it('sends a comment every 15 seconds', async () => {
    vi.useFakeTimers()
    const client = createHub().hub.open(null, new AbortController().signal)
    expect(readEvents(String((await client?.next())?.value))).toMatchObject([
      { id: '0', data: undefined, comment: 'agent-reach' },
    ])
    const next = client?.next()
    await vi.advanceTimersByTimeAsync(14_999)
    expect(await Promise.race([next, Promise.resolve('nothing yet')])).toBe('nothing yet')
    await vi.advanceTimersByTimeAsync(1)
    expect(String((await next)?.value)).toBe(': heartbeat\n\n')
  })

  it('tells with a heartbeat what nobody told it', async () => {
    vi.useFakeTimers()
    const { hub, store } = createHub()
    const client = hub.open(null, new AbortController().signal)
    await client?.next()
    const next = client?.next()
    putChain(store, 'one')
    await vi.advanceTimersByTimeAsync(15_000)
    expect(readEvents(String((await next)?.value))[0]).toMatchObject({ id: '1', type: 'chain' })
  })

  it('gives a client up that leaves eight heartbeats where they are', async () => {
    vi.useFakeTimers()
    const client = createHub().hub.open(null, new AbortController().signal)
    await vi.advanceTimersByTimeAsync(9 * 15_000)
    expect(await client?.next()).toEqual({ done: true, value: undefined })
  })

  it('keeps no timer where nobody listens', async () => {
    vi.useFakeTimers()
    const client = createHub().hub.open(null, new AbortController().signal)
    expect(vi.getTimerCount()).toBe(1)
    await client?.return()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends the stream of a request that was given up before', async () => {
    const client = createHub().hub.open(null, AbortSignal.abort())
    expect(await client?.next()).toEqual({ done: true, value: undefined })
  })

  it('ends a stream whose backlog cannot be read, with the reason', async () => {
    const { hub, store } = createHub()
    const client = hub.open(0, new AbortController().signal)
    await client?.next()
    store.fault = new StoreError('closed', 'closed')
    await expect(client?.next()).rejects.toThrow('closed')
    expect(hub.metrics()[0]?.samples).toEqual([{ value: 0 }])
  })
})

describe('ReportFeed', () => {
  it('tells every listener until it has ended, also after one that throws', () => {
    const feed = new ReportFeed()
    const listener = vi.fn()
    feed.subscribe(() => {
      throw new Error('broken page')
    })
    const end = feed.subscribe(listener)
    feed.publish()
    end()
    feed.publish()
    expect(listener).toHaveBeenCalledOnce()
  })
})
