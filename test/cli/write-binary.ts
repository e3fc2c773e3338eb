import { type HrTime, type SpanStatus, SpanStatusCode } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { type SdkSpanFields, toMessage } from '../otlp/sdk-span.ts'
import type { TestSpan } from './write-traces.ts'

/** 2025-11-30T00:00:00Z. */
const EPOCH_SECONDS = 1_764_460_800

const STATUS_CODES = [SpanStatusCode.UNSET, SpanStatusCode.OK, SpanStatusCode.ERROR]

/** One request in protobuf, with what `toLine` has in JSON. */
export function toRequest(spans: readonly TestSpan[], service = 'support'): Buffer {
  const resource = resourceFromAttributes({ 'service.name': service })
  return toMessage(...spans.map((span) => toSdkFields(span, resource)))
}

function toSdkFields(span: TestSpan, resource: SdkSpanFields['resource'] & object): SdkSpanFields {
  const { startMs, endMs, parentSpanId, attributes = {}, status } = span
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId,
    name: span.name,
    startTime: toTime(startMs),
    endTime: toTime(endMs),
    attributes,
    ...(status === undefined ? {} : { status: toSdkStatus(status) }),
    resource,
  }
}

function toSdkStatus({ code, message }: TestSpan['status'] & object): SpanStatus {
  const status = { code: STATUS_CODES[code] ?? SpanStatusCode.UNSET }
  return message === undefined ? status : { ...status, message }
}

function toTime(ms: number): HrTime {
  return [EPOCH_SECONDS + Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000]
}
