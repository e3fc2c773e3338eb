import { describe, expect, test } from 'vitest'
import { createMemorySink } from '../../src/exporters/memory-sink.ts'
import { describeReportSink } from '../contracts/report-sink-contract.ts'
import { createReport } from '../report/create-report.ts'

describeReportSink('createMemorySink()', async () => {
  const sink = createMemorySink()
  return { sink, readStored: async () => sink.reports, dispose: async () => {} }
})

describe('createMemorySink()', () => {
  test('keeps the last reports, in the order in which they were written', async () => {
    const sink = createMemorySink({ limit: 2 })
    const reports = [1, 2, 3].map((revision) => createReport({ revision }))
    for (const report of reports) await sink.write(report)
    expect(sink.reports).toEqual(reports.slice(1))
  })

  test('keeps 1,000 where nobody says how many', async () => {
    const sink = createMemorySink()
    const report = createReport()
    for (let at = 0; at < 1_001; at++) await sink.write(report)
    expect(sink.reports).toHaveLength(1_000)
  })

  test('forgets with clear(), and takes reports after it', async () => {
    const sink = createMemorySink({ limit: 2 })
    for (const revision of [1, 2, 3]) await sink.write(createReport({ revision }))
    sink.clear()
    expect(sink.reports).toEqual([])
    for (const revision of [4, 5, 6]) await sink.write(createReport({ revision }))
    expect(sink.reports.map(({ revision }) => revision)).toEqual([5, 6])
  })

  test('gives a list that does not change under its reader', async () => {
    const sink = createMemorySink()
    const before = sink.reports
    await sink.write(createReport())
    expect(before).toEqual([])
  })

  test.each([0, -1, 1.5, Number.NaN, Infinity])('refuses a limit of %s', (limit) => {
    expect(() => createMemorySink({ limit })).toThrow(
      new RangeError(
        `Cannot create a memory sink: expected limit to be a whole number from 1, found ${limit}`,
      ),
    )
  })
})
