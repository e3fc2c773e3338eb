import { trace, ROOT_CONTEXT } from '@opentelemetry/api'
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  InMemorySpanExporter,
  type Sampler,
  SamplingDecision,
} from '@opentelemetry/sdk-trace-node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMemorySink } from '../../src/exporters/memory-sink.ts'
import { ChainReportExporter } from '../../src/exporters/chain-report-exporter.ts'
import { findTracker } from '../../src/pipeline/process-hub.ts'
import { agent, tool } from '../chain/trace-script.ts'
import { expectValidReport } from '../report/expect-valid-report.ts'
import { badRun, goodRun, startRecording, toApiAttributes } from './record-run.ts'

const recordOnly: Sampler = { shouldSample: () => ({ decision: SamplingDecision.RECORD }) }

describe('a chain of which nothing is exported', () => {
  it('is reported as a whole where its spans are recorded only', async () => {
    const recorder = startRecording({ sampler: recordOnly })
    recorder.run(badRun)
    const report = await recorder.oneReport()
    expect(recorder.spans).toEqual([])
    expect(report).toMatchObject({
      completeness: 'complete',
      step_count: 2,
      overall_status: 'partial_failed',
    })
    expectValidReport(report)
  })

  it('is reported by an exporter that never sees a span of it, too', async () => {
    const sink = createMemorySink()
    const exporter = new ChainReportExporter({ sinks: [sink] })
    const recorder = startRecording({ sampler: recordOnly, after: [new BatchSpanProcessor(exporter)] })
    recorder.run(goodRun)
    await recorder.processor.forceFlush()
    await exporter.forceFlush()
    expect(sink.reports).toMatchObject([{ completeness: 'complete', step_count: 3 }])
  })

  it('gives no report and no error where it is not recorded', async () => {
    const recorder = startRecording({ sampler: new AlwaysOffSampler() })
    recorder.run(goodRun)
    await recorder.processor.shutdown()
    expect(recorder.reports).toEqual([])
    expect(recorder.processor.swallowedErrors).toBe(0)
    expect(recorder.messages).toEqual([])
  })
})

describe('a processor that drops spans after ours', () => {
  it('changes no report: 5,000 spans that end in one turn are all in it', async () => {
    const exporter = new InMemorySpanExporter()
    const batches = new BatchSpanProcessor(exporter)
    const recorder = startRecording({ after: [batches] })
    const root = recorder.tracer.startSpan('run', { attributes: toApiAttributes(agent('support')) })
    const below = trace.setSpan(ROOT_CONTEXT, root)
    for (let n = 1; n < 5_000; n++) {
      const attributes = toApiAttributes(tool('q', { n }, { status: 'shipped', n }))
      recorder.tracer.startSpan('q', { attributes }, below).end()
    }
    root.end()
    const report = await recorder.oneReport()
    expect(report).toMatchObject({ completeness: 'complete', span_count: 5_000, tool_calls: 4_999 })
    await batches.forceFlush()
    expect(exporter.getFinishedSpans().length).toBeLessThan(5_000)
  })

  it('leaves a chain of more spans than are held partial, and says how many are left out', async () => {
    const recorder = startRecording({ options: { limits: { settleMillis: 0, spansPerTrace: 10 } } })
    onTestFinished(() => expect(findTracker()).toBe(null))
    recorder.run({ ...goodRun, below: Array.from({ length: 12 }, () => goodRun.below?.[1] ?? goodRun) })
    const report = await recorder.oneReport()
    expect(report).toMatchObject({
      completeness: 'partial',
      completeness_reason: 'step_limit',
      span_count: 10,
      dropped: { rejected_spans: 3 },
    })
    await recorder.processor.shutdown()
  })
})
