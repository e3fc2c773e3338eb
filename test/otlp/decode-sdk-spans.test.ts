import { SpanKind, SpanStatusCode, TraceFlags, trace, ROOT_CONTEXT } from '@opentelemetry/api'
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import { describe, expect, it } from 'vitest'
import { decodeTraces } from '../../src/otlp/decode-json.ts'
import type { SpanView } from '../../src/steps/span-view.ts'

function record(): ReadableSpan[] {
  const exporter = new InMemorySpanExporter()
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'shop', 'process.pid': 7, flags: [true, false] }),
    spanProcessors: [new SimpleSpanProcessor(exporter)],
    spanLimits: { attributeCountLimit: 8 },
  })
  const tracer = provider.getTracer('agent', '1.2.3')
  const root = tracer.startSpan('invoke_agent', { kind: SpanKind.SERVER })
  const below = trace.setSpan(ROOT_CONTEXT, root)
  const tool = tracer.startSpan('execute_tool', { kind: SpanKind.INTERNAL }, below)
  tool.setAttributes({ text: 'é "quoted" \n', empty: '', whole: 42, half: -0.5, big: 2 ** 40, yes: true })
  tool.setAttribute('list', ['a', 'b'])
  tool.setAttribute('numbers', [1, 2.5])
  tool.setAttribute('too many', 1)
  tool.addEvent('note', { n: 1 })
  tool.recordException(new Error('boom'))
  tool.setStatus({ code: SpanStatusCode.ERROR, message: 'boom' })
  tool.end()
  root.setStatus({ code: SpanStatusCode.OK })
  root.end()
  const remote = {
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  }
  const other = provider.getTracer('other')
  other.startSpan('chat', { kind: SpanKind.CLIENT }, trace.setSpanContext(ROOT_CONTEXT, remote)).end()
  return exporter.getFinishedSpans()
}

/** What the pipeline reads of a span, as plain data. */
function contentOf(span: SpanView & { readonly kind: number }) {
  const { traceId, spanId } = span.spanContext()
  return {
    traceId,
    spanId,
    parent: span.parentSpanContext?.spanId,
    // The SDK leaves it out where it is false, OTLP tells it.
    isRemoteParent: span.parentSpanContext?.isRemote ?? false,
    name: span.name,
    kind: span.kind,
    startTime: [...span.startTime],
    endTime: [...span.endTime],
    status: { code: span.status.code, message: span.status.message },
    attributes: { ...span.attributes },
    events: span.events.map(({ name, time, attributes }) => ({
      name,
      time: [...time],
      attributes: { ...attributes },
    })),
    resource: { ...span.resource.attributes },
    scope: span.instrumentationScope?.name,
    version: span.instrumentationScope?.version,
    dropped: span.droppedAttributesCount,
  }
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1
}

describe('decodeTraces() reads what the OpenTelemetry SDK for JavaScript sends', () => {
  it('as the SDK has it', () => {
    const recorded = record()
    const bytes = JsonTraceSerializer.serializeRequest(recorded)
    const { spans, rejected } = decodeTraces(JSON.parse(Buffer.from(bytes ?? []).toString()))
    expect(rejected).toEqual([])
    expect(spans).toHaveLength(3)
    expect(spans.map(contentOf).toSorted(byName)).toEqual(recorded.map(contentOf).toSorted(byName))
    expect(spans.map(({ droppedAttributesCount }) => droppedAttributesCount)).toContain(1)
    expect(spans.some(({ parentSpanContext }) => parentSpanContext?.isRemote === true)).toBe(true)
  })
})
