import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createDirectorySink } from '../../src/exporters/directory-sink.ts'
import { fanOut } from '../../src/exporters/fan-out.ts'
import { createMemorySink } from '../../src/exporters/memory-sink.ts'
import { queued, type QueueCounts } from '../../src/exporters/queued.ts'
import type { ChainReport } from '../../src/report/chain-report.ts'
import type { ReportSink } from '../../src/report/report-sink.ts'
import { describeReportSink } from '../contracts/report-sink-contract.ts'
import { createReport } from '../report/create-report.ts'

describeReportSink('queued()', async () => {
  const store = createMemorySink()
  return { sink: queued(store), readStored: async () => store.reports, dispose: async () => {} }
})

afterEach(() => {
  vi.useRealTimers()
})

function createReports(count: number): readonly ChainReport[] {
  return Array.from({ length: count }, (_, at) => createReport({ revision: at + 1 }))
}

function revisionsOf(reports: readonly ChainReport[]): readonly number[] {
  return reports.map(({ revision }) => revision)
}

/** A sink that takes nothing until it is opened. */
function createGate(): { sink: ReportSink; store: readonly ChainReport[]; open: () => void } {
  const store: ChainReport[] = []
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const sink: ReportSink = {
    write: async (report) => {
      await opened
      store.push(report)
    },
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
  return { sink, store, open }
}

/** A sink whose writes fail as long as it is told so. */
function createBreakable(): { sink: ReportSink; store: ChainReport[]; state: { isBroken: boolean } } {
  const store: ChainReport[] = []
  const state = { isBroken: true }
  const sink: ReportSink = {
    write: async (report) => {
      if (state.isBroken) throw new Error(`no space for ${report.revision}`)
      store.push(report)
    },
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
  return { sink, store, state }
}

describe('queued()', () => {
  test('takes a report although the sink hangs', async () => {
    const { sink, store, open } = createGate()
    const queue = queued(sink)
    await queue.write(createReport())
    expect(queue.counts).toEqual({ waiting: 1, written: 0, failed: 0, dropped: 0 })
    open()
    await queue.close()
    expect(store).toHaveLength(1)
    expect(queue.counts).toEqual({ waiting: 0, written: 1, failed: 0, dropped: 0 })
  })

  test('writes and flushes in the background every two seconds', async () => {
    vi.useFakeTimers()
    const store = createMemorySink()
    let flushes = 0
    const queue = queued({
      ...store,
      write: (report) => store.write(report),
      flush: async () => {
        flushes++
      },
    })
    for (const report of createReports(3)) await queue.write(report)
    await vi.advanceTimersByTimeAsync(1_999)
    expect(queue.counts.written).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(queue.counts.written).toBe(3)
    expect(flushes).toBe(1)
    await queue.write(createReport())
    await vi.advanceTimersByTimeAsync(2_000)
    expect(queue.counts.written).toBe(4)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(flushes).toBe(2)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('writes at once what is half full, in order', async () => {
    const store = createMemorySink()
    const queue = queued(store, { maxQueueSize: 100, flushIntervalMillis: 100_000 })
    for (const report of createReports(50)) await queue.write(report)
    await expect.poll(() => store.reports.length).toBe(50)
    expect(revisionsOf(store.reports)).toEqual(revisionsOf(createReports(50)))
    await queue.close()
  })

  test('drops the oldest when it is full, and counts it', async () => {
    const { sink, store, open } = createGate()
    const dropped: (readonly [number, number])[] = []
    const queue = queued(sink, {
      maxQueueSize: 2,
      onDrop: ({ revision }, count) => dropped.push([revision, count]),
    })
    const [first, ...others] = createReports(6)
    await queue.write(first as ChainReport)
    // What is under way is no longer in the queue.
    await expect.poll(() => queue.counts.waiting).toBe(1)
    await new Promise((resolve) => setImmediate(resolve))
    for (const report of others) await queue.write(report)
    expect(dropped).toEqual([
      [2, 1],
      [3, 2],
      [4, 3],
    ])
    open()
    await queue.flush()
    expect(revisionsOf(store)).toEqual([1, 5, 6])
    expect(queue.counts).toEqual({ waiting: 0, written: 3, failed: 0, dropped: 3 })
    await queue.close()
  })

  test('flushes what was written before, and not what comes after', async () => {
    const store = createMemorySink()
    const queue = queued(store, { flushIntervalMillis: 100_000 })
    for (const report of createReports(100)) await queue.write(report)
    const flushed = queue.flush()
    await flushed
    expect(store.reports).toHaveLength(100)
    await queue.write(createReport())
    expect(queue.counts).toMatchObject({ waiting: 1, written: 100 })
    await queue.close()
    expect(store.reports).toHaveLength(101)
  })

  test('tells once that the sink fails, and again after it did well in between', async () => {
    const { sink, store, state } = createBreakable()
    const told: string[] = []
    const queue = queued(sink, { onError: ({ message }) => told.push(message) })
    const writeAll = async (...revisions: readonly number[]): Promise<void> => {
      for (const revision of revisions) await queue.write(createReport({ revision }))
      await queue.flush()
    }
    await writeAll(1, 2)
    await writeAll(3)
    expect(told).toEqual(['no space for 1'])
    state.isBroken = false
    await writeAll(4)
    state.isBroken = true
    await writeAll(5, 6)
    expect(told).toEqual(['no space for 1', 'no space for 5'])
    expect(revisionsOf(store)).toEqual([4])
    expect(queue.counts).toEqual({ waiting: 0, written: 1, failed: 5, dropped: 0 })
    await queue.close()
    expect(told.at(-1)).toBe(
      'Cannot write 5 of 6 reports: expected the sink to take them, found 5 refused, 0 dropped from a full queue, 0 not written after 5000 ms',
    )
  })

  test('leaves a sink that fails alone until the next time', async () => {
    vi.useFakeTimers()
    const { sink, store, state } = createBreakable()
    const queue = queued(sink, { maxQueueSize: 80 })
    for (const report of createReports(40)) await queue.write(report)
    await vi.advanceTimersByTimeAsync(0)
    expect(queue.counts).toMatchObject({ failed: 32, waiting: 8 })
    for (const report of createReports(60)) await queue.write(report)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(queue.counts).toMatchObject({ failed: 32, waiting: 68 })
    state.isBroken = false
    await vi.advanceTimersByTimeAsync(1_000)
    expect(queue.counts).toMatchObject({ failed: 32, waiting: 0 })
    expect(store).toHaveLength(68)
    await queue.close()
  })

  test('tells of a sink that cannot be flushed or closed, and never rejects', async () => {
    const fail = (): Promise<void> => Promise.reject(new Error('no disk'))
    const told: string[] = []
    const queue = queued(
      {
        write: () => Promise.resolve(),
        flush: fail,
        close: () => {
          // eslint-disable-next-line no-throw-literal
          throw 'cannot close'
        },
      },
      { onError: ({ message }) => told.push(message) },
    )
    await queue.write(createReport())
    await queue.flush()
    await queue.flush()
    await queue.close()
    expect(told).toEqual(['no disk', 'cannot close'])
  })

  test('survives a sink and callbacks that throw', async () => {
    const fail = (): never => {
      throw new Error('mine')
    }
    const queue = queued(
      { write: fail, flush: fail, close: fail },
      { maxQueueSize: 1, onDrop: fail, onError: fail },
    )
    for (const report of createReports(5)) await queue.write(report)
    await queue.flush()
    await queue.close()
    expect(queue.counts).toMatchObject({ waiting: 0, written: 0 })
  })

  test('closes within its time although the sink hangs, and says what is lost', async () => {
    vi.useFakeTimers()
    const { sink } = createGate()
    let closes = 0
    const told: (readonly [string, QueueCounts])[] = []
    const queue = queued(
      {
        ...sink,
        close: async () => {
          closes++
        },
      },
      { onError: ({ message }, counts) => told.push([message, counts]) },
    )
    for (const report of createReports(40)) await queue.write(report)
    const closing = queue.close()
    await vi.advanceTimersByTimeAsync(5_000)
    await closing
    await queue.close()
    await queue.flush()
    expect(closes).toBe(1)
    expect(told).toEqual([
      [
        'Cannot write 40 of 40 reports: expected the sink to take them, found 0 refused, 0 dropped from a full queue, 40 not written after 5000 ms',
        { waiting: 0, written: 0, failed: 40, dropped: 0 },
      ],
    ])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('says that the sink cannot be closed in time', async () => {
    const told: string[] = []
    const queue = queued(
      { ...createGate().sink, close: () => new Promise(() => {}) },
      { closeTimeoutMillis: 20, onError: ({ message }) => told.push(message) },
    )
    await queue.close()
    expect(told).toEqual([
      'Cannot close the sink: expected it to be closed within 20 ms, found it still open',
    ])
  })

  test('tells once of a folder that cannot be written to, and other sinks go on', async () => {
    const root = await mkdtemp(join(tmpdir(), 'queued-'))
    const directory = join(root, 'reports')
    await writeFile(directory, 'a file where the folder must be')
    const store = createMemorySink()
    const told: string[] = []
    const queue = queued(fanOut([createDirectorySink({ directory }), store]), {
      onError: ({ message }) => told.push(message),
    })
    for (const report of createReports(10)) {
      await queue.write(report)
      await queue.flush()
    }
    expect(told).toEqual([
      expect.stringMatching(/found sink 1: Cannot write .*a file where a folder must be$/u),
    ])
    expect(store.reports).toHaveLength(10)
    await queue.close()
    await rm(root, { recursive: true })
  })

  test.each([{ maxQueueSize: 0 }, { flushIntervalMillis: 0 }, { closeTimeoutMillis: -1 }])(
    'refuses %j',
    (options) => {
      expect(() => queued(createMemorySink(), options)).toThrow(RangeError)
    },
  )
})
