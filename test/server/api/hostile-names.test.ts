import { describe, expect, it } from 'vitest'
import { toReportName } from '../../../src/report/report-name.ts'
import type { ChainReport } from '../../../src/report/chain-report.ts'
import { createFailure, createNode, createReport, TRACE_ID } from '../../report/create-report.ts'
import { readEvents } from './event-stream.ts'
import { MemoryStore } from './memory-store.ts'
import { createOpenTraces, NOW_MS, type ServedApi, serveApi } from './serve-api.ts'

const hostile: readonly (readonly [string, string])[] = [
  ['lines that look like headers', 'a\r\nset-cookie: a=b\r\n\r\n<script>'],
  ['lines that look like events', 'a\n\nevent: chain\ndata: {}\n\n'],
  ['a carriage return alone', 'a\rid: 9\rb'],
  ['quotes and brackets', `"'\`</script>]]>|*_[x](javascript:alert(1))`],
  ['control characters', '\0\u0007\u001b[31m\u0085\u2028\u2029\u202e'],
  ['the name of the prototype', '__proto__'],
  ['the name of the constructor', 'constructor'],
  ['ten kilobytes', 'long name '.repeat(1_024)],
  ['halves of characters', '\ud800 \udc00'],
]

const chain = `/api/v1/chains/${toReportName(TRACE_ID, 'x')}`

function createHostile(text: string): ChainReport {
  return createReport({
    chain_id: 'x',
    task_id: text,
    session_id: text,
    service_name: text,
    agent_name: text,
    summary: text,
    root_cause: createFailure({ node_name: text, reason: text }),
    nodes: [createNode({ node_name: text, status: 'timed_out', reason: text })],
  })
}

async function serveHostile(text: string): Promise<ServedApi> {
  const store = new MemoryStore()
  store.put(createHostile(text), NOW_MS)
  const view = {
    traceId: TRACE_ID,
    firstSeenMs: NOW_MS,
    lastSeenMs: NOW_MS,
    spanCount: 1,
    closesMs: NOW_MS,
    revision: 0,
  }
  return serveApi(store, { openTraces: createOpenTraces([{ view, reports: [createHostile(text)] }]) })
}

function countLines(text: string): number {
  return text.split(/[\r\n\u0085\u2028\u2029]/u).length
}

describe.each(hostile)('names with %s', (_, text) => {
  it('stay what they are in JSON', async () => {
    const { get } = await serveHostile(text)
    const row = { task_id: text, service_name: text, summary: text, root_cause: { node_name: text } }
    expect((await get('/api/v1/chains')).json).toMatchObject({ items: [row] })
    expect((await get(chain)).json).toEqual(createHostile(text))
    expect((await get(`/api/v1/traces/${TRACE_ID}`)).json).toMatchObject({ items: [row] })
    expect((await get(`/api/v1/open/${TRACE_ID}`)).json).toMatchObject({ reports: [{ task_id: text }] })
    const { json } = await get('/api/v1/statistics/nodes')
    expect(json).toMatchObject({
      nodes: [{ node_name: text, failed_chains: 1 }],
      hours: [{ node_name: text }],
    })
  })

  it('stay one event of a stream', async () => {
    const { url } = await serveHostile(text)
    const response = await fetch(`${url}/api/v1/events?after=0`)
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    let read = ''
    while (!/data: [^\n]*\n\n$/u.test(read))
      read += decoder.decode((await reader.read()).value, { stream: true })
    await reader.cancel()
    const events = readEvents(read).filter(({ comment }) => comment === undefined)
    expect(events).toMatchObject([{ id: '1', type: 'chain' }])
    expect(JSON.parse(events[0]?.data ?? '')).toMatchObject({ task_id: text })
  })

  it('add no lines, markup or steering to a page', async () => {
    const { get } = await serveHostile(text)
    const plain = await serveHostile('plain')
    for (const format of ['markdown', 'text']) {
      const page = (await get(`${chain}?format=${format}`)).text
      expect(page.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\ufffd]/u)
      if (format === 'text') continue
      expect(countLines(page)).toBe(countLines((await plain.get(`${chain}?format=${format}`)).text))
      expect(page).not.toMatch(/<script>|[^\\]\]\(javascript/u)
    }
  })

  it('are not in a header', async () => {
    const { get } = await serveHostile(text)
    for (const path of [chain, `${chain}?format=markdown`, '/api/v1/chains']) {
      const { status, headers } = await get(path)
      expect(status).toBe(200)
      expect(headers.get('set-cookie')).toBeNull()
      expect([...headers.keys()].toSorted()).toEqual(
        expect.arrayContaining(['cache-control', 'content-type', 'etag']),
      )
    }
  })
})

// A half of a character cannot be written into an address.
const askable = hostile.filter(([, text]) => text.isWellFormed() && text.length < 4_096)

describe.each(askable)('a filter with %s', (_, text) => {
  it('finds what is named so', async () => {
    const { get } = await serveHostile(text)
    for (const parameter of ['service', 'agent', 'node', 'task_id', 'session_id']) {
      const { json } = await get(`/api/v1/chains?${parameter}=${encodeURIComponent(text)}`)
      expect(json).toMatchObject({ items: [{ task_id: text }] })
    }
  })

  it('is told back as one line where it cannot be one', async () => {
    const { get } = await serveHostile(text)
    const { status, headers, json } = await get(`/api/v1/chains?from=${encodeURIComponent(text)}`)
    expect(status).toBe(400)
    expect(headers.get('set-cookie')).toBeNull()
    const { detail, found } = json as { readonly detail: string; readonly found: string }
    expect(`${detail}${found}`).not.toMatch(/\p{Cc}/u)
    const name = await get(`/api/v1/chains?${encodeURIComponent(text)}=1`)
    expect(name.status).toBe(400)
    expect(name.text).not.toMatch(/\p{Cc}/u)
  })
})

describe('a name that is longer than any that is stored', () => {
  it('is refused', async () => {
    const { get } = await serveHostile('plain')
    const { status, json } = await get(`/api/v1/chains?service=${'x'.repeat(4_097)}`)
    expect(status).toBe(400)
    expect(json).toMatchObject({ parameter: 'service', expected: '1 to 4096 characters' })
    expect((json as { readonly found: string }).found).toHaveLength(101)
  })
})
