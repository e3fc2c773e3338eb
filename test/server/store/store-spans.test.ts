import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ReportStore } from '../../../src/server/report-store.ts'
import {
  createChunk,
  createCommit,
  newStorePath,
  NOON_MS,
  openAt,
  reportOf,
  traceId,
} from './store-samples.ts'

let path: string
let store: ReportStore

beforeEach(async () => {
  path = newStorePath()
  store = await openAt(path)
})

afterEach(() => store.close())

async function reopen(): Promise<void> {
  await store.close()
  store = await openAt(path)
}

function textsOf(trace: number): readonly string[] | undefined {
  return store.readTrace(traceId(trace))?.bodies.map(String)
}

describe('append()', () => {
  it('keeps the chunks of a trace in the order in which they came, over a restart', async () => {
    const first = await store.append([createChunk(1, 'a'), createChunk(2, 'x')], NOON_MS)
    const second = await store.append([createChunk(1, 'b', 3)], NOON_MS + 5)
    await reopen()
    expect([first, second]).toEqual([2, 3])
    expect(store.readTrace(traceId(1))).toEqual({
      traceId: traceId(1),
      bodies: [Buffer.from('a'), Buffer.from('b')],
      numbers: [1, 3],
      rejectedSpans: 3,
      lastChunk: 3,
      forwardedChunk: 0,
      revision: 0,
      wasCut: false,
    })
    expect(textsOf(2)).toEqual(['x'])
    expect(store.readTrace(traceId(3))).toBeNull()
  })

  it('writes what comes together in its order, and counts what waits', async () => {
    const waiting = [
      store.append([createChunk(1, 'abc')], NOON_MS),
      store.append([createChunk(1, 'de')], NOON_MS),
    ]
    expect(store.pendingBytes).toBe(5)
    expect(await Promise.all(waiting)).toEqual([1, 2])
    expect(store.pendingBytes).toBe(0)
    expect(textsOf(1)).toEqual(['abc', 'de'])
  })

  it('never uses the number of a chunk again', async () => {
    const lastChunk = await store.append([createChunk(1, 'a')], NOON_MS)
    store.commitTrace(createCommit(1, { lastChunk }))
    expect(store.retain({ maxAgeMs: 0 }, NOON_MS + 1)).toBe(1)
    await reopen()
    expect(await store.append([createChunk(2, 'b')], NOON_MS)).toBe(2)
  })

  it('refuses a trace id that is none, and keeps what comes beside it', async () => {
    const wrong = store.append([{ ...createChunk(1, 'a'), traceId: 'ABC' }], NOON_MS)
    const right = store.append([createChunk(1, 'b')], NOON_MS)
    await expect(wrong).rejects.toThrow('Cannot store spans: expected 32 lower-case hex digits, found "ABC"')
    await right
    expect(textsOf(1)).toEqual(['b'])
  })

  it('writes what waits when the store is closed, and takes nothing after that', async () => {
    const waiting = store.append([createChunk(1, 'a')], NOON_MS)
    await store.close()
    expect(await waiting).toBe(1)
    await expect(store.append([createChunk(1, 'b')], NOON_MS)).rejects.toMatchObject({ fault: 'closed' })
    expect(() => store.readTrace(traceId(1))).toThrow(expect.objectContaining({ fault: 'closed' }))
    store = await openAt(path)
    expect(textsOf(1)).toEqual(['a'])
  })
})

describe('unreported()', () => {
  it('lists traces with spans that no report has seen, the first seen first', async () => {
    await store.append([createChunk(2, 'a')], NOON_MS)
    const lastChunk = await store.append([createChunk(1, 'b')], NOON_MS + 10)
    await store.append([createChunk(2, 'c')], NOON_MS + 20)
    expect(store.unreported()).toEqual([
      { traceId: traceId(2), firstSeenMs: NOON_MS, lastSeenMs: NOON_MS + 20, revision: 0 },
      { traceId: traceId(1), firstSeenMs: NOON_MS + 10, lastSeenMs: NOON_MS + 10, revision: 0 },
    ])
    store.commitTrace(createCommit(1, { lastChunk }))
    expect(store.unreported().map((trace) => trace.traceId)).toEqual([traceId(2)])
  })

  it('lists a trace again when a span came after the last chunk that its reports have seen', async () => {
    const lastChunk = await store.append([createChunk(1, 'a')], NOON_MS)
    await store.append([createChunk(1, 'b')], NOON_MS + 1)
    store.commitTrace(createCommit(1, { lastChunk, reports: [reportOf(1)] }))
    expect(store.unreported()).toEqual([
      { traceId: traceId(1), firstSeenMs: NOON_MS, lastSeenMs: NOON_MS + 1, revision: 1 },
    ])
  })

  it('does not see a trace as older when the clock is set back', async () => {
    await store.append([createChunk(1, 'a')], NOON_MS)
    await store.append([createChunk(1, 'b')], NOON_MS - 3_600_000)
    expect(store.unreported()[0]).toMatchObject({ firstSeenMs: NOON_MS, lastSeenMs: NOON_MS })
  })
})

describe('commitTrace()', () => {
  it('puts the compacted spans in the place of those that it has seen, before those that came later', async () => {
    await store.append([createChunk(1, 'a', 1)], NOON_MS)
    const lastChunk = await store.append([createChunk(1, 'a again', 1)], NOON_MS)
    await store.append([createChunk(1, 'b', 4)], NOON_MS)
    store.commitTrace(createCommit(1, { lastChunk, compacted: Buffer.from('A'), rejectedSpans: 2 }))
    expect(store.readTrace(traceId(1))).toMatchObject({
      bodies: [Buffer.from('A'), Buffer.from('b')],
      numbers: [2, 3],
      rejectedSpans: 6,
      lastChunk: 3,
    })
    await reopen()
    expect(textsOf(1)).toEqual(['A', 'b'])
  })

  it('queues a body for forwarding and says how far that went', async () => {
    const lastChunk = await store.append([createChunk(1, 'a')], NOON_MS)
    store.commitTrace(createCommit(1, { lastChunk, forward: Buffer.from('F') }))
    const [queued] = store.queuedForwards(10)
    expect(queued).toEqual({
      id: 1,
      traceId: traceId(1),
      body: Buffer.from('F'),
      attempts: 0,
      queuedMs: NOON_MS,
    })
    expect(store.readTrace(traceId(1))?.forwardedChunk).toBe(1)
  })

  it('stores nothing of several traces where one of them cannot be stored', async () => {
    const lastChunk = await store.append([createChunk(1, 'a')], NOON_MS)
    const broken = { ...reportOf(2), summary: undefined as unknown as string }
    const commits = [
      createCommit(1, {
        lastChunk,
        reports: [reportOf(1)],
        compacted: Buffer.from('A'),
        forward: Buffer.from('F'),
      }),
      createCommit(2, { reports: [broken] }),
    ]
    expect(() => store.commitTraces(commits)).toThrow()
    expect(store.listChains({}, 10, null)).toEqual([])
    expect(store.queuedForwards(10)).toEqual([])
    expect(textsOf(1)).toEqual(['a'])
    expect(store.unreported()).toHaveLength(1)
    expect(store.verify()).toEqual([])
  })
})

describe('the forwarding queue', () => {
  it('gives the oldest first, counts attempts and forgets what has arrived', async () => {
    await store.append([createChunk(1, 'a')], NOON_MS)
    for (const text of ['F', 'G', 'H']) {
      store.queueForward({ traceId: traceId(1), lastChunk: 1, body: Buffer.from(text), nowMs: NOON_MS })
    }
    store.noteForwardAttempt(2)
    store.removeForward(1)
    await reopen()
    expect(store.queuedForwards(10).map(({ id, body, attempts }) => [id, String(body), attempts])).toEqual([
      [2, 'G', 1],
      [3, 'H', 0],
    ])
    expect(store.queuedForwards(1)).toHaveLength(1)
    expect(store.readTrace(traceId(1))?.forwardedChunk).toBe(1)
    expect(store.unreported()).toHaveLength(1)
  })
})
