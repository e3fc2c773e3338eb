import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ChainReport } from '../../src/report/chain-report.ts'
import type { ReportSink } from '../../src/report/report-sink.ts'
import { createReport } from '../report/create-report.ts'
import { expectValidReport } from '../report/expect-valid-report.ts'

/** A sink that was just opened on an empty store, and how a test looks into that store. */
export interface SinkFixture {
  readonly sink: ReportSink
  /** Every report that is in the store, in any order. */
  readonly readStored: () => Promise<readonly ChainReport[]>
  /** Removes the store. */
  readonly dispose: () => Promise<void>
}

/**
 * What every sink must do, whatever it writes to: keep each report as it is, have everything accepted in the store
 * once `flush` or `close` resolves, and refuse reports after `close`.
 *
 * @param openFixture opens a new sink on a new, empty store
 */
export function describeReportSink(name: string, openFixture: () => Promise<SinkFixture>): void {
  describe(`${name}, as any report sink,`, () => {
    let fixture: SinkFixture

    beforeEach(async () => {
      fixture = await openFixture()
    })

    afterEach(async () => {
      await fixture.sink.close()
      await fixture.dispose()
    })

    test('stores a report as it is', async () => {
      const report = deepFreeze(createReport({ summary: 'a "quoted"\n\u2028 \\ 订单🔎 \u0000 summary' }))
      await fixture.sink.write(report)
      await fixture.sink.flush()
      const stored = await fixture.readStored()
      expect(stored).toEqual([report])
      for (const each of stored) expectValidReport(each)
    })

    test('keeps the chains of one trace and the traces of one task apart', async () => {
      const reports = [
        createReport(),
        createReport({ chain_id: 'second' }),
        createReport({ trace_id: 'a'.repeat(32), chain_id: 'second' }),
      ]
      for (const report of reports) await fixture.sink.write(report)
      await fixture.sink.flush()
      expect(sortById(await fixture.readStored())).toEqual(sortById(reports))
    })

    test('stores reports that are written all at once', async () => {
      const reports = Array.from({ length: 50 }, (_, at) => createReport({ chain_id: `chain ${at}` }))
      await Promise.all(reports.map((report) => fixture.sink.write(report)))
      await fixture.sink.flush()
      expect(sortById(await fixture.readStored())).toEqual(sortById(reports))
    })

    test('has stored with flush() what nobody waited for', async () => {
      const written = fixture.sink.write(createReport())
      await fixture.sink.flush()
      expect(await fixture.readStored()).toHaveLength(1)
      await written
    })

    test('can be flushed with nothing to store, and again', async () => {
      await fixture.sink.flush()
      await Promise.all([fixture.sink.flush(), fixture.sink.flush()])
      expect(await fixture.readStored()).toEqual([])
    })

    test('takes reports after flush()', async () => {
      await fixture.sink.write(createReport({ chain_id: 'first' }))
      await fixture.sink.flush()
      await fixture.sink.write(createReport({ chain_id: 'second' }))
      await fixture.sink.flush()
      expect(await fixture.readStored()).toHaveLength(2)
    })

    test('has stored with close() what nobody waited for', async () => {
      const written = [1, 2, 3].map((at) => fixture.sink.write(createReport({ chain_id: `chain ${at}` })))
      await fixture.sink.close()
      expect(await fixture.readStored()).toHaveLength(3)
      await Promise.all(written)
    })

    test('refuses reports after close(), and says so', async () => {
      await fixture.sink.write(createReport({ chain_id: 'in time' }))
      await fixture.sink.close()
      const late = createReport({ chain_id: 'late' })
      const refused = fixture.sink.write(late)
      await expect(refused).rejects.toThrow(/closed/u)
      await expect(refused).rejects.toThrow(late.report_id)
      expect(await fixture.readStored()).toHaveLength(1)
    })

    test('refuses reports from the moment close() is called', async () => {
      const closing = fixture.sink.close()
      await expect(fixture.sink.write(createReport())).rejects.toThrow(/closed/u)
      await closing
      expect(await fixture.readStored()).toEqual([])
    })

    test('can be closed and flushed after close()', async () => {
      await fixture.sink.close()
      await fixture.sink.close()
      await fixture.sink.flush()
    })
  })
}

function sortById(reports: readonly ChainReport[]): readonly ChainReport[] {
  return reports.toSorted((a, b) => (a.report_id < b.report_id ? -1 : 1))
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value)
    for (const each of Object.values(value)) deepFreeze(each)
  }
  return value
}
