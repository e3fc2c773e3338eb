import { describe, expect, it } from 'vitest'
import { StoreError } from '../../../src/server/report-store.ts'
import { MemoryStore } from './memory-store.ts'
import { serveApi } from './serve-api.ts'

const good = { isShuttingDown: false, isIntakeFull: false }

describe('/healthz', () => {
  it('is ok while the process serves, also where nothing else goes', async () => {
    const store = new MemoryStore()
    store.fault = new StoreError('io', 'gone')
    const { get } = await serveApi(store, { state: { isShuttingDown: true, isIntakeFull: true } })
    const { status, json } = await get('/healthz?probe=1')
    expect(status).toBe(200)
    expect(json).toEqual({ status: 'ok' })
  })
})

describe('/readyz', () => {
  it('is ready where spans can be taken', async () => {
    const { get } = await serveApi()
    const { status, json, headers } = await get('/readyz')
    expect(status).toBe(200)
    expect(json).toEqual({ status: 'ready', reasons: [] })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it.each([
    ['the service ends', { ...good, isShuttingDown: true }, null, ['shutting_down']],
    ['the intake is full', { ...good, isIntakeFull: true }, null, ['intake_full']],
    ['the disk is full', good, new StoreError('full', 'no space for /secret/path'), ['store']],
    ['the store throws anything', good, new Error('no space for /secret/path'), ['store']],
    [
      'nothing goes',
      { isShuttingDown: true, isIntakeFull: true },
      new StoreError('closed', '/secret/path'),
      ['shutting_down', 'intake_full', 'store'],
    ],
  ])('is not ready where %s, and says so', async (_, state, fault, codes) => {
    const store = new MemoryStore()
    store.fault = fault
    const { get } = await serveApi(store, { state })
    const { status, json, text } = await get('/readyz')
    expect(status).toBe(503)
    expect(json).toMatchObject({ status: 'not_ready', reasons: codes.map((code) => ({ code })) })
    expect(text).not.toContain('secret')
  })

  it('names the kind of fault of the store', async () => {
    const store = new MemoryStore()
    store.fault = new StoreError('full', 'no space')
    const { get } = await serveApi(store)
    expect((await get('/readyz')).json).toMatchObject({
      reasons: [{ code: 'store', detail: 'The store cannot be written: full' }],
    })
  })
})
