import {
  type AttributeValue,
  type HrTime,
  type Link,
  SpanKind,
  type SpanStatus,
  SpanStatusCode,
} from '@opentelemetry/api'
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node'

/** What a test says of a finished span of the SDK. */
export interface SdkSpanFields {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string | undefined
  /** Whether the parent is remote. */
  readonly isRemote?: boolean
  readonly name?: string
  readonly kind?: SpanKind
  readonly startTime?: HrTime
  readonly endTime?: HrTime
  readonly status?: SpanStatus
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly events?: readonly {
    readonly name: string
    readonly time: HrTime
    readonly attributes?: Readonly<Record<string, unknown>>
  }[]
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly droppedAttributesCount?: number
  readonly resource?: ReadableSpan['resource']
  readonly scope?: { readonly name: string; readonly version?: string }
}

const NO_RESOURCE = resourceFromAttributes({})
// Spans are put together by the object, not by what it says.
const SCOPE = { name: 'test' }

/** A finished span as the SDK hands it to exporters. */
export function createSdkSpan(fields: SdkSpanFields): ReadableSpan {
  const { traceId, spanId, parentSpanId, isRemote = false } = fields
  const parent =
    parentSpanId === undefined ? undefined : { traceId, spanId: parentSpanId, traceFlags: 1, isRemote }
  return {
    name: fields.name ?? '',
    kind: fields.kind ?? SpanKind.INTERNAL,
    spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
    ...(parent === undefined ? {} : { parentSpanContext: parent }),
    startTime: fields.startTime ?? [0, 0],
    endTime: fields.endTime ?? [0, 0],
    status: fields.status ?? { code: SpanStatusCode.UNSET },
    attributes: toSdkAttributes(fields.attributes),
    links: (fields.links ?? []).map((link): Link => ({ context: { ...link, traceFlags: 1 } })),
    events: (fields.events ?? []).map((event) => ({
      ...event,
      attributes: toSdkAttributes(event.attributes),
    })),
    duration: [0, 0],
    ended: true,
    resource: fields.resource ?? NO_RESOURCE,
    instrumentationScope: fields.scope ?? SCOPE,
    droppedAttributesCount: fields.droppedAttributesCount ?? 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

/** The SDK writes values of any kind, whatever its types say. */
function toSdkAttributes(attributes: Readonly<Record<string, unknown>> = {}): Record<string, AttributeValue> {
  return attributes as Record<string, AttributeValue>
}

/** A request in protobuf, as the SDK sends it. */
export function toMessage(...spans: readonly SdkSpanFields[]): Buffer {
  return Buffer.from(ProtobufTraceSerializer.serializeRequest(spans.map(createSdkSpan)) ?? [])
}

/** Records as the Collector's file exporter writes them: before each its length in four bytes, the highest first. */
export function toRecords(...bodies: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(
    bodies.flatMap((body) => {
      const bytes = Buffer.from(body as Uint8Array)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return [length, bytes]
    }),
  )
}
