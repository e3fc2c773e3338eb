import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createMemorySink } from '../../src/exporters/memory-sink.ts'
import { ChainReportExporter } from '../../src/exporters/chain-report-exporter.ts'
import { capture } from '../../src/pipeline/capture.ts'
import { findTracker } from '../../src/pipeline/process-hub.ts'
import { AgentReachProcessor } from '../../src/processors/agent-reach-processor.ts'
import { goodRun, startRecording, until } from './record-run.ts'

const HUB = Symbol.for('agent-reach.v1')
const places = globalThis as unknown as Record<symbol, unknown>

afterEach(() => delete places[HUB])

describe('the tracker of a process', () => {
  it('is one for all processors, with the limits of the first', async () => {
    const recorder = startRecording({ options: { limits: { settleMillis: 1, openTraces: 7 } } })
    const tracker = findTracker()
    const second = new AgentReachProcessor({ reports: false, limits: { openTraces: 9 } })
    expect(findTracker()).toBe(tracker)
    expect(tracker?.limits).toMatchObject({ openTraces: 7, idleMillis: 600_000 })
    await second.shutdown()
    expect(findTracker()).toBe(tracker)
    await recorder.processor.shutdown()
    expect(findTracker()).toBe(null)
  })

  it('is left to a copy of the package that works in another way: this one judges on its own, and says so', async () => {
    const theirs = { protocol: 99, isWatched: true }
    places[HUB] = { tracker: theirs, listeners: new Set() }
    const recorder = startRecording()
    const span = recorder.tracer.startSpan('q')
    expect(capture(span, { output: 1 })).toBe(false)
    recorder.run(goodRun)
    await until(() => recorder.reports.length === 1)
    expect(recorder.messages).toEqual([expect.stringContaining('two versions of this package')])
    expect(places[HUB]).toMatchObject({ tracker: theirs })
  })

  it('tells an exporter that was made before any processor', async () => {
    const sink = createMemorySink()
    const exporter = new ChainReportExporter({ sinks: [sink] })
    onTestFinished(() => exporter.shutdown())
    for (let round = 1; round <= 2; round++) {
      const recorder = startRecording()
      recorder.run(goodRun)
      await recorder.processor.shutdown()
      await exporter.forceFlush()
      expect(sink.reports).toHaveLength(round)
    }
  })
})

describe('traces beyond the number that is held', () => {
  it('make room for new ones: the oldest is reported as evicted, once', async () => {
    const recorder = startRecording({ options: { limits: { settleMillis: 1, openTraces: 2 } } })
    const open = Array.from({ length: 4 }, (_, n) => {
      const root = recorder.tracer.startSpan(`run ${n}`, {
        attributes: { 'gen_ai.operation.name': 'invoke_agent' },
      })
      expect(findTracker()?.openTraces).toBeLessThanOrEqual(2)
      return root
    })
    await until(() => recorder.reports.length === 2)
    const ids = open.map((span) => span.spanContext().traceId)
    expect(recorder.reports.map(({ trace_id: id, completeness_reason: reason }) => [id, reason])).toEqual([
      [ids[0], 'evicted'],
      [ids[1], 'evicted'],
    ])
    for (const span of open) span.end()
    await until(() => recorder.reports.length === 4)
    expect(recorder.reports.slice(2).map((report) => [report.trace_id, report.completeness])).toEqual([
      [ids[2], 'complete'],
      [ids[3], 'complete'],
    ])
    expect(findTracker()?.counts).toMatchObject({ evictedTraces: 2, lateSpans: 2 })
  })

  it('cost nothing where the oldest one is reported already', async () => {
    const recorder = startRecording({ options: { limits: { settleMillis: 0, openTraces: 1 } } })
    for (let n = 1; n <= 3; n++) {
      recorder.run(goodRun)
      await until(() => recorder.reports.length === n)
    }
    expect(recorder.reports.map(({ completeness }) => completeness)).toEqual([
      'complete',
      'complete',
      'complete',
    ])
    expect(findTracker()?.counts.evictedTraces).toBe(0)
  })
})
