import { type Attributes as ApiAttributes, type Context, context, diag, trace } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
  type TracerConfig,
} from '@opentelemetry/sdk-trace-node'
import { expect, onTestFinished } from 'vitest'
import { createMemorySink, type MemorySink } from '../../src/exporters/memory-sink.ts'
import { TraceCollector } from '../../src/pipeline/trace-collector.ts'
import { AgentReachProcessor } from '../../src/processors/agent-reach-processor.ts'
import type { LiveAlert, LiveFinding } from '../../src/processors/live-event.ts'
import type { AgentReachProcessorOptions } from '../../src/processors/processor-options.ts'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { loadRules } from '../../src/rules/load-rules.ts'
import type { RulesFile } from '../../src/rules/rules-file.ts'
import { agent, model, tokens, tool } from '../chain/trace-script.ts'

type ApiTracer = ReturnType<BasicTracerProvider['getTracer']>
/** A span of the SDK while it is open. */
export type ApiSpan = ReturnType<ApiTracer['startSpan']>

/** A span of a scripted run, and what runs below it. */
export interface Scripted {
  readonly name: string
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly below?: readonly Scripted[]
  /** Done with the span just before it ends. */
  readonly atEnd?: (span: ApiSpan) => void
}

/** What a test says of its set-up; the rest has defaults. */
export interface Recording extends Omit<TracerConfig, 'spanProcessors'> {
  readonly options?: AgentReachProcessorOptions
  /** Takes the place of the processor itself, to stand between it and the SDK. */
  readonly wrap?: (processor: AgentReachProcessor) => SpanProcessor
  readonly before?: readonly SpanProcessor[]
  readonly after?: readonly SpanProcessor[]
}

/** A program that records spans with the real SDK and our processor in it. */
export interface Recorder {
  readonly provider: BasicTracerProvider
  readonly processor: AgentReachProcessor
  readonly tracer: ApiTracer
  /** Spans as an exporter gets them, in the order in which they ended. */
  readonly spans: readonly ReadableSpan[]
  /** In the order in which they were made. */
  readonly reports: readonly ChainReport[]
  /** What a sink has taken, which is told of in the background. */
  readonly sink: MemorySink
  readonly findings: readonly LiveFinding[]
  readonly alerts: readonly LiveAlert[]
  /** Warnings of ours to the logger of OpenTelemetry. */
  readonly messages: readonly string[]
  /** Runs a script to its end. */
  run(script: Scripted, parent?: Context): ApiSpan
  /** The exported span of a name. */
  span(name: string): ReadableSpan
  /** Flushes and gives the one report that is there then. */
  oneReport(): Promise<ChainReport>
}

/** Makes a program that records spans; it is shut down when the test is over. */
export function startRecording(recording: Recording = {}): Recorder {
  const { options = {}, wrap = (processor) => processor, before = [], after = [], ...config } = recording
  const messages = listenToDiag()
  const sink = createMemorySink({ limit: 100_000 })
  const findings: LiveFinding[] = []
  const alerts: LiveAlert[] = []
  const reports: ChainReport[] = []
  const processor = new AgentReachProcessor({
    reports: sink,
    limits: { settleMillis: 5 },
    onFinding: (finding) => void findings.push(finding),
    onAlert: (alert) => void alerts.push(alert),
    ...options,
    onReport: (report) => {
      reports.push(report)
      return options.onReport?.(report)
    },
  })
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({
    ...config,
    spanProcessors: [...before, wrap(processor), ...after, new SimpleSpanProcessor(exporter)],
  })
  onTestFinished(() => provider.shutdown().catch(() => {}))
  const tracer = provider.getTracer('test')
  return {
    provider,
    processor,
    tracer,
    findings,
    alerts,
    messages,
    get spans() {
      return exporter.getFinishedSpans()
    },
    reports,
    sink,
    run: (script, parent = context.active()) => runScript(tracer, script, parent),
    span(name) {
      const span = exporter.getFinishedSpans().find((each) => each.name === name)
      if (span === undefined) throw new Error(`no span ${name} was exported`)
      return span
    },
    async oneReport() {
      await processor.forceFlush()
      expect(reports).toHaveLength(1)
      return reports[0] as ChainReport
    },
  }
}

/** Attributes that hold what an SDK of the 2.x line does not take are for the maps of spans only. */
export function toApiAttributes(attributes: Scripted['attributes']): ApiAttributes {
  return attributes as ApiAttributes
}

/** Runs a script to its end with the tracer of any provider. */
export function runScript(
  tracer: ApiTracer,
  { name, attributes, below, atEnd }: Scripted,
  parent: Context = context.active(),
): ApiSpan {
  const span = tracer.startSpan(name, { attributes: toApiAttributes(attributes ?? {}) }, parent)
  for (const each of below ?? []) runScript(tracer, each, trace.setSpan(parent, span))
  atEnd?.(span)
  span.end()
  return span
}

/** Collects what is told to the logger of OpenTelemetry until the test is over. */
function listenToDiag(): readonly string[] {
  const messages: string[] = []
  const warn = (message: string, ...more: unknown[]): void => {
    if (message.startsWith('agent-reach')) messages.push([message, ...more].join(' '))
  }
  const ignore = (): void => {}
  const logger = { error: ignore, warn, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { suppressOverrideMessage: true })
  onTestFinished(() => diag.disable())
  return messages
}

/** A run of three steps that goes well: an agent that asks a model and calls a tool. */
export const goodRun: Scripted = {
  name: 'run',
  attributes: agent('support'),
  below: [
    {
      name: 'chat',
      attributes: model([{ id: 'c1', name: 'order_query', arguments: { id: 'A' } }], tokens(10, 5)),
    },
    {
      name: 'order_query',
      attributes: tool('order_query', { id: 'A' }, { status: 'shipped' }, { 'gen_ai.tool.call.id': 'c1' }),
    },
  ],
}

/** A run in which a tool answers with an error. */
export const badRun: Scripted = {
  name: 'run',
  attributes: agent('support'),
  below: [{ name: 'order_query', attributes: tool('order_query', { id: 'A' }, { error: 'no such order' }) }],
}

/** The reports that another reader makes of exported spans. */
export function readBack(spans: readonly ReadableSpan[], rules?: RulesFile): readonly ChainReport[] {
  const collector = new TraceCollector(rules === undefined ? {} : { rules: loadRules(rules) })
  for (const span of spans) collector.add(span)
  return [...collector.closeAll()]
}

/** Waits until something holds, for 5 seconds at most. */
export async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { timeout: 5_000, interval: 5 }).toBe(true)
}

/** A span processor that does one thing and nothing else. */
export function processorWith(parts: Partial<SpanProcessor>): SpanProcessor {
  return {
    onStart: () => {},
    onEnd: () => {},
    forceFlush: async () => {},
    shutdown: async () => {},
    ...parts,
  }
}
