import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ReportStore, Retention } from '../../../src/server/report-store.ts'
import {
  createChunk,
  createCommit,
  nameOf,
  newStorePath,
  NOON_MS,
  openAt,
  storeReported,
  traceId,
} from './store-samples.ts'

let store: ReportStore

beforeEach(async () => {
  store = await openAt(newStorePath())
})

afterEach(() => store.close())

/** @returns how many traces it is over all calls */
function retainAll(retention: Retention, nowMs: number): number {
  let sum = 0
  for (let count = store.retain(retention, nowMs); count > 0; count = store.retain(retention, nowMs))
    sum += count
  return sum
}

/** Reported traces with a body of a size each, the first one the oldest. */
async function fill(traces: number, bytes: number): Promise<void> {
  for (let trace = 1; trace <= traces; trace++) {
    const lastChunk = await store.append([createChunk(trace, 'x'.repeat(bytes))], NOON_MS + trace)
    store.commitTrace(createCommit(trace, { lastChunk }))
  }
}

describe('retain()', () => {
  it('removes reported traces whose last span is too old, with all that belongs to them', async () => {
    await storeReported(store, 1, {}, NOON_MS)
    await storeReported(store, 2, {}, NOON_MS + 1_000)
    expect(retainAll({ maxAgeMs: 500 }, NOON_MS + 1_500)).toBe(1)
    expect(store.getReport(nameOf(1))).toBeNull()
    expect(store.readTrace(traceId(1))).toBeNull()
    expect(store.getReport(nameOf(2))).not.toBeNull()
    expect(store.info()).toMatchObject({ traces: 1, chunks: 1, chains: 1 })
    expect(store.verify()).toEqual([])
  })

  it('never removes what no report has seen', async () => {
    await storeReported(store, 1)
    await store.append([createChunk(1, 'late'), createChunk(2, 'open')], NOON_MS)
    const everything = { maxAgeMs: 0, maxSpanAgeMs: 0, maxBytes: 0 }
    expect(retainAll(everything, NOON_MS + 1_000_000)).toBe(0)
    expect(store.info()).toMatchObject({ traces: 2, chunks: 3, chains: 1 })
  })

  it('takes the spans of a trace before its reports, and says of a later span that others are gone', async () => {
    await storeReported(store, 1)
    expect(retainAll({ maxSpanAgeMs: 10 }, NOON_MS + 11)).toBe(1)
    expect(store.readTrace(traceId(1))).toMatchObject({ bodies: [], lastChunk: 1, revision: 1, wasCut: true })
    expect(store.getReport(nameOf(1))).not.toBeNull()
    await store.append([createChunk(1, 'late')], NOON_MS + 20)
    expect(store.readTrace(traceId(1))).toMatchObject({ bodies: [Buffer.from('late')], wasCut: true })
    expect(store.unreported()).toHaveLength(1)
    expect(store.verify()).toEqual([])
  })

  it('removes the oldest traces until the rest has room, and gives the space back', async () => {
    await fill(64, 256 * 1024)
    store.compact()
    const before = store.info().bytes
    const maxBytes = 8 * 1024 * 1024
    expect(before).toBeGreaterThan(2 * maxBytes - 1)
    expect(retainAll({ maxBytes }, NOON_MS)).toBeGreaterThan(32)
    store.compact()
    expect(store.info().bytes).toBeLessThanOrEqual(maxBytes)
    expect(store.readTrace(traceId(64))).not.toBeNull()
    expect(store.readTrace(traceId(1))).toBeNull()
    expect(store.info().traces).toBeGreaterThan(20)
    expect(store.verify()).toEqual([])
  })

  it('comes to its end in slices', async () => {
    store.commitTraces(Array.from({ length: 3_000 }, (_, index) => createCommit(index + 1, { lastChunk: 0 })))
    for (let trace = 1; trace <= 300; trace++) await storeReported(store, trace)
    const slices: number[] = []
    for (let count = 1; count > 0;) {
      const started = performance.now()
      count = store.retain({ maxAgeMs: 0 }, NOON_MS + 1)
      slices.push(performance.now() - started)
    }
    expect(store.info().traces).toBe(0)
    // The median: another program may have had the disk at one time.
    expect(slices.toSorted((a, b) => a - b)[slices.length >> 1]).toBeLessThan(100)
  })

  it('queues what is to be forwarded although its trace goes', async () => {
    const lastChunk = await store.append([createChunk(1, 'a')], NOON_MS)
    store.commitTrace(createCommit(1, { lastChunk, forward: Buffer.from('F') }))
    expect(retainAll({ maxAgeMs: 0 }, NOON_MS + 1)).toBe(1)
    expect(store.queuedForwards(1)).toHaveLength(1)
  })
})
