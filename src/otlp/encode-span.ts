import { type HrTime, toNanoseconds } from '../steps/span-view.ts'
import {
  readCount,
  readEventTime,
  readOtlpKind,
  readOtlpStatusCode,
  readParentSpanId,
  readSpanIdentity,
} from './decode-span.ts'
import { type AttributeTarget, encodeAttributes } from './encode-any-value.ts'
import { readHexId, SPAN_ID_DIGITS, TRACE_ID_DIGITS } from './hex-id.ts'
import type { WireWriter } from './wire-writer.ts'

type Json = Readonly<Record<string, unknown>>

const MAX_UINT32 = 2 ** 32 - 1
const MAX_ENUM = 2 ** 31 - 1

/**
 * Writes an OTLP/JSON span in protobuf, as a field 2 of its list, with all that OTLP says of a span. What `decodeSpan`
 * rejects is rejected, and what it warns of is left out.
 *
 * @returns whether it was written
 */
export function encodeSpan(json: unknown, target: AttributeTarget): boolean {
  const { writer, log } = target
  const identity = readSpanIdentity(json, log)
  if (identity === undefined) return false
  const span = json as Json
  const start = writer.begin(2)
  writer.bytes(1, Buffer.from(identity.traceId, 'hex'))
  writer.bytes(2, Buffer.from(identity.spanId, 'hex'))
  writeText(writer, 3, span['traceState'] ?? span['trace_state'])
  const parentSpanId = readParentSpanId(span, log)
  if (parentSpanId !== undefined) writer.bytes(4, Buffer.from(parentSpanId, 'hex'))
  writeText(writer, 5, span['name'])
  writeEnum(writer, 6, readOtlpKind(span['kind']))
  writeTime(writer, 7, identity.startTime)
  writeTime(writer, 8, identity.endTime)
  encodeAttributes(9, span['attributes'], 'attributes', target)
  writeCount(writer, 10, span['droppedAttributesCount'] ?? span['dropped_attributes_count'])
  writeEvents(span['events'], target)
  writeCount(writer, 12, span['droppedEventsCount'] ?? span['dropped_events_count'])
  writeLinks(span['links'], target)
  writeCount(writer, 14, span['droppedLinksCount'] ?? span['dropped_links_count'])
  writeStatus(writer, span['status'])
  writeFlags(writer, 16, span['flags'])
  writer.end(start)
  return true
}

/** Writes a count of OTLP/JSON, a number or its text, where it is above 0; one beyond 32 bits is the greatest of them. */
export function writeCount(writer: WireWriter, field: number, value: unknown): void {
  const count = Math.min(readCount(value), MAX_UINT32)
  if (count > 0) writer.varint(field, count)
}

/** Writes a text of OTLP/JSON where it is one and not empty. */
export function writeText(writer: WireWriter, field: number, value: unknown): void {
  if (typeof value === 'string' && value !== '') writer.text(field, value)
}

function writeEvents(list: unknown, target: AttributeTarget): void {
  if (list === undefined || list === null) return
  const { writer, log } = target
  if (!Array.isArray(list)) {
    log.warn('invalid_shape', 'events', 'An array of events', list)
    return
  }
  for (let i = 0; i < list.length; i++) {
    const event: unknown = list[i]
    const path = `events[${i}]`
    if (typeof event === 'object' && event !== null) {
      const json = event as Json
      const start = writer.begin(11)
      writeTime(writer, 1, readEventTime(json, path, log))
      writeText(writer, 2, json['name'])
      encodeAttributes(3, json['attributes'], `${path}.attributes`, target)
      writeCount(writer, 4, json['droppedAttributesCount'] ?? json['dropped_attributes_count'])
      writer.end(start)
    } else log.warn('invalid_shape', path, 'An event', event)
  }
}

/** Nobody reads links here: they are passed on as far as they can be read. */
function writeLinks(list: unknown, target: AttributeTarget): void {
  if (list === undefined || list === null) return
  const { writer, log } = target
  if (!Array.isArray(list)) {
    log.warn('invalid_shape', 'links', 'An array of links', list)
    return
  }
  for (let i = 0; i < list.length; i++) {
    const link: unknown = list[i]
    const path = `links[${i}]`
    if (typeof link === 'object' && link !== null) {
      const json = link as Json
      const start = writer.begin(13)
      writeId(writer, 1, readHexId(json['traceId'] ?? json['trace_id'], TRACE_ID_DIGITS))
      writeId(writer, 2, readHexId(json['spanId'] ?? json['span_id'], SPAN_ID_DIGITS))
      writeText(writer, 3, json['traceState'] ?? json['trace_state'])
      encodeAttributes(4, json['attributes'], `${path}.attributes`, target)
      writeCount(writer, 5, json['droppedAttributesCount'] ?? json['dropped_attributes_count'])
      writeFlags(writer, 6, json['flags'])
      writer.end(start)
    } else log.warn('invalid_shape', path, 'A link', link)
  }
}

function writeStatus(writer: WireWriter, json: unknown): void {
  if (typeof json !== 'object' || json === null) return
  const { message, code } = json as Json
  const start = writer.begin(15)
  writeText(writer, 2, message)
  writeEnum(writer, 3, readOtlpStatusCode(code))
  writer.end(start)
}

function writeEnum(writer: WireWriter, field: number, value: number): void {
  if (value > 0 && value <= MAX_ENUM) writer.varint(field, value)
}

function writeFlags(writer: WireWriter, field: number, value: unknown): void {
  const flags = readCount(value) % 2 ** 32
  if (flags > 0) writer.fixed32(field, flags)
}

function writeTime(writer: WireWriter, field: number, time: HrTime): void {
  const nanoseconds = toNanoseconds(time)
  if (nanoseconds > 0n) writer.fixed64(field, nanoseconds)
}

function writeId(writer: WireWriter, field: number, id: string | undefined): void {
  if (id !== undefined && id !== '') writer.bytes(field, Buffer.from(id, 'hex'))
}
