import { describe, expect, it } from 'vitest'
import type { OpenTraceView } from '../../../src/server/open-traces.ts'
import { createGoodReport } from '../../report/create-report.ts'
import { MemoryStore } from './memory-store.ts'
import { createOpenTraces, NOW_MS, type ServedApi, serveApi } from './serve-api.ts'

const OPEN = 'b'.repeat(32)
const REOPENED = 'c'.repeat(32)
const CLOSED = 'd'.repeat(32)

function createView(overrides: Partial<OpenTraceView>): OpenTraceView {
  return {
    traceId: OPEN,
    firstSeenMs: NOW_MS - 2_000,
    lastSeenMs: NOW_MS - 500,
    spanCount: 3,
    closesMs: NOW_MS + 4_500,
    revision: 0,
    ...overrides,
  }
}

const openRow = {
  trace_id: OPEN,
  first_seen_at: '2026-11-30T11:59:58.000000Z',
  last_seen_at: '2026-11-30T11:59:59.500000Z',
  closes_at: '2026-11-30T12:00:04.500000Z',
  span_count: 3,
  revision: 0,
}
const provisional = createGoodReport({ trace_id: OPEN, chain_id: 'run', completeness: 'partial' })

async function serveOpen(): Promise<ServedApi> {
  const store = new MemoryStore()
  store.put(createGoodReport({ trace_id: REOPENED, chain_id: 'run' }), NOW_MS)
  store.put(createGoodReport({ trace_id: CLOSED, chain_id: 'one' }), NOW_MS)
  store.put(createGoodReport({ trace_id: CLOSED, chain_id: 'two' }), NOW_MS)
  const openTraces = createOpenTraces([
    { view: createView({}), reports: [provisional] },
    { view: createView({ traceId: REOPENED, revision: 1 }), reports: [] },
  ])
  return serveApi(store, { openTraces })
}

describe('open traces', () => {
  it('are listed with when they will be closed', async () => {
    const { get } = await serveOpen()
    expect((await get('/api/v1/open')).json).toEqual({
      items: [openRow, { ...openRow, trace_id: REOPENED, revision: 1 }],
    })
    expect((await get('/api/v1/open?limit=1')).json).toEqual({ items: [openRow] })
  })

  it('give the reports that they would have now, which nobody is to keep', async () => {
    const { get } = await serveOpen()
    const { json, headers } = await get(`/api/v1/open/${OPEN}`)
    expect(json).toEqual({ trace_id: OPEN, open: openRow, reports: [provisional] })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('are missed with a problem once they are closed', async () => {
    const { get } = await serveOpen()
    const { status, json } = await get(`/api/v1/open/${CLOSED}`)
    expect(status).toBe(404)
    expect(json).toMatchObject({ detail: `Trace ${CLOSED} is not open` })
  })
})

describe('a trace', () => {
  it('that is open and was never reported has no chains yet', async () => {
    const { get } = await serveOpen()
    expect((await get(`/api/v1/traces/${OPEN.toUpperCase()}`)).json).toEqual({
      trace_id: OPEN,
      open: openRow,
      items: [],
      next_cursor: null,
    })
  })

  it('that is open again has its chains of before', async () => {
    const { get } = await serveOpen()
    expect((await get(`/api/v1/traces/${REOPENED}`)).json).toMatchObject({
      open: { revision: 1 },
      items: [{ chain_id: 'run' }],
    })
  })

  it('that is closed has its chains, page by page where they are many', async () => {
    const { get } = await serveOpen()
    const first = (await get(`/api/v1/traces/${CLOSED}?limit=1`)).json as { readonly next_cursor: string }
    expect(first).toMatchObject({ open: null, items: [{ chain_id: expect.any(String) }] })
    const second = await get(`/api/v1/traces/${CLOSED}?limit=1&cursor=${first.next_cursor}`)
    expect(second.json).toMatchObject({ items: [{ trace_id: CLOSED }], next_cursor: null })
    expect(second.json).not.toMatchObject(first)
  })

  it('of which nothing is known is missed with a problem', async () => {
    const { get } = await serveOpen()
    const { status, json } = await get(`/api/v1/traces/${'e'.repeat(32)}`)
    expect(status).toBe(404)
    expect(json).toMatchObject({ detail: `Trace ${'e'.repeat(32)} is not stored` })
  })

  it('without an id that can be one is refused', async () => {
    const { get } = await serveOpen()
    expect((await get('/api/v1/traces/zz')).json).toMatchObject({ status: 400, parameter: 'trace_id' })
    expect((await get('/api/v1/open/zz')).json).toMatchObject({ status: 400, parameter: 'trace_id' })
  })
})
