import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { BatchSpanProcessor, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { describe, expect, it } from 'vitest'
import { createMemorySink } from '../../src/exporters/memory-sink.ts'
import { agent } from '../chain/trace-script.ts'
import { badRun, goodRun, startRecording, toApiAttributes } from '../processors/record-run.ts'
import { exportSpans, openExporter, recordSpans, toldTo } from './export-spans.ts'

describe('a ChainReportExporter beside an AgentReachProcessor', () => {
  it('writes the reports of that one, and folds nothing twice', async () => {
    const sink = createMemorySink()
    const exporter = openExporter(sink)
    const recorder = startRecording({ after: [new BatchSpanProcessor(exporter)] })
    recorder.run(goodRun)
    recorder.run(badRun)
    await recorder.provider.forceFlush()
    await recorder.provider.shutdown()
    expect(sink.reports).toEqual(recorder.reports)
    expect(sink.reports).toHaveLength(2)
  })

  it('goes on by itself with what it is given when the processor has been shut down', async () => {
    const sink = createMemorySink()
    const exporter = openExporter(sink)
    const recorder = startRecording({ after: [new SimpleSpanProcessor(exporter)] })
    await recorder.processor.shutdown()
    recorder.run(goodRun)
    await exporter.forceFlush()
    expect(recorder.reports).toEqual([])
    expect(toldTo(sink)).toEqual(['1 complete null 3'])
  })

  it('writes every report of that one, however seldom it is asked for', async () => {
    let written = 0
    const exporter = openExporter({
      write: async () => void written++,
      flush: async () => {},
      close: async () => {},
    })
    const recorder = startRecording()
    for (let n = 0; n < 50; n++) recorder.run(goodRun)
    await recorder.processor.forceFlush()
    await exporter.forceFlush()
    expect(written).toBe(50)
  })

  it('folds the spans of other processes that it is given, too', async () => {
    const sink = createMemorySink()
    const exporter = openExporter(sink)
    startRecording()
    await exportSpans(exporter, recordSpans())
    expect(toldTo(sink)).toEqual(['1 complete null 3'])
  })

  it('says that a chain is open in the processor, not that it is whole', async () => {
    const sink = createMemorySink()
    const exporter = openExporter(sink)
    const recorder = startRecording({ after: [new SimpleSpanProcessor(exporter)] })
    const root = recorder.tracer.startSpan('run', { attributes: toApiAttributes(agent('open')) })
    for (const step of goodRun.below ?? []) recorder.run(step, trace.setSpan(ROOT_CONTEXT, root))
    await exporter.forceFlush()
    expect(sink.reports).toEqual([])
    await recorder.processor.shutdown()
    expect(sink.reports).toMatchObject([{ completeness: 'partial', completeness_reason: 'shutdown' }])
  })
})
