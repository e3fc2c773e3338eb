import { describe, expect, test } from 'vitest'
import { fanOut } from '../../src/exporters/fan-out.ts'
import { createMemorySink } from '../../src/exporters/memory-sink.ts'
import type { ReportSink } from '../../src/report/report-sink.ts'
import { describeReportSink } from '../contracts/report-sink-contract.ts'
import { createReport } from '../report/create-report.ts'

describeReportSink('fanOut()', async () => {
  const stores = [createMemorySink(), createMemorySink()]
  return {
    sink: fanOut(stores),
    readStored: async () => {
      const [first, second] = stores.map(({ reports }) => reports)
      expect(second).toEqual(first)
      return first ?? []
    },
    dispose: async () => {},
  }
})

const brokenSink: ReportSink = {
  write: () => Promise.reject(new Error('no space left')),
  flush: () => Promise.reject(new Error('no disk')),
  close: () => Promise.resolve(),
}

const throwingSink: ReportSink = {
  write: () => {
    throw new TypeError('not a sink')
  },
  flush: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

describe('fanOut()', () => {
  test('writes to all sinks although some fail, and names those that did', async () => {
    const first = createMemorySink()
    const last = createMemorySink()
    const report = createReport()
    const error: unknown = await fanOut([first, brokenSink, throwingSink, last])
      .write(report)
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(AggregateError)
    expect(error).toMatchObject({
      message: `Cannot write report ${report.report_id}: expected all 4 sinks to do it, found sink 2: no space left; sink 3: not a sink`,
      errors: [new Error('no space left'), new TypeError('not a sink')],
    })
    expect([first.reports, last.reports]).toEqual([[report], [report]])
  })

  test('flushes and closes all sinks although one fails', async () => {
    const last = createMemorySink()
    const sink = fanOut([brokenSink, last])
    await expect(sink.flush()).rejects.toThrow(
      'Cannot flush: expected all 2 sinks to do it, found sink 1: no disk',
    )
    await sink.close()
    await expect(last.write(createReport())).rejects.toThrow(/closed/u)
  })

  test('refuses to be made of no sink', () => {
    expect(() => fanOut([])).toThrow(new TypeError('Cannot fan out: expected at least one sink, found none'))
  })
})
