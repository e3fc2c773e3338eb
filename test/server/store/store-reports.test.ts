import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChainReport } from '../../../src/report/chain-report.ts'
import type { ChainFilter, ReportStore } from '../../../src/server/report-store.ts'
import { createFinding, createGoodReport, createNode } from '../../report/create-report.ts'
import {
  createCommit,
  nameOf,
  newStorePath,
  NOON_MS,
  openAt,
  reportOf,
  storeReported,
  traceId,
} from './store-samples.ts'

let store: ReportStore

beforeEach(async () => {
  store = await openAt(newStorePath())
})

afterEach(() => store.close())

function good(trace: number, overrides: Partial<ChainReport> = {}): ChainReport {
  return createGoodReport({ trace_id: traceId(trace), chain_id: 'main', revision: 1, ...overrides })
}

/** The traces of the chains that a filter finds, by their numbers. */
function find(filter: ChainFilter): readonly number[] {
  return store.listChains(filter, 100, null).map((chain) => Number.parseInt(chain.traceId, 16))
}

describe('a stored report', () => {
  it('is given back as it was written, with what a list shows of it', async () => {
    const report = await storeReported(store, 1, {
      started_at: '2026-11-30T12:00:00.420999Z',
      session_id: 's',
    })
    const name = nameOf(1)
    expect(store.getReport(name)).toEqual({
      name,
      revision: 1,
      digest: report.digest,
      storedMs: NOON_MS,
      json: JSON.stringify(report),
    })
    expect(store.getChain(name)).toEqual({
      name,
      traceId: traceId(1),
      chainId: 'main',
      revision: 1,
      status: report.overall_status,
      completeness: report.completeness,
      summary: report.summary,
      service: report.service_name,
      agent: report.agent_name,
      taskId: report.task_id,
      sessionId: 's',
      startedMs: NOON_MS + 420,
      endedMs: Date.parse(report.ended_at),
      latencyMs: report.total_latency_ms,
      stepCount: report.step_count,
      tokenCount: report.token_count,
      costUsd: report.estimated_cost_usd,
      rootCauseNode: 'order_query',
      rootCauseCode: 'schema_violation',
      findings: ['schema_violation', 'loop'],
      alerts: ['loop'],
      digest: report.digest,
    })
    expect(store.getReport('nothing')).toBeNull()
    expect(store.getChain('nothing')).toBeNull()
  })

  it('makes no revision where its canonical form is the one that is stored', async () => {
    const report = await storeReported(store, 1)
    store.commitTrace(createCommit(1, { reports: [reportOf(1, { revision: 2 })] }))
    expect(store.listRevisions(nameOf(1))).toEqual([
      { name: nameOf(1), revision: 1, digest: report.digest, storedMs: NOON_MS },
    ])
    expect(store.lastChange()).toBe(1)
    expect(store.revisionOf(traceId(1))).toBe(1)
  })

  it('makes one where what was partial is so no more, which the canonical form does not say', async () => {
    const partial = { completeness: 'partial', completeness_reason: 'idle' } as const
    await storeReported(store, 1, partial)
    store.commitTrace(createCommit(1, { reports: [reportOf(1, { ...partial, revision: 2 })] }))
    expect(store.listRevisions(nameOf(1))).toHaveLength(1)
    store.commitTrace(createCommit(1, { reports: [reportOf(1, { revision: 2, completeness: 'amended' })] }))
    expect(store.listRevisions(nameOf(1)).map(({ revision }) => revision)).toEqual([2, 1])
    expect(store.getChain(nameOf(1))).toMatchObject({ completeness: 'amended', revision: 2 })
  })

  it('keeps older ones by the revision that they carry', async () => {
    await storeReported(store, 1)
    const later = good(1, { revision: 2 })
    store.commitTrace(createCommit(1, { reports: [later], nowMs: NOON_MS + 60_000 }))
    const name = nameOf(1)
    expect(store.listRevisions(name).map(({ revision, storedMs }) => [revision, storedMs])).toEqual([
      [2, NOON_MS + 60_000],
      [1, NOON_MS],
    ])
    expect(store.getReport(name)?.json).toBe(JSON.stringify(later))
    expect(store.getReport(name, 1)?.json).toBe(JSON.stringify(reportOf(1)))
    expect(store.getReport(name, 3)).toBeNull()
    expect(store.getChain(name)).toMatchObject({ status: 'success', revision: 2, alerts: [], findings: [] })
    expect(store.listChains({ finding: 'loop' }, 10, null)).toEqual([])
    expect(store.revisionOf(traceId(1))).toBe(2)
    expect(store.info()).toMatchObject({ chains: 1, revisions: 1, traces: 1, unreportedTraces: 0 })
    expect(store.verify()).toEqual([])
  })
})

describe('listChanges()', () => {
  it('gives each chain once, by its latest report, in the order of storing', async () => {
    expect(store.lastChange()).toBe(0)
    for (const trace of [1, 2, 3]) await storeReported(store, trace)
    store.commitTrace(createCommit(1, { reports: [good(1, { revision: 2 })] }))
    const changes = store.listChanges(0, 10)
    expect(changes.map(({ number, chain }) => [number, chain.traceId, chain.revision])).toEqual([
      [2, traceId(2), 1],
      [3, traceId(3), 1],
      [4, traceId(1), 2],
    ])
    expect(store.listChanges(3, 10)).toHaveLength(1)
    expect(store.listChanges(0, 2)).toHaveLength(2)
    expect(store.lastChange()).toBe(4)
  })
})

describe('listChains()', () => {
  it('gives pages from the newest on, equal starts by name', async () => {
    for (const [trace, second] of [
      [1, 5],
      [2, 7],
      [3, 5],
      [4, 5],
      [5, 1],
    ] as const) {
      await storeReported(store, trace, { started_at: `2026-11-30T12:00:0${second}.000000Z` })
    }
    expect(find({})).toEqual([2, 1, 3, 4, 5])
    const seen: string[] = []
    for (let page = store.listChains({}, 2, null); page.length > 0;) {
      seen.push(...page.map(({ name }) => name))
      const last = page[page.length - 1]
      if (last !== undefined) page = store.listChains({}, 2, { startedMs: last.startedMs, name: last.name })
    }
    expect(seen).toEqual([2, 1, 3, 4, 5].map(nameOf))
  })

  it('finds what is asked for, and nothing that only looks like it', async () => {
    await storeReported(store, 1, {
      overall_status: 'failed',
      service_name: 'shop',
      agent_name: 'a',
      task_id: 't1',
      session_id: 's1',
    })
    await storeReported(store, 2, {
      ...good(2),
      service_name: `shop' OR 1=1 --`,
      agent_name: 'b',
      task_id: 't2',
      session_id: null,
      estimated_cost_usd: 0.5,
      started_at: '2026-11-30T13:00:00.000000Z',
    })
    await storeReported(store, 3, {
      overall_status: 'partial_failed',
      service_name: null,
      agent_name: null,
      task_id: null,
      estimated_cost_usd: null,
      started_at: '2026-11-30T14:00:00.000000Z',
      nodes: [
        createNode({ node_name: 'order_query' }),
        createNode({ node_name: 'pay', status: 'timed_out' }),
      ],
      findings: [createFinding({ code: 'empty_result', severity: 'info' })],
      alerts: [],
    })
    const hour = 3_600_000
    const cases: readonly (readonly [ChainFilter, readonly number[]])[] = [
      [{ status: ['failed'] }, [1]],
      [{ status: ['failed', 'partial_failed'] }, [3, 1]],
      [{ status: ['success', 'partial_failed'] }, [3, 2]],
      [{ status: [] }, []],
      [{ service: 'shop' }, [1]],
      [{ service: `shop' OR 1=1 --` }, [2]],
      [{ agent: 'b' }, [2]],
      [{ taskId: 't1' }, [1]],
      [{ sessionId: 's1' }, [1]],
      [{ traceId: traceId(2) }, [2]],
      [{ traceId: '%' }, []],
      [{ node: 'order_query' }, [3, 1]],
      [{ node: 'order_query', nodeStatus: 'reached_invalid' }, [1]],
      [{ nodeStatus: 'timed_out' }, [3]],
      [{ node: 'pay', nodeStatus: 'reached' }, []],
      [{ finding: 'empty_result' }, [3]],
      [{ finding: 'loop' }, [1]],
      [{ alert: 'loop' }, [1]],
      [{ fromMs: NOON_MS + hour }, [3, 2]],
      [{ toMs: NOON_MS + hour }, [1]],
      [{ fromMs: NOON_MS + hour, toMs: NOON_MS + 2 * hour }, [2]],
      [{ minCostUsd: 0.5 }, [2]],
      [{ maxCostUsd: 0.4 }, [1]],
      [{ status: ['failed'], node: 'order_query', finding: 'loop', alert: 'loop', service: 'shop' }, [1]],
      [{ status: ['failed'], finding: 'empty_result' }, []],
    ]
    for (const [filter, traces] of cases) {
      expect(find(filter), JSON.stringify(filter)).toEqual(traces)
      const counted = Object.values(store.countChains(filter)).reduce((sum, count) => sum + count, 0)
      expect(counted, JSON.stringify(filter)).toBe(traces.length)
    }
  })

  it('finds the same by a node that most chains have', async () => {
    const nodes = [createNode({ node_name: 'common' })]
    const commits = Array.from({ length: 5_100 }, (_, index) =>
      createCommit(index + 1, { reports: [good(index + 1, { nodes, findings: [createFinding()] })] }),
    )
    store.commitTraces(commits)
    expect(store.countChains({ node: 'common', finding: 'schema_violation' })).toEqual({ success: 5_100 })
    expect(store.countChains({ node: 'common', nodeStatus: 'skipped' })).toEqual({})
    expect(find({ node: 'common', nodeStatus: 'reached' }).slice(0, 3)).toEqual([1, 2, 3])
  })
})

describe('counts', () => {
  it('says how many chains there are by status', async () => {
    for (const trace of [1, 2]) await storeReported(store, trace, { overall_status: 'failed' })
    await storeReported(store, 3, good(3))
    expect(store.countChains({})).toEqual({ failed: 2, success: 1 })
    expect(store.countChains({ status: ['success'] })).toEqual({ success: 1 })
  })

  it('adds up nodes by hour, name and state', async () => {
    const query = createNode({
      node_name: 'query',
      calls: 2,
      retry_count: 1,
      latency_ms: 10.5,
      token_count: 3,
    })
    const nodes = [
      { ...query, subtask_id: 'a', estimated_cost_usd: 0.25 },
      { ...query, subtask_id: 'b', estimated_cost_usd: null },
    ]
    await storeReported(store, 1, { nodes, started_at: '2026-11-30T12:59:59.999000Z' })
    await storeReported(store, 2, { nodes, started_at: '2026-11-30T12:00:00.000000Z' })
    await storeReported(store, 3, { nodes, started_at: '2026-11-30T13:00:00.000000Z' })
    const hour = { node: 'query', status: 'reached' }
    expect(store.countNodes({})).toEqual([
      { ...hour, hourMs: NOON_MS, chains: 2, calls: 8, retries: 4, latencyMs: 42, tokens: 12, costUsd: 0.5 },
      {
        ...hour,
        hourMs: NOON_MS + 3_600_000,
        chains: 1,
        calls: 4,
        retries: 2,
        latencyMs: 21,
        tokens: 6,
        costUsd: 0.25,
      },
    ])
    expect(store.countNodes({ fromMs: NOON_MS + 3_600_000 })).toHaveLength(1)
  })

  it('says what is in the store', async () => {
    await storeReported(store, 1, { started_at: '2026-11-30T12:00:00.000000Z' })
    await storeReported(store, 2, { started_at: '2026-11-30T13:00:00.000000Z' })
    store.queueForward({ traceId: traceId(1), lastChunk: 1, body: Buffer.from('F'), nowMs: NOON_MS })
    expect(store.info()).toMatchObject({
      schemaVersion: 1,
      traces: 2,
      unreportedTraces: 0,
      chunks: 2,
      chains: 2,
      revisions: 0,
      queuedForwards: 1,
      oldestMs: NOON_MS,
      newestMs: NOON_MS + 3_600_000,
    })
  })
})
