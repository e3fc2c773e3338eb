import type { Attributes, EventView, HrTime, SpanView } from '../steps/span-view.ts'
import { readIsRemote, toKind, toStatus, UNSET } from './decode-span.ts'
import type { DecodedSpanFields } from './decoded-span.ts'
import type { AttributeReader } from './read-attributes.ts'
import type { DecodedResource } from './resource-cache.ts'
import type { SpanFields } from './request-parts.ts'

/** What a span shares with others; it is read when the first of them asks for it. */
export interface SharedParts {
  readonly resource: DecodedResource
  readonly instrumentationScope: DecodedSpanFields['instrumentationScope']
}

const NO_EVENTS: readonly EventView[] = []

/** The ids of a span, in lower-case hex. */
export interface SpanIds {
  readonly traceId: string
  readonly spanId: string
  /** Absent on a root. */
  readonly parentSpanId: string | undefined
}

/**
 * A finished span whose attributes, events, resource and scope are read from the bytes of its request when they are asked
 * for, and then kept. Until it is dropped it holds the bytes of the whole request.
 */
export class LazySpan implements SpanView, DecodedSpanFields {
  readonly name: string
  readonly kind: number
  readonly parentSpanContext: DecodedSpanFields['parentSpanContext']
  readonly startTime: HrTime
  readonly endTime: HrTime
  readonly status: DecodedSpanFields['status']
  readonly droppedAttributesCount: number
  readonly #context: { readonly traceId: string; readonly spanId: string }
  readonly #reader: AttributeReader
  readonly #start: number
  readonly #end: number
  readonly #shared: SharedParts
  #attributes: Attributes | undefined
  #events: readonly EventView[] | undefined

  constructor(ids: SpanIds, fields: SpanFields, shared: SharedParts, reader: AttributeReader) {
    const { traceId, spanId, parentSpanId } = ids
    this.name = reader.readName(fields.nameAt, fields.nameEnd)
    this.kind = toKind(fields.kind)
    this.parentSpanContext =
      parentSpanId === undefined ? undefined : { spanId: parentSpanId, isRemote: readIsRemote(fields.flags) }
    this.startTime = reader.readTime(fields.startTimeAt)
    this.endTime = reader.readTime(fields.endTimeAt)
    this.status = fields.hasStatus ? readStatus(fields, reader) : UNSET
    this.droppedAttributesCount = fields.droppedAttributes
    this.#context = { traceId, spanId }
    this.#reader = reader
    this.#start = fields.start
    this.#end = fields.end
    this.#shared = shared
    if (!fields.hasEvents) this.#events = NO_EVENTS
  }

  /** As recorded; of equal keys the last. Read at the first call. */
  get attributes(): Attributes {
    this.#attributes ??= this.#reader.readSpanAttributes(this.#start, this.#end)
    return this.#attributes
  }

  /** In the order of the span. Read at the first call. */
  get events(): readonly EventView[] {
    this.#events ??= this.#reader.readEvents(this.#start, this.#end)
    return this.#events
  }

  /** One object for all spans of equal resources in the request. */
  get resource(): DecodedResource {
    return this.#shared.resource
  }

  /** What recorded the span; absent where nothing is said of it. */
  get instrumentationScope(): DecodedSpanFields['instrumentationScope'] {
    return this.#shared.instrumentationScope
  }

  /** The ids, in lower-case hex. */
  spanContext(): { readonly traceId: string; readonly spanId: string } {
    return this.#context
  }
}

function readStatus(fields: SpanFields, reader: AttributeReader): DecodedSpanFields['status'] {
  const { statusCode, messageAt, messageEnd } = fields
  return toStatus(statusCode, messageAt === messageEnd ? '' : reader.readText(messageAt, messageEnd))
}
