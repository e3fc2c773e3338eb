import type { OpenTraceView } from '../open-traces.ts'
import { countSchema, type JsonSchema, objectSchema, reportRef } from './json-schema.ts'
import { timeSchema, toJsonTime } from './json-time.ts'

/** Writes what is known of an open trace. */
export function toOpenTraceRow(view: OpenTraceView): Readonly<Record<string, unknown>> {
  return {
    trace_id: view.traceId,
    first_seen_at: toJsonTime(view.firstSeenMs),
    last_seen_at: toJsonTime(view.lastSeenMs),
    closes_at: toJsonTime(view.closesMs),
    span_count: view.spanCount,
    revision: view.revision,
  }
}

/** What {@link toOpenTraceRow} writes. */
export const openTraceRowSchema: JsonSchema = objectSchema('A trace that is open', {
  trace_id: reportRef('TraceId'),
  first_seen_at: timeSchema('When its first span came'),
  last_seen_at: timeSchema('When its last span came'),
  closes_at: timeSchema('When it is closed if nothing more comes'),
  span_count: countSchema('Distinct spans that have come since it was opened'),
  revision: countSchema('Of its reports; 0 where it was never reported'),
})
