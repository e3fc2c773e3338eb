import type { Attributes, EventView, HrTime, SpanView } from '../../src/steps/span-view.ts'

/** What a test says of a span; the rest has defaults. Times are milliseconds since the Unix epoch. */
export interface SpanParts {
  readonly name?: string
  readonly traceId?: string
  readonly spanId?: string
  readonly parentSpanId?: string | null
  readonly startMs?: number
  readonly endMs?: number
  readonly attributes?: Attributes
  readonly events?: readonly {
    readonly name: string
    readonly atMs?: number
    readonly attributes?: Attributes
  }[]
  readonly status?: { readonly code: number; readonly message?: string }
  readonly resource?: Attributes
  readonly droppedAttributesCount?: number
}

/** The trace of spans that name none. */
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'

/** The id of spans that name none. */
const SPAN_ID = 'b7ad6b7169203331'

const START_MS = 1_764_460_800_000

/** A finished span with the given parts: by default a root of one second with status UNSET and no attributes. */
export function createSpan(parts: SpanParts = {}): SpanView {
  const { traceId = TRACE_ID, spanId = SPAN_ID, parentSpanId = null } = parts
  const startMs = parts.startMs ?? START_MS
  const endMs = parts.endMs ?? startMs + 1_000
  return {
    name: parts.name ?? 'step',
    spanContext: () => ({ traceId, spanId }),
    parentSpanContext: parentSpanId === null ? undefined : { spanId: parentSpanId },
    startTime: toHrTime(startMs),
    endTime: toHrTime(endMs),
    status: parts.status ?? { code: 0 },
    attributes: parts.attributes ?? {},
    events: (parts.events ?? []).map(({ name, atMs, attributes }): EventView => ({
      name,
      time: toHrTime(atMs ?? endMs),
      attributes,
    })),
    resource: { attributes: parts.resource ?? { 'service.name': 'test' } },
    droppedAttributesCount: parts.droppedAttributesCount ?? 0,
  }
}

function toHrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1_000)
  return [seconds, Math.round((milliseconds - seconds * 1_000) * 1_000_000)]
}
