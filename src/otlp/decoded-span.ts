import type { Attributes, EventView, HrTime, SpanView } from '../steps/span-view.ts'
import type { DecodedResource } from './resource-cache.ts'

/** Everything but the ids of a span that was read from OTLP. */
export interface DecodedSpanFields {
  readonly name: string
  /** OpenTelemetry's API `SpanKind`: 0 internal (and unspecified), 1 server, 2 client, 3 producer, 4 consumer. */
  readonly kind: number
  readonly parentSpanContext: { readonly spanId: string; readonly isRemote: boolean | undefined } | undefined
  readonly startTime: HrTime
  readonly endTime: HrTime
  readonly status: { readonly code: number; readonly message: string | undefined }
  readonly attributes: Attributes
  readonly events: readonly EventView[]
  readonly resource: DecodedResource
  readonly instrumentationScope: { readonly name: string; readonly version: string | undefined } | undefined
  readonly droppedAttributesCount: number
}

/** A finished span that was read from OTLP, in the shape in which the SDK hands spans to exporters. */
export class DecodedSpan implements SpanView, DecodedSpanFields {
  readonly name: string
  readonly kind: number
  readonly parentSpanContext: DecodedSpanFields['parentSpanContext']
  readonly startTime: HrTime
  readonly endTime: HrTime
  readonly status: DecodedSpanFields['status']
  readonly attributes: Attributes
  readonly events: readonly EventView[]
  readonly resource: DecodedResource
  readonly instrumentationScope: DecodedSpanFields['instrumentationScope']
  readonly droppedAttributesCount: number
  readonly #context: { readonly traceId: string; readonly spanId: string }

  constructor(traceId: string, spanId: string, fields: DecodedSpanFields) {
    this.name = fields.name
    this.kind = fields.kind
    this.parentSpanContext = fields.parentSpanContext
    this.startTime = fields.startTime
    this.endTime = fields.endTime
    this.status = fields.status
    this.attributes = fields.attributes
    this.events = fields.events
    this.resource = fields.resource
    this.instrumentationScope = fields.instrumentationScope
    this.droppedAttributesCount = fields.droppedAttributesCount
    this.#context = { traceId, spanId }
  }

  /** The ids, in lower-case hex. */
  spanContext(): { readonly traceId: string; readonly spanId: string } {
    return this.#context
  }
}
