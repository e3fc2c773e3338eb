import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReportStore } from '../../../src/server/report-store.ts'
import {
  createChunk,
  createCommit,
  nameOf,
  newStorePath,
  NOON_MS,
  openAt,
  reportOf,
  traceId,
} from './store-samples.ts'

interface ModelTrace {
  chunks: { number: number; text: string; rejected: number }[]
  firstSeen: number
  lastSeen: number
  lastChunk: number
  reportedChunk: number
  forwardedChunk: number
  revisions: Map<number, { json: string; digest: string }>
  wasCut: boolean
}

interface Model {
  readonly traces: Map<number, ModelTrace>
  readonly forwards: { trace: number; text: string }[]
  /** Number of the last chunk. */
  last: number
  nowMs: number
}

/** What can be done with a store; each does the same with the model. */
type Act = (store: ReportStore, model: Model) => Promise<void> | void

const TRACES = 4

const trace = fc.integer({ min: 1, max: TRACES })

const tick: fc.Arbitrary<Act> = fc
  .integer({ min: -5, max: 20 })
  .map((by) => (_: ReportStore, model: Model) => void (model.nowMs += by))

const append: fc.Arbitrary<Act> = fc
  .array(fc.array(fc.tuple(trace, fc.string(), fc.nat(2)), { maxLength: 3 }), { minLength: 1, maxLength: 3 })
  .map((requests) => async (store: ReportStore, model: Model) => {
    const numbers = await Promise.all(
      requests.map((chunks) =>
        store.append(
          chunks.map(([id, text, rejected]) => createChunk(id, text, rejected)),
          model.nowMs,
        ),
      ),
    )
    const expected = requests.map((chunks) => {
      for (const [id, text, rejected] of chunks) noteChunk(model, id, text, rejected)
      return chunks.length === 0 ? 0 : model.last
    })
    expect(numbers).toEqual(expected)
  })

function noteChunk(model: Model, id: number, text: string, rejected: number): void {
  const number = ++model.last
  const before = model.traces.get(id) ?? emptyTrace(model.nowMs)
  before.chunks.push({ number, text, rejected })
  before.lastChunk = number
  before.lastSeen = Math.max(before.lastSeen, model.nowMs)
  model.traces.set(id, before)
}

function emptyTrace(nowMs: number): ModelTrace {
  return {
    chunks: [],
    firstSeen: nowMs,
    lastSeen: nowMs,
    lastChunk: 0,
    reportedChunk: 0,
    forwardedChunk: 0,
    revisions: new Map(),
    wasCut: false,
  }
}

const commit: fc.Arbitrary<Act> = fc
  .record({
    id: trace,
    summary: fc.option(fc.constantFrom('one', 'two', 'three')),
    compacts: fc.boolean(),
    forwards: fc.boolean(),
    behind: fc.nat(1),
  })
  .map(({ id, summary, compacts, forwards, behind }) => (store: ReportStore, model: Model) => {
    const known = model.traces.get(id)
    const seen = known?.chunks.at(-1 - behind)?.number
    if (known === undefined || seen === undefined) return
    const revision = Math.max(0, ...known.revisions.keys()) + 1
    const report = reportOf(id, { summary: summary ?? '', revision })
    const text = `spans up to ${seen}`
    store.commitTrace(
      createCommit(id, {
        reports: summary === null ? [] : [report],
        lastChunk: seen,
        compacted: compacts ? Buffer.from(text) : null,
        rejectedSpans: 1,
        forward: forwards ? Buffer.from(text) : null,
        nowMs: model.nowMs,
      }),
    )
    const isNew = known.revisions.get(revision - 1)?.digest !== report.digest
    if (summary !== null && isNew) {
      known.revisions.set(revision, { json: JSON.stringify(report), digest: report.digest })
    }
    known.reportedChunk = Math.max(known.reportedChunk, seen)
    if (forwards) {
      known.forwardedChunk = Math.max(known.forwardedChunk, seen)
      model.forwards.push({ trace: id, text })
    }
    if (compacts) {
      const later = known.chunks.filter(({ number }) => number > seen)
      known.chunks = [{ number: seen, text, rejected: 1 }, ...later]
    }
  })

function isReported({ lastChunk, reportedChunk }: ModelTrace): boolean {
  return lastChunk <= reportedChunk
}

const retain: fc.Arbitrary<Act> = fc
  .record({ maxAgeMs: fc.nat(40), maxSpanAgeMs: fc.nat(20) })
  .map((retention) => (store: ReportStore, model: Model) => {
    while (store.retain(retention, model.nowMs) > 0);
    for (const [id, known] of model.traces) {
      const age = model.nowMs - known.lastSeen
      if (!isReported(known)) continue
      if (age > retention.maxAgeMs) model.traces.delete(id)
      else if (age > retention.maxSpanAgeMs) {
        known.wasCut ||= known.chunks.length > 0
        known.chunks = []
      }
    }
  })

const acts = fc.array(
  fc.oneof(
    { arbitrary: append, weight: 4 },
    { arbitrary: commit, weight: 4 },
    { arbitrary: retain, weight: 1 },
    { arbitrary: tick, weight: 2 },
    { arbitrary: fc.constant('reopen' as const), weight: 1 },
  ),
  { maxLength: 40 },
)

function expectSame(store: ReportStore, model: Model): void {
  for (let id = 1; id <= TRACES; id++) {
    const known = model.traces.get(id)
    const stored = store.readTrace(traceId(id))
    if (known === undefined) {
      expect(stored).toBeNull()
      expect(store.getReport(nameOf(id))).toBeNull()
      continue
    }
    expect(stored).toEqual({
      traceId: traceId(id),
      bodies: known.chunks.map(({ text }) => Buffer.from(text)),
      numbers: known.chunks.map(({ number }) => number),
      rejectedSpans: known.chunks.reduce((sum, { rejected }) => sum + rejected, 0),
      lastChunk: known.lastChunk,
      forwardedChunk: known.forwardedChunk,
      revision: Math.max(0, ...known.revisions.keys()),
      wasCut: known.wasCut,
    })
    expect(store.listRevisions(nameOf(id)).map(({ revision }) => revision)).toEqual(
      [...known.revisions.keys()].toReversed(),
    )
    for (const [revision, { json }] of known.revisions) {
      expect(store.getReport(nameOf(id), revision)?.json).toBe(json)
    }
  }
  const open = [...model.traces].filter(([, known]) => !isReported(known))
  expect(new Set(store.unreported())).toEqual(
    new Set(
      open.map(([id, known]) => ({
        traceId: traceId(id),
        firstSeenMs: known.firstSeen,
        lastSeenMs: known.lastSeen,
        revision: Math.max(0, ...known.revisions.keys()),
      })),
    ),
  )
  expect(store.queuedForwards(1_000).map(({ traceId: id, body }) => [id, String(body)])).toEqual(
    model.forwards.map((forward) => [traceId(forward.trace), forward.text]),
  )
}

describe('the store', () => {
  it('holds what a table in memory would hold, whatever is done in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(acts, async (todo) => {
        const path = newStorePath()
        let store = await openAt(path)
        const model: Model = { traces: new Map(), forwards: [], last: 0, nowMs: NOON_MS }
        for (const act of todo) {
          if (act === 'reopen') {
            await store.close()
            store = await openAt(path)
          } else await act(store, model)
        }
        expectSame(store, model)
        expect(store.verify()).toEqual([])
        await store.close()
      }),
      { numRuns: 60 },
    )
  })
})
