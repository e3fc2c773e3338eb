import { WIRE_BYTES, WIRE_VARINT, type WireCursor } from './wire-cursor.ts'

/** An event that is known by its name, and by a text among its attributes where one is given. */
export interface EventMatch {
  readonly name: string
  readonly attribute?: readonly [key: string, value: string]
}

/** What the reader of the parts of a span looks for. */
export interface PartMatches {
  readonly events: readonly EventMatch[]
  /** The attribute that says `true` where the status is ours. */
  readonly statusKey: string | null
}

/** Where a field of a span lies in the bytes of its request. */
export interface SpanPart {
  readonly start: number
  readonly end: number
}

/** An attribute of a span. */
export interface AttributePart extends SpanPart {
  readonly key: string
}

/**
 * Reads the id of a span that begins where the cursor stands, and nothing else of it.
 *
 * @throws {WireFault} where its fields cannot be told apart
 */
export function readSpanId(cursor: WireCursor, end: number): string {
  let spanId = ''
  while (cursor.at < end) {
    const tag = cursor.readTag(end)
    if (tag === SPAN_ID) spanId = cursor.readBytes(end).toString('hex')
    else cursor.skip(tag, end)
  }
  return spanId
}

/** What has to be known of the bytes of a span to change it. */
export interface SpanParts {
  /** 16 lower-case hex digits; another number of them, or none, where it is no id. */
  spanId: string
  readonly attributes: AttributePart[]
  /** The events that were looked for. */
  readonly events: SpanPart[]
  readonly statuses: SpanPart[]
  /** Fields of the status that OTLP does not have. */
  readonly statusRest: SpanPart[]
  hasStatus: boolean
  isStatusOurs: boolean
}

const SPAN_ID = tagOf(2)
const ATTRIBUTE = tagOf(9)
const EVENT = tagOf(11)
const STATUS = tagOf(15)
const FIRST = tagOf(1)
const SECOND = tagOf(2)
const THIRD = tagOf(3)
const STATUS_CODE = tagOf(3, WIRE_VARINT)
const BOOL_VALUE = tagOf(2, WIRE_VARINT)

function tagOf(number: number, wire: number = WIRE_BYTES): number {
  return number * 8 + wire
}

/**
 * Reads the parts of a span that begins where the cursor stands.
 *
 * @throws {WireFault} where the span is damaged
 */
export function readSpanParts(cursor: WireCursor, end: number, matches: PartMatches): SpanParts {
  const parts: SpanParts = {
    spanId: '',
    attributes: [],
    events: [],
    statuses: [],
    statusRest: [],
    hasStatus: false,
    isStatusOurs: false,
  }
  while (cursor.at < end) {
    const start = cursor.at
    const tag = cursor.readTag(end)
    if (tag === SPAN_ID) parts.spanId = cursor.readBytes(end).toString('hex')
    else if (tag === ATTRIBUTE) readAttribute(cursor, start, cursor.readEnd(end), { parts, matches })
    else if (tag === EVENT) readEvent(cursor, start, cursor.readEnd(end), { parts, matches })
    else if (tag === STATUS) readStatus(cursor, start, cursor.readEnd(end), parts)
    else cursor.skip(tag, end)
  }
  return parts
}

interface Reading {
  readonly parts: SpanParts
  readonly matches: PartMatches
}

function readAttribute(cursor: WireCursor, start: number, end: number, { parts, matches }: Reading): void {
  const { key, value } = readKeyValue(cursor, end)
  parts.attributes.push({ key, start, end })
  if (key !== matches.statusKey || value === null) return
  parts.isStatusOurs = isTrue(cursor, value)
  cursor.at = end
}

function readKeyValue(
  cursor: WireCursor,
  end: number,
): { readonly key: string; readonly value: SpanPart | null } {
  let key = ''
  let value: SpanPart | null = null
  while (cursor.at < end) {
    const tag = cursor.readTag(end)
    if (tag === FIRST) key = cursor.readText(end)
    else if (tag === SECOND) {
      const stop = cursor.readEnd(end)
      value = { start: cursor.at, end: stop }
      cursor.at = stop
    } else cursor.skip(tag, end)
  }
  return { key, value }
}

function isTrue(cursor: WireCursor, { start, end }: SpanPart): boolean {
  let found = false
  cursor.at = start
  while (cursor.at < end) {
    const tag = cursor.readTag(end)
    found = tag === BOOL_VALUE && cursor.readBool(end)
    if (tag !== BOOL_VALUE) cursor.skip(tag, end)
  }
  return found
}

function readText(cursor: WireCursor, { start, end }: SpanPart): string | null {
  let found: string | null = null
  cursor.at = start
  while (cursor.at < end) {
    const tag = cursor.readTag(end)
    found = tag === FIRST ? cursor.readText(end) : null
    if (tag !== FIRST) cursor.skip(tag, end)
  }
  return found
}

function readEvent(cursor: WireCursor, start: number, end: number, { parts, matches }: Reading): void {
  if (matches.events.length > 0) {
    const content = cursor.at
    const name = readName(cursor, end)
    const candidates = matches.events.filter((match) => match.name === name)
    if (candidates.some(({ attribute }) => hasText(cursor, { start: content, end }, attribute))) {
      parts.events.push({ start, end })
    }
  }
  cursor.at = end
}

function readName(cursor: WireCursor, end: number): string {
  let name = ''
  while (cursor.at < end) {
    const tag = cursor.readTag(end)
    if (tag === SECOND) name = cursor.readText(end)
    else cursor.skip(tag, end)
  }
  return name
}

function hasText(cursor: WireCursor, { start, end }: SpanPart, attribute: EventMatch['attribute']): boolean {
  if (attribute === undefined) return true
  let found = false
  cursor.at = start
  while (cursor.at < end) {
    const tag = cursor.readTag(end)
    if (tag !== THIRD) {
      cursor.skip(tag, end)
      continue
    }
    const stop = cursor.readEnd(end)
    const { key, value } = readKeyValue(cursor, stop)
    if (key === attribute[0]) found = value !== null && readText(cursor, value) === attribute[1]
    cursor.at = stop
  }
  return found
}

/** Of a status that is written in pieces every piece counts. */
function readStatus(cursor: WireCursor, start: number, end: number, parts: SpanParts): void {
  parts.statuses.push({ start, end })
  while (cursor.at < end) {
    const at = cursor.at
    const tag = cursor.readTag(end)
    if (tag === STATUS_CODE) parts.hasStatus = cursor.readUint32(end) !== 0 || parts.hasStatus
    else if (tag === SECOND) parts.hasStatus = cursor.readBytes(end).length > 0 || parts.hasStatus
    else {
      cursor.skip(tag, end)
      parts.statusRest.push({ start: at, end: cursor.at })
    }
  }
}
