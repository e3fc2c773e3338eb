import { describe, expect, it } from 'vitest'
import { createMemorySink } from '../../src/exporters/memory-sink.ts'
import { queued } from '../../src/exporters/queued.ts'
import { ReportOutlet, type ReportTarget } from '../../src/exporters/report-outlet.ts'
import type { ReportSink } from '../../src/report/report-sink.ts'
import { createReport } from '../report/create-report.ts'

const report = createReport()
const hang = (): Promise<void> => new Promise(() => {})
const hanging: ReportSink = { write: hang, flush: hang, close: hang }

function open(target: ReportTarget, timeoutMillis = 50): { outlet: ReportOutlet; errors: readonly string[] } {
  const errors: string[] = []
  const onError = ({ message }: Error): void => void errors.push(message)
  return { outlet: new ReportOutlet(target, { timeoutMillis, onError }), errors }
}

async function timed(work: Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work
  return performance.now() - started
}

describe('an outlet', () => {
  it('writes nothing while the program waits', async () => {
    let written = 0
    const { outlet } = open({
      write: async () => void written++,
      flush: async () => {},
      close: async () => {},
    })
    outlet.write(report)
    expect({ written, waiting: outlet.waiting }).toEqual({ written: 0, waiting: 1 })
    expect(await outlet.flush()).toBe(true)
    expect({ written, waiting: outlet.waiting }).toEqual({ written: 1, waiting: 0 })
  })

  it('is held up by no sink that hangs, and says what still waits', async () => {
    const sink = createMemorySink()
    const { outlet, errors } = open([hanging, sink])
    outlet.write(report)
    const flush = outlet.flush()
    expect(await timed(flush)).toBeLessThan(1_000)
    expect(await flush).toBe(false)
    expect(sink.reports).toHaveLength(1)
    expect(errors).toEqual([
      'Cannot flush the reports: expected all to be written, found 1 still waiting after 50 ms',
    ])
  })

  it('closes within its time, and says what was lost', async () => {
    const { outlet, errors } = open(hanging)
    outlet.write(report)
    expect(await timed(outlet.close())).toBeLessThan(1_000)
    expect(errors).toEqual([expect.stringContaining('1 not written after 50 ms')])
  })

  it('takes a queue as it is', async () => {
    const queue = queued(createMemorySink(), { maxQueueSize: 2 })
    const { outlet } = open(queue)
    for (let at = 0; at < 5; at++) outlet.write(report)
    expect(queue.counts.dropped).toBeGreaterThan(0)
    await outlet.close()
  })

  it('tells of a report that comes after its end', async () => {
    const { outlet, errors } = open(createMemorySink())
    await outlet.close()
    outlet.write(report)
    await outlet.flush()
    expect(errors).toEqual([expect.stringContaining('queued sink')])
  })
})
