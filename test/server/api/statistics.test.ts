import { describe, expect, it } from 'vitest'
import { createGoodReport, createNode, createReport } from '../../report/create-report.ts'
import { MemoryStore } from './memory-store.ts'
import { NOW_MS, type ServedApi, serveApi } from './serve-api.ts'

/** Three chains in two hours, with a query that fails in one of two, and an older chain. */
async function serveHours(): Promise<ServedApi> {
  const store = new MemoryStore()
  const query = {
    node_name: 'query',
    kind: 'tool',
    calls: 2,
    token_count: 0,
    estimated_cost_usd: null,
  } as const
  store.put(
    createGoodReport({
      chain_id: 'one',
      started_at: '2026-11-30T10:10:00.000000Z',
      nodes: [
        createNode({ ...query, latency_ms: 100.5, retry_count: 1 }),
        createNode({ node_name: 'plan', latency_ms: 10, token_count: 5, estimated_cost_usd: 0.25 }),
      ],
    }),
    NOW_MS,
  )
  store.put(
    createReport({
      chain_id: 'two',
      started_at: '2026-11-30T10:50:00.000000Z',
      nodes: [createNode({ ...query, latency_ms: 200, status: 'timed_out' })],
    }),
    NOW_MS,
  )
  store.put(
    createReport({
      chain_id: 'three',
      started_at: '2026-11-30T11:00:00.000000Z',
      nodes: [createNode({ ...query, calls: 0, latency_ms: 0, status: 'skipped' })],
    }),
    NOW_MS,
  )
  store.put(
    createGoodReport({
      chain_id: 'old',
      started_at: '2026-11-23T11:59:59.000000Z',
      nodes: [createNode({ node_name: 'old' })],
    }),
    NOW_MS,
  )
  return serveApi(store)
}

const planTotal = {
  node_name: 'plan',
  chains: 1,
  failed_chains: 0,
  skipped_chains: 0,
  failure_share: 0,
  calls: 1,
  retry_count: 0,
  mean_latency_ms: 10,
  token_count: 5,
  estimated_cost_usd: 0.25,
}

describe('the statistics of nodes', () => {
  it('are of the last seven days, those first that failed most', async () => {
    const { get } = await serveHours()
    const { json } = await get('/api/v1/statistics/nodes')
    expect(json).toMatchObject({ from: '2026-11-23T12:00:00.000000Z', to: null, is_cut: false })
    expect((json as { readonly nodes: unknown }).nodes).toEqual([
      {
        node_name: 'query',
        chains: 3,
        failed_chains: 1,
        skipped_chains: 1,
        failure_share: 0.5,
        calls: 4,
        retry_count: 1,
        mean_latency_ms: 75.125,
        token_count: 0,
        estimated_cost_usd: 0,
      },
      planTotal,
    ])
  })

  it('have a row for each hour, node and state', async () => {
    const { get } = await serveHours()
    const { hours } = (await get('/api/v1/statistics/nodes')).json as {
      readonly hours: readonly Readonly<Record<string, unknown>>[]
    }
    expect(hours[0]).toEqual({
      hour: '2026-11-30T11:00:00.000000Z',
      node_name: 'query',
      status: 'skipped',
      chains: 1,
      calls: 0,
      retry_count: 0,
      latency_ms: 0,
      token_count: 0,
      estimated_cost_usd: 0,
    })
    const earlier = hours.slice(1).map(({ hour, node_name, status }) => [hour, node_name, status])
    expect(earlier).toHaveLength(3)
    expect(earlier).toContainEqual(['2026-11-30T10:00:00.000000Z', 'query', 'timed_out'])
    expect(earlier).toContainEqual(['2026-11-30T10:00:00.000000Z', 'query', 'reached'])
    expect(earlier).toContainEqual(['2026-11-30T10:00:00.000000Z', 'plan', 'reached'])
  })

  it('are of the time and the chains that are asked for', async () => {
    const { get } = await serveHours()
    const range = 'from=2026-11-30T10:00:00Z&to=2026-11-30T10:30:00Z'
    const { json } = await get(`/api/v1/statistics/nodes?${range}&status=success`)
    expect(json).toMatchObject({
      from: '2026-11-30T10:00:00.000000Z',
      to: '2026-11-30T10:30:00.000000Z',
      nodes: [planTotal, { node_name: 'query', chains: 1, failure_share: 0, mean_latency_ms: 50.25 }],
    })
  })

  it('are of one node where it is named, whatever else is in its chains', async () => {
    const { get } = await serveHours()
    const { json } = await get('/api/v1/statistics/nodes?node=plan')
    expect(json).toMatchObject({ nodes: [planTotal], hours: [{ node_name: 'plan' }] })
    expect((json as { readonly hours: readonly unknown[] }).hours).toHaveLength(1)
  })

  it('tell no share of a node that is always skipped, nor the time of a call that is never made', async () => {
    const { get } = await serveHours()
    const { json } = await get('/api/v1/statistics/nodes?from=2026-11-30T11:00:00Z')
    expect(json).toMatchObject({ nodes: [{ failure_share: null, mean_latency_ms: null }] })
  })

  it('refuse what lists have and they have not', async () => {
    const { get } = await serveHours()
    expect((await get('/api/v1/statistics/nodes?limit=3')).json).toMatchObject({ parameter: 'limit' })
  })
})

describe('the statistics of chains', () => {
  it('count every chain by its status', async () => {
    const { get } = await serveHours()
    expect((await get('/api/v1/statistics/chains')).json).toEqual({
      chains: 4,
      items: [
        { overall_status: 'success', chains: 2 },
        { overall_status: 'partial_failed', chains: 2 },
        { overall_status: 'failed', chains: 0 },
      ],
    })
  })

  it('count the chains that are asked for', async () => {
    const { get } = await serveHours()
    expect((await get('/api/v1/statistics/chains?from=2026-11-30T10:30:00Z')).json).toMatchObject({
      chains: 2,
    })
  })
})
