import type { Context, Span as ApiSpan } from '@opentelemetry/api'
import { context, trace } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import { describe, expect, it } from 'vitest'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { agent, reportsOf, tool } from '../chain/trace-script.ts'

/** Counts every span at its start and writes the number at its end, as the live processor does. */
class SequenceProcessor implements SpanProcessor {
  #next = 0
  readonly #numbers = new WeakMap<object, number>()

  onStart(span: ApiSpan, _parent: Context): void {
    this.#numbers.set(span, this.#next++)
  }

  onEnding(span: ApiSpan): void {
    const number = this.#numbers.get(span)
    if (number !== undefined) span.setAttribute('agent_reach.step.sequence', number)
  }

  onEnd(): void {}

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}

const REPETITIONS = 1_000

/** A run whose query fails twice and then succeeds, all well below a millisecond, and whose root ends with it. */
function record(withSequence: boolean): readonly (readonly ReadableSpan[])[] {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({
    spanProcessors: [...(withSequence ? [new SequenceProcessor()] : []), new SimpleSpanProcessor(exporter)],
  })
  const tracer = provider.getTracer('test')
  return Array.from({ length: REPETITIONS }, () => {
    exporter.reset()
    const root = tracer.startSpan('run', { attributes: agent('support') as Record<string, string> })
    const below = trace.setSpan(context.active(), root)
    for (const result of [{ error: 'down' }, { error: 'down' }, { order_id: 'A', status: 'shipped' }]) {
      const attributes = tool('order_query', { order_id: 'A' }, result) as Record<string, string>
      tracer.startSpan('execute_tool order_query', { attributes }, below).end()
    }
    root.end()
    return [...exporter.getFinishedSpans()]
  })
}

const oneReport = (spans: readonly ReadableSpan[]): ChainReport => reportsOf(spans)[0] as ChainReport

describe(`with the real SDK, in ${REPETITIONS} repetitions`, () => {
  it('a retry sequence below a millisecond folds in call order where spans carry their sequence', () => {
    for (const spans of record(true)) {
      for (const order of [spans, spans.toReversed()]) {
        const report = oneReport(order)
        const expected = spans.map((span) => span.spanContext().spanId)
        expect(report.steps.map((step) => step.span_id)).toEqual(expected)
        expect(report).toMatchObject({ overall_status: 'success', retry_count: 2 })
        expect(report.findings.map((finding) => finding.order)).toEqual(['certain', 'certain'])
      }
    }
  })

  it('without the sequence, what hangs on the order of one millisecond says uncertain and fails nothing', () => {
    let undecided = 0
    for (const spans of record(false)) {
      const report = oneReport(spans)
      expect(report.steps.at(-1)?.node_name).toBe('support')
      const starts = new Set(spans.slice(0, 3).map((span) => span.startTime.join('.')))
      if (starts.size > 1) continue
      undecided++
      expect(report.overall_status).toBe('success')
      expect(report.findings.map(({ order, severity }) => `${order} ${severity}`)).toEqual([
        'uncertain warn',
        'uncertain warn',
      ])
    }
    expect(undecided).toBeGreaterThan(REPETITIONS / 10)
  })
})
