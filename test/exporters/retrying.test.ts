import { describe, expect, test } from 'vitest'
import { createHttpSink } from '../../src/exporters/http-sink.ts'
import { createMemorySink } from '../../src/exporters/memory-sink.ts'
import { retrying, type RetryingOptions } from '../../src/exporters/retrying.ts'
import { SinkError } from '../../src/exporters/sink-error.ts'
import type { ReportSink } from '../../src/report/report-sink.ts'
import { describeReportSink } from '../contracts/report-sink-contract.ts'
import { createReport } from '../report/create-report.ts'
import { startReportServer } from './report-server.ts'

/** A sink whose writes fail one after another with the errors given, and do well when there is none left. */
function createFlakySink(errors: readonly unknown[]): { sink: ReportSink; attempts: () => number } {
  const store = createMemorySink()
  let attempts = 0
  return {
    sink: {
      write: async (report) => {
        const error = errors[attempts++]
        // eslint-disable-next-line no-throw-literal
        if (error !== undefined) throw error
        await store.write(report)
      },
      flush: () => store.flush(),
      close: () => store.close(),
    },
    attempts: () => attempts,
  }
}

/** Options that write down the waits instead of waiting. */
function createPatience(options: RetryingOptions = {}): { options: RetryingOptions; waits: number[] } {
  const waits: number[] = []
  const sleep = async (millis: number): Promise<void> => {
    waits.push(millis)
  }
  return { options: { jitter: () => 1, sleep, ...options }, waits }
}

function busy(retryAfterMillis?: number): SinkError {
  return new SinkError('busy', { retryable: true, retryAfterMillis })
}

describeReportSink('retrying()', async () => {
  const store = createMemorySink()
  const tried = new Set<string>()
  const failsFirst: ReportSink = {
    ...store,
    write: async (report) => {
      if (tried.has(report.report_id)) return store.write(report)
      tried.add(report.report_id)
      throw busy()
    },
  }
  return {
    sink: retrying(failsFirst, { sleep: async () => {} }),
    readStored: async () => store.reports,
    dispose: async () => {},
  }
})

describe('retrying()', () => {
  test('tries three times, and waits longer each time', async () => {
    const { sink, attempts } = createFlakySink([busy(), busy()])
    const { options, waits } = createPatience()
    await retrying(sink, options).write(createReport())
    expect(attempts()).toBe(3)
    expect(waits).toEqual([500, 1_000])
  })

  test('waits no longer than it may, and at least half as long', async () => {
    const errors = Array.from({ length: 6 }, () => busy())
    const { options, waits } = createPatience({ attempts: 7, maxDelayMillis: 3_000, jitter: () => 0 })
    await retrying(createFlakySink(errors).sink, options).write(createReport())
    expect(waits).toEqual([250, 500, 1_000, 1_500, 1_500, 1_500])
  })

  test('rejects with the last error when the attempts are used up', async () => {
    const last = busy()
    const { sink, attempts } = createFlakySink([busy(), busy(), last, busy()])
    const { options } = createPatience()
    await expect(retrying(sink, options).write(createReport())).rejects.toBe(last)
    expect(attempts()).toBe(3)
  })

  test.each([
    new SinkError('refused', { retryable: false }),
    new Error('no space left'),
    { retryable: 'yes' },
    null,
    'text',
  ])('does not try again after %s', async (error) => {
    const { sink, attempts } = createFlakySink([error])
    const { options, waits } = createPatience()
    await expect(retrying(sink, options).write(createReport())).rejects.toBe(error)
    expect(attempts()).toBe(1)
    expect(waits).toEqual([])
  })

  test('tries again after an error of another copy of the package', async () => {
    const { sink, attempts } = createFlakySink([{ retryable: true }])
    await retrying(sink, createPatience().options).write(createReport())
    expect(attempts()).toBe(2)
  })

  test('waits as long as the other side asks, where that is longer', async () => {
    const { options, waits } = createPatience()
    await retrying(createFlakySink([busy(20_000), busy(10)]).sink, options).write(createReport())
    expect(waits).toEqual([20_000, 1_000])
  })

  test('gives up where the other side asks for more than 30 s', async () => {
    const { sink, attempts } = createFlakySink([busy(30_001)])
    await expect(retrying(sink, createPatience().options).write(createReport())).rejects.toThrow('busy')
    expect(attempts()).toBe(1)
  })

  test('keeps the revisions of a chain in order', async () => {
    const store = createMemorySink()
    let writes = 0
    const sink = retrying(
      {
        ...store,
        write: async (report) => {
          if (writes++ === 0) throw busy()
          await store.write(report)
        },
      },
      { baseDelayMillis: 20 },
    )
    const reports = [
      createReport({ revision: 1 }),
      createReport({ revision: 2 }),
      createReport({ chain_id: 'b' }),
    ]
    await Promise.all(reports.map((report) => sink.write(report)))
    expect(store.reports.map(({ chain_id, revision }) => [chain_id === 'b', revision])).toEqual([
      [true, 1],
      [false, 1],
      [false, 2],
    ])
  })

  test('has with flush() what waits for its next attempt', async () => {
    const { sink, attempts } = createFlakySink([busy()])
    const patient = retrying(sink, { baseDelayMillis: 20 })
    const written = patient.write(createReport())
    await patient.flush()
    expect(attempts()).toBe(2)
    await written
  })

  test('makes one last attempt at once when it is closed', async () => {
    const { sink, attempts } = createFlakySink([busy()])
    const patient = retrying(sink, { baseDelayMillis: 100_000, maxDelayMillis: 100_000 })
    const written = patient.write(createReport())
    await expect.poll(attempts).toBe(1)
    await patient.close()
    await written
    expect(attempts()).toBe(2)
  })

  test('lets many reports wait without a warning of the runtime', async () => {
    const warnings: string[] = []
    const listen = ({ message }: Error): void => void warnings.push(message)
    process.on('warning', listen)
    const sink = retrying(createFlakySink(Array.from({ length: 30 }, () => busy())).sink, {
      baseDelayMillis: 20,
    })
    await Promise.all(
      Array.from({ length: 30 }, (_, at) => sink.write(createReport({ chain_id: `chain ${at}` }))),
    )
    process.off('warning', listen)
    expect(warnings).toEqual([])
  })

  test('brings a report to a server that was busy', async () => {
    const server = await startReportServer((response, at) =>
      response.writeHead(at < 2 ? 503 : 204, { 'retry-after': '0' }).end(),
    )
    const sink = retrying(createHttpSink({ url: server.url }), { baseDelayMillis: 1 })
    await sink.write(createReport())
    expect(server.received).toHaveLength(3)
    await sink.close()
    await server.close()
  })

  test.each([{ attempts: 0 }, { baseDelayMillis: -1 }, { maxDelayMillis: Infinity }, { attempts: 1.5 }])(
    'refuses %j',
    (options) => {
      expect(() => retrying(createMemorySink(), options)).toThrow(RangeError)
    },
  )
})
