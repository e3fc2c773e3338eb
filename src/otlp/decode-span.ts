import type { EventView, HrTime } from '../steps/span-view.ts'
import { decodeAttributes } from './any-value.ts'
import { DecodedSpan, type DecodedSpanFields } from './decoded-span.ts'
import { readHexId, SPAN_ID_DIGITS, TRACE_ID_DIGITS } from './hex-id.ts'
import type { RejectionLog } from './rejection-log.ts'
import type { DecodedResource } from './resource-cache.ts'
import { readUnixNanoseconds } from './unix-nanoseconds.ts'

/** What a span shares with the other spans of its list. */
export interface SpanSurroundings {
  readonly resource: DecodedResource
  readonly instrumentationScope: DecodedSpanFields['instrumentationScope']
}

interface SpanJson {
  readonly traceId?: unknown
  readonly trace_id?: unknown
  readonly spanId?: unknown
  readonly span_id?: unknown
  readonly parentSpanId?: unknown
  readonly parent_span_id?: unknown
  readonly flags?: unknown
  readonly name?: unknown
  readonly kind?: unknown
  readonly startTimeUnixNano?: unknown
  readonly start_time_unix_nano?: unknown
  readonly endTimeUnixNano?: unknown
  readonly end_time_unix_nano?: unknown
  readonly attributes?: unknown
  readonly droppedAttributesCount?: unknown
  readonly dropped_attributes_count?: unknown
  readonly events?: unknown
  readonly status?: unknown
}

interface EventJson {
  readonly name?: unknown
  readonly timeUnixNano?: unknown
  readonly time_unix_nano?: unknown
  readonly attributes?: unknown
}

interface StatusJson {
  readonly code?: unknown
  readonly message?: unknown
}

const TIME = 'Nanoseconds since 1970 as a decimal number'
const NO_EVENTS: readonly EventView[] = []
/** The status of a span that says nothing of it. */
export const UNSET: DecodedSpanFields['status'] = { code: 0, message: undefined }

const OTLP_KIND_INTERNAL = 1
const OTLP_KIND_CONSUMER = 5
const OTLP_KINDS: ReadonlyMap<unknown, number> = new Map([
  ['SPAN_KIND_INTERNAL', OTLP_KIND_INTERNAL],
  ['SPAN_KIND_SERVER', 2],
  ['SPAN_KIND_CLIENT', 3],
  ['SPAN_KIND_PRODUCER', 4],
  ['SPAN_KIND_CONSUMER', OTLP_KIND_CONSUMER],
])

const STATUS_ERROR = 2
const STATUS_CODES: ReadonlyMap<unknown, number> = new Map([
  ['STATUS_CODE_OK', 1],
  ['STATUS_CODE_ERROR', STATUS_ERROR],
])

// Bits 8 and 9 of `Span.flags`: whether it is known that the parent is remote, and whether it is.
const FLAG_HAS_IS_REMOTE = 0x100
const FLAG_IS_REMOTE = 0x200

/**
 * Reads one OTLP/JSON span at the log's position.
 *
 * @returns The span; `undefined` where an id or a time cannot be read, which is then in the log.
 */
export function decodeSpan(
  json: unknown,
  around: SpanSurroundings,
  log: RejectionLog,
): DecodedSpan | undefined {
  const identity = readSpanIdentity(json, log)
  if (identity === undefined) return undefined
  const span = json as SpanJson
  const parentSpanId = readParentSpanId(span, log)
  return new DecodedSpan(identity.traceId, identity.spanId, {
    name: typeof span.name === 'string' ? span.name : '',
    kind: toKind(readOtlpKind(span.kind)),
    parentSpanContext: parentSpanId === undefined ? undefined : readParent(span, parentSpanId),
    startTime: identity.startTime,
    endTime: identity.endTime,
    status: readStatus(span.status),
    attributes: decodeAttributes(span.attributes, 'attributes', log),
    events: readEvents(span.events, log),
    resource: around.resource,
    instrumentationScope: around.instrumentationScope,
    droppedAttributesCount: readCount(span.droppedAttributesCount ?? span.dropped_attributes_count),
  })
}

/** What a span has to have. */
export interface SpanIdentity {
  /** In lower-case hex. */
  readonly traceId: string
  /** In lower-case hex. */
  readonly spanId: string
  readonly startTime: HrTime
  readonly endTime: HrTime
}

/** Reads ids and times of an OTLP/JSON span; `undefined` where one cannot be read, which is then in the log. */
export function readSpanIdentity(json: unknown, log: RejectionLog): SpanIdentity | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    log.reject('invalid_shape', '', 'A span', json)
    return undefined
  }
  const span = json as SpanJson
  const rawTraceId = span.traceId ?? span.trace_id
  const rawSpanId = span.spanId ?? span.span_id
  const traceId = readHexId(rawTraceId, TRACE_ID_DIGITS)
  const spanId = readHexId(rawSpanId, SPAN_ID_DIGITS)
  const startTime = readUnixNanoseconds(span.startTimeUnixNano ?? span.start_time_unix_nano)
  const endTime = readUnixNanoseconds(span.endTimeUnixNano ?? span.end_time_unix_nano)
  if (traceId === undefined || traceId === '') {
    log.reject('invalid_trace_id', 'traceId', '32 hex digits, not all zero', rawTraceId)
  } else if (spanId === undefined || spanId === '') {
    log.reject('invalid_span_id', 'spanId', '16 hex digits, not all zero', rawSpanId)
  } else if (startTime === undefined) {
    log.reject('invalid_time', 'startTimeUnixNano', TIME, span.startTimeUnixNano ?? span.start_time_unix_nano)
  } else if (endTime === undefined) {
    log.reject('invalid_time', 'endTimeUnixNano', TIME, span.endTimeUnixNano ?? span.end_time_unix_nano)
  } else {
    return { traceId, spanId, startTime, endTime }
  }
  return undefined
}

interface ParentJson {
  readonly parentSpanId?: unknown
  readonly parent_span_id?: unknown
}

/** Reads the parent of an OTLP/JSON span, in lower-case hex; `undefined` where it has none, or none that can be read. */
export function readParentSpanId(span: ParentJson, log: RejectionLog): string | undefined {
  const raw = span.parentSpanId ?? span.parent_span_id
  if (raw === undefined || raw === null || raw === '') return undefined
  const spanId = readHexId(raw, SPAN_ID_DIGITS)
  // Some exporters write a root's parent as all zeros, so that is not worth a warning.
  if (spanId === '') return undefined
  if (spanId === undefined) {
    log.warn('invalid_parent_span_id', 'parentSpanId', '16 hex digits, or nothing on a root', raw)
  }
  return spanId
}

function readParent(span: SpanJson, spanId: string): DecodedSpanFields['parentSpanContext'] {
  return { spanId, isRemote: readIsRemote(readCount(span.flags)) }
}

/** What the flags of a span say of its parent: whether it is in another process; `undefined` where they do not say. */
export function readIsRemote(flags: number): boolean | undefined {
  return (flags & FLAG_HAS_IS_REMOTE) === 0 ? undefined : (flags & FLAG_IS_REMOTE) !== 0
}

/** Reads `Span.kind`, a number or a name: a whole number from 0; 0 for anything else. */
export function readOtlpKind(kind: unknown): number {
  return OTLP_KINDS.get(kind) ?? readCount(kind)
}

/** The API's `SpanKind` of a `Span.kind`; what is unspecified or unknown is internal. */
export function toKind(kind: number): number {
  return kind > OTLP_KIND_INTERNAL && kind <= OTLP_KIND_CONSUMER ? kind - OTLP_KIND_INTERNAL : 0
}

/** Reads `Status.code`, a number or a name: a whole number from 0; 0 for anything else. */
export function readOtlpStatusCode(code: unknown): number {
  return STATUS_CODES.get(code) ?? readCount(code)
}

/** The status of a span by its code and message; a code that is unknown is unset. */
export function toStatus(code: number, message: unknown): DecodedSpanFields['status'] {
  const known = code > 0 && code <= STATUS_ERROR ? code : 0
  return { code: known, message: typeof message === 'string' && message !== '' ? message : undefined }
}

function readStatus(json: unknown): DecodedSpanFields['status'] {
  if (typeof json !== 'object' || json === null) return UNSET
  const { code, message } = json as StatusJson
  return toStatus(readOtlpStatusCode(code), message)
}

/** A whole number from 0, written as a number or as a text; 0 for anything else, as for an absent field. */
export function readCount(value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : 0
}

function readEvents(list: unknown, log: RejectionLog): readonly EventView[] {
  if (list === undefined || list === null) return NO_EVENTS
  if (!Array.isArray(list)) {
    log.warn('invalid_shape', 'events', 'An array of events', list)
    return NO_EVENTS
  }
  if (list.length === 0) return NO_EVENTS
  const events: EventView[] = []
  for (let i = 0; i < list.length; i++) {
    const event: unknown = list[i]
    if (typeof event === 'object' && event !== null) events.push(readEvent(event, `events[${i}]`, log))
    else log.warn('invalid_shape', `events[${i}]`, 'An event', event)
  }
  return events
}

function readEvent(event: EventJson, path: string, log: RejectionLog): EventView {
  return {
    name: typeof event.name === 'string' ? event.name : '',
    time: readEventTime(event, path, log),
    attributes: decodeAttributes(event.attributes, `${path}.attributes`, log),
  }
}

interface EventTimeJson {
  readonly timeUnixNano?: unknown
  readonly time_unix_nano?: unknown
}

/** Reads the time of an OTLP/JSON event; 0 for one that cannot be read, of which the log is warned. */
export function readEventTime(event: EventTimeJson, path: string, log: RejectionLog): HrTime {
  const raw = event.timeUnixNano ?? event.time_unix_nano
  const time = readUnixNanoseconds(raw)
  if (time === undefined) log.warn('invalid_time', `${path}.timeUnixNano`, TIME, raw)
  return time ?? [0, 0]
}
