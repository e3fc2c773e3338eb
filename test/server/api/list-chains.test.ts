import { describe, expect, it } from 'vitest'
import { toReportName } from '../../../src/report/report-name.ts'
import { StoreError } from '../../../src/server/report-store.ts'
import { createGoodReport, createNode, createReport } from '../../report/create-report.ts'
import { MemoryStore } from './memory-store.ts'
import { NOW_MS, type ServedApi, serveApi } from './serve-api.ts'

interface ChainPage {
  readonly items: readonly { readonly name: string; readonly chain_id: string }[]
  readonly next_cursor: string | null
}

function traceId(at: number): string {
  return at.toString(16).padStart(32, 'a')
}

/** Three chains: `good` is the oldest, then `broken`, then `free`, which has no known cost. */
async function serveThree(): Promise<ServedApi> {
  const store = new MemoryStore()
  store.put(
    createGoodReport({
      trace_id: traceId(1),
      chain_id: 'good',
      started_at: '2026-11-30T10:00:00.000000Z',
      service_name: 'shop',
      session_id: 's-1',
      estimated_cost_usd: 0.5,
      nodes: [createNode({ node_name: 'plan' })],
    }),
    NOW_MS,
  )
  store.put(
    createReport({ trace_id: traceId(2), chain_id: 'broken', started_at: '2026-11-30T11:00:00.000000Z' }),
    NOW_MS,
  )
  store.put(
    createGoodReport({
      trace_id: traceId(3),
      chain_id: 'free',
      started_at: '2026-11-30T11:30:00.000000Z',
      agent_name: 'router',
      task_id: 'task ü',
      estimated_cost_usd: null,
    }),
    NOW_MS,
  )
  return serveApi(store)
}

async function listIds({ get }: ServedApi, query: string): Promise<readonly string[]> {
  const { status, json, text } = await get(`/api/v1/chains${query}`)
  expect(status, text).toBe(200)
  return (json as ChainPage).items.map(({ chain_id }) => chain_id)
}

describe('the list of chains', () => {
  it('tells of each chain what its report says, the newest first', async () => {
    const served = await serveThree()
    const { json, headers } = await served.get('/api/v1/chains')
    const { items, next_cursor } = json as ChainPage
    expect(items.map(({ chain_id }) => chain_id)).toEqual(['free', 'broken', 'good'])
    expect(next_cursor).toBeNull()
    expect(headers.get('content-type')).toBe('application/json')
    expect(items[1]).toEqual({
      name: toReportName(traceId(2), 'broken'),
      trace_id: traceId(2),
      chain_id: 'broken',
      revision: 1,
      overall_status: 'partial_failed',
      completeness: 'complete',
      summary: 'order_query returned an invalid result after 2 retries: /order_id is missing',
      service_name: 'support-agent',
      agent_name: 'support',
      task_id: 'task-001',
      session_id: null,
      started_at: '2026-11-30T11:00:00.000000Z',
      ended_at: '2026-11-30T12:00:18.420000Z',
      total_latency_ms: 18420,
      step_count: 17,
      token_count: 8123,
      estimated_cost_usd: 0.084,
      root_cause: { node_name: 'order_query', code: 'schema_violation' },
      findings: ['loop', 'schema_violation'],
      alerts: ['loop'],
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/u),
    })
  })

  it.each([
    ['?status=success', ['free', 'good']],
    ['?status=success&status=partial_failed', ['free', 'broken', 'good']],
    ['?status=failed', []],
    ['?service=shop', ['good']],
    ['?agent=router', ['free']],
    ['?node=order_query', ['broken']],
    ['?node=order_query&node_status=reached', []],
    ['?node=format_reply&node_status=skipped', ['broken']],
    ['?finding=schema_violation', ['broken']],
    ['?alert=loop', ['broken']],
    ['?task_id=task+%C3%BC', ['free']],
    ['?session_id=s-1', ['good']],
    [`?trace_id=${traceId(3).toUpperCase()}`, ['free']],
    ['?from=2026-11-30T11:00:00Z', ['free', 'broken']],
    ['?from=2026-11-30T12:00:00%2B01:00', ['free', 'broken']],
    ['?to=2026-11-30T11:00:00Z', ['good']],
    ['?from=1796036400000&to=1796038200000', ['broken']],
    ['?min_cost_usd=0.1', ['good']],
    ['?max_cost_usd=0.1', ['broken']],
    ['?min_cost_usd=0&max_cost_usd=1', ['broken', 'good']],
  ])('with %s has the chains that are asked for', async (query, expected) => {
    expect(await listIds(await serveThree(), query)).toEqual(expected)
  })

  it('is read page by page, each chain once, also where chains start at the same time', async () => {
    const store = new MemoryStore()
    for (let at = 1; at <= 7; at++) {
      store.put(createGoodReport({ trace_id: traceId(at), chain_id: `chain ${at}` }), NOW_MS)
    }
    const { get } = await serveApi(store)
    const seen: string[][] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const { json } = await get(`/api/v1/chains?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`)
      const page = json as ChainPage
      seen.push(page.items.map(({ chain_id }) => chain_id))
      cursor = page.next_cursor
    }
    expect(seen).toEqual([['chain 1', 'chain 2', 'chain 3'], ['chain 4', 'chain 5', 'chain 6'], ['chain 7']])
  })

  it('has no next page where the last one is full', async () => {
    const served = await serveThree()
    const { json } = await served.get('/api/v1/chains?limit=3')
    expect((json as ChainPage).next_cursor).toBeNull()
  })

  it.each([
    ['?colour=red', 'colour', /^one of status, service, agent/u, 'an unknown name'],
    ['?__proto__=1', '__proto__', /^one of status/u, 'an unknown name'],
    ['?constructor=1', 'constructor', /^one of status/u, 'an unknown name'],
    ['?status=good', 'status', 'success, partial_failed, failed', "'good'"],
    ['?status=success&status=', 'status', 'success, partial_failed, failed', "''"],
    ['?service=', 'service', '1 to 4096 characters', "''"],
    ['?service=a&service=b', 'service', 'one value', '2 values'],
    ['?node=a&node_status=broken', 'node_status', /^reached, reached_invalid/u, "'broken'"],
    ['?node_status=reached', 'node_status', 'a node beside it', 'none'],
    ['?finding=DROP%20TABLE', 'finding', 'a code such as empty_result', "'DROP TABLE'"],
    ['?trace_id=12', 'trace_id', '32 hex digits', "'12'"],
    ['?from=yesterday', 'from', /^a time such as 2026-11-30T12:00:00Z/u, "'yesterday'"],
    ['?from=2&to=1', 'to', 'a time at or after from', 'an earlier one'],
    ['?min_cost_usd=-1', 'min_cost_usd', 'a number of US dollars such as 0.25', "'-1'"],
    ['?max_cost_usd=1e999', 'max_cost_usd', 'a number of US dollars such as 0.25', "'1e999'"],
    ['?min_cost_usd=2&max_cost_usd=1', 'max_cost_usd', 'at least min_cost_usd', 'less'],
    ['?limit=0', 'limit', 'a whole number from 1 to 500', "'0'"],
    ['?limit=501', 'limit', 'a whole number from 1 to 500', "'501'"],
    ['?limit=1.0', 'limit', 'a whole number from 1 to 500', "'1.0'"],
    ['?cursor=%20', 'cursor', 'a next_cursor of a page before', "' '"],
    ['?cursor=AAAA', 'cursor', 'a next_cursor of a page before', "'AAAA'"],
  ])('refuses %s, and tells what is wrong with it', async (query, parameter, expected, found) => {
    const { get } = await serveApi()
    const { status, headers, json } = await get(`/api/v1/chains${query}`)
    expect(status).toBe(400)
    expect(headers.get('content-type')).toBe('application/problem+json')
    const problem = json as Readonly<Record<string, string>>
    expect(problem).toMatchObject({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      parameter,
      found,
    })
    expect(problem['expected']).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    )
    expect(problem['detail']).toBe(
      `Cannot read parameter ${parameter}: expected ${problem['expected']}, found ${found}`,
    )
  })

  it('is refused as a problem that passes where the store cannot read', async () => {
    const served = await serveThree()
    served.store.fault = new StoreError('busy', 'locked: /var/lib/agent-reach/store.db')
    const { status, text, headers } = await served.get('/api/v1/chains')
    expect(status).toBe(503)
    expect(headers.get('retry-after')).toMatch(/^\d+$/u)
    expect(text).not.toContain('/var/lib')
  })
})
