import type { SpanView } from '../../src/steps/span-view.ts'

/** All that a span says, also where it is read at the first call; maps are without a prototype, as they are read. */
export function contentOf(span: SpanView): object {
  const { name, startTime, endTime, status, attributes, events, instrumentationScope } = span
  const { parentSpanContext, droppedAttributesCount, resource } = span
  const kind = (span as { readonly kind?: number }).kind
  const scope = instrumentationScope
  return {
    context: { ...span.spanContext() },
    parentSpanContext,
    name,
    kind,
    startTime,
    endTime,
    status,
    attributes: toPlain(attributes),
    events: events.map((event) => ({ ...event, attributes: toPlain(event.attributes) })),
    resource: toPlain(resource.attributes),
    scope,
    droppedAttributesCount,
  }
}

/** Maps as lists of entries, which have an order, and of which none is hidden by its name. */
function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  return { entries: Object.entries(value).map(([key, inner]) => [key, toPlain(inner)]) }
}
