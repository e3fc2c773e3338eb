// Requests as a real exporter encodes them, in protobuf and in JSON, from the spans of `seeded-traces.mjs`.
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { gzipSync } from 'node:zlib'

const toTime = (ms) => [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000]

const resource = { attributes: { 'service.name': 'soak' }, asyncAttributesPending: false }
const instrumentationScope = { name: 'soak', version: '1' }

function toReadableSpan(span) {
  const context = { traceId: span.traceId, spanId: span.spanId, traceFlags: 1 }
  const events = span.error === undefined ? [] : [toException(span)]
  return {
    name: span.name,
    kind: 0,
    spanContext: () => context,
    parentSpanContext: span.parentSpanId === null ? undefined : { ...context, spanId: span.parentSpanId },
    startTime: toTime(span.startMs),
    endTime: toTime(span.endMs),
    duration: toTime(span.endMs - span.startMs),
    status: span.error === undefined ? { code: 0 } : { code: 2, message: span.error.message },
    attributes: span.attributes,
    links: [],
    events,
    ended: true,
    resource,
    instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

function toException({ error, endMs }) {
  const attributes = { 'exception.type': error.type, 'exception.message': error.message }
  return { name: 'exception', time: toTime(endMs), attributes, droppedAttributesCount: 0 }
}

/** A body and its headers. */
export function encodeSpans(spans, { json, gzip }) {
  const serializer = json ? JsonTraceSerializer : ProtobufTraceSerializer
  const body = Buffer.from(serializer.serializeRequest(spans.map(toReadableSpan)))
  const headers = { 'content-type': json ? 'application/json' : 'application/x-protobuf' }
  return gzip
    ? { body: gzipSync(body), headers: { ...headers, 'content-encoding': 'gzip' } }
    : { body, headers }
}
