import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import { onTestFinished } from 'vitest'
import { ChainReportExporter, type ExportOutcome } from '../../src/exporters/chain-report-exporter.ts'
import type { MemorySink } from '../../src/exporters/memory-sink.ts'
import type { ReportSink } from '../../src/report/report-sink.ts'
import { goodRun, runScript } from '../processors/record-run.ts'

type Tracer = ReturnType<BasicTracerProvider['getTracer']>

/** Spans of a run as an SDK exports them: children first. */
export function recordSpans(
  run: (tracer: Tracer) => void = (tracer) => void runScript(tracer, goodRun),
): ReadableSpan[] {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  run(provider.getTracer('test'))
  return exporter.getFinishedSpans()
}

/** Exports spans and gives the answer. */
export function exportSpans(
  exporter: ChainReportExporter,
  spans: readonly ReadableSpan[],
): Promise<ExportOutcome> {
  return new Promise((resolve) => exporter.export(spans, resolve))
}

/** Makes an exporter that is shut down when the test is over. */
export function openExporter(sink: ReportSink): ChainReportExporter {
  const exporter = new ChainReportExporter({ sinks: [sink] })
  onTestFinished(() => exporter.shutdown().catch(() => {}))
  return exporter
}

/** What a sink was told, a line for each report. */
export function toldTo({ reports }: MemorySink): readonly string[] {
  return reports.map(
    (report) =>
      `${report.revision} ${report.completeness} ${report.completeness_reason} ${report.step_count}`,
  )
}
