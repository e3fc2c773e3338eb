import { type SpanView, toNanoseconds } from '../../src/steps/span-view.ts'

/** An export request that holds the given spans, as the Collector's file exporter writes one on a line. */
export function encodeOtlp(spans: readonly SpanView[]): string {
  return JSON.stringify({ resourceSpans: spans.map(encodeResource) })
}

function encodeResource(span: SpanView): unknown {
  return {
    resource: { attributes: encodeAttributes(span.resource.attributes) },
    scopeSpans: [{ scope: { name: 'test' }, spans: [encodeSpan(span)] }],
  }
}

/** The Collector leaves out every field that is zero. */
function encodeSpan(span: SpanView): unknown {
  const { traceId, spanId } = span.spanContext()
  const parent = span.parentSpanContext?.spanId
  const message = span.status.message
  return {
    traceId,
    spanId,
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name: span.name,
    kind: 1,
    startTimeUnixNano: String(toNanoseconds(span.startTime)),
    endTimeUnixNano: String(toNanoseconds(span.endTime)),
    attributes: encodeAttributes(span.attributes),
    events: span.events.map((event) => ({
      timeUnixNano: String(toNanoseconds(event.time)),
      name: event.name,
      attributes: encodeAttributes(event.attributes ?? {}),
    })),
    status: {
      ...(span.status.code === 0 ? {} : { code: span.status.code }),
      ...(message ? { message } : {}),
    },
    ...(span.droppedAttributesCount ? { droppedAttributesCount: span.droppedAttributesCount } : {}),
  }
}

function encodeAttributes(attributes: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: encodeValue(value) }))
}

function encodeValue(value: unknown): unknown {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(encodeValue) } }
  if (typeof value !== 'object' || value === null) return {}
  return { kvlistValue: { values: encodeAttributes(value as Record<string, unknown>) } }
}
