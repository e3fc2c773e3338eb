import { type Nested, passField, passMessage, toNested } from './pass-message.ts'
import type { RejectionLog } from './rejection-log.ts'
import { ResourceParts, ScopeParts, SpanFields, type SpanSink, type WirePart } from './request-parts.ts'
import { resourceMessage, scopeMessage, spanMessage } from './trace-messages.ts'
import { WIRE_BYTES, WireCursor, WireFault } from './wire-cursor.ts'

/** What was found on the way. */
export interface WalkedRequest {
  /** The first damage outside of a span, which costs what follows it in its list. */
  readonly fault: WireFault | undefined
  /** How many lists have such damage. */
  readonly lostParts: number
  /** How many spans there are, or what stands in their place. */
  readonly elements: number
  /** Some element has the ids or a time of a span. */
  readonly hasSpans: boolean
}

/** In how many parts a resource or a scope may come; each takes many times its two bytes, and senders write one. */
const MAX_PARTS = 1_000
/** How many damages are told one by one: each costs microseconds, and three bytes can be a span that is damaged. */
const MAX_FAULTS = 10_000
const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8

const RESOURCE = toNested(resourceMessage)
const SCOPE = toNested(scopeMessage)
const SPAN = toNested(spanMessage)
const EVENT = SPAN.inner[11] ?? SPAN

/** The number of a field, above how it is written. */
const LIST = (1 << 3) | WIRE_BYTES
const INNER_LIST = (2 << 3) | WIRE_BYTES
const SCHEMA_URL = (3 << 3) | WIRE_BYTES
const SPAN_LEVEL = 4

/**
 * Walks once over an `ExportTraceServiceRequest` in protobuf without reading the content of its spans; that they are
 * whole is proved to the same depth, and by the same rules, as `decodeMessage` does. Fields may come in any order and
 * more than once: what spans share is complete only at the end.
 */
export class RequestWalker implements WalkedRequest {
  fault: WireFault | undefined
  lostParts = 0
  elements = 0
  hasSpans = false
  #faults = 0
  readonly #cursor: WireCursor
  readonly #end: number
  readonly #sink: SpanSink
  readonly #log: RejectionLog
  readonly #span = new SpanFields()

  constructor(bytes: Buffer, sink: SpanSink, log: RejectionLog) {
    this.#cursor = new WireCursor(bytes)
    this.#end = bytes.length
    this.#sink = sink
    this.#log = log
  }

  /** Gives all spans to the sink, in their order, at whose place the log then stands. It never throws. */
  walk(): WalkedRequest {
    const cursor = this.#cursor
    const { position } = this.#log
    position.push('resourceSpans', 0)
    let index = 0
    try {
      while (cursor.at < this.#end) {
        const tag = cursor.readTag(this.#end)
        if (tag === LIST) {
          position[1] = index++
          this.#walkResourceSpans(cursor.readEnd(this.#end))
        } else cursor.skip(tag, this.#end)
      }
    } catch (error) {
      this.#noteLoss(error, 0)
    }
    position.length = 0
    return this
  }

  #walkResourceSpans(end: number): void {
    const cursor = this.#cursor
    const parts = new ResourceParts()
    const { position } = this.#log
    position.push('scopeSpans', 0)
    let index = 0
    try {
      while (cursor.at < end) {
        const tag = cursor.readTag(end)
        if (tag === LIST) this.#passPart(parts.resource, RESOURCE, cursor.readEnd(end), 3)
        else if (tag === INNER_LIST) {
          const stop = cursor.readEnd(end)
          position[3] = index++
          this.#walkScopeSpans(stop, parts)
        } else if (tag === SCHEMA_URL) parts.schemaUrl = this.#passBytes(end)
        else cursor.skip(tag, end)
      }
    } catch (error) {
      this.#noteLoss(error, 2)
      cursor.at = end
    }
    position.length = 2
  }

  #walkScopeSpans(end: number, around: ResourceParts): void {
    const cursor = this.#cursor
    const parts = new ScopeParts(around)
    const { position } = this.#log
    position.push('spans', 0)
    let index = 0
    try {
      while (cursor.at < end) {
        const fieldAt = cursor.at
        const tag = cursor.readTag(end)
        if (tag === INNER_LIST) {
          const stop = cursor.readEnd(end)
          position[5] = index++
          this.#walkSpan(fieldAt, stop, parts)
        } else if (tag === LIST) this.#passPart(parts.scope, SCOPE, cursor.readEnd(end), SPAN_LEVEL)
        else if (tag === SCHEMA_URL) parts.schemaUrl = this.#passBytes(end)
        else cursor.skip(tag, end)
      }
    } catch (error) {
      this.#noteLoss(error, 4)
      cursor.at = end
    }
    position.length = 4
  }

  #walkSpan(fieldAt: number, end: number, scope: ScopeParts): void {
    const cursor = this.#cursor
    const span = this.#span
    this.elements += 1
    span.reset(fieldAt, cursor.at, end)
    try {
      while (cursor.at < end) this.#readSpanField(cursor.readTag(end), end, span)
    } catch (error) {
      if (!(error instanceof WireFault)) throw error
      cursor.at = end
      this.#log.reject('invalid_shape', '', error.expected, error.found)
      this.#sink.leaveOut(span)
      this.#faults += 1
      if (this.#faults > MAX_FAULTS) throw error
      return
    }
    this.hasSpans ||= isSpan(span)
    this.#sink.take(span, scope)
  }

  #readSpanField(tag: number, end: number, span: SpanFields): void {
    const cursor = this.#cursor
    switch (tag) {
      case 0x5a: // events
        span.hasEvents = true
        passMessage(cursor, EVENT, cursor.readEnd(end), SPAN_LEVEL)
        return
      case 0x4a: // attributes
      case 0x6a: // links
        passMessage(cursor, SPAN.inner[tag >>> 3] ?? SPAN, cursor.readEnd(end), SPAN_LEVEL)
        return
      case 0x0a: {
        const stop = cursor.readEnd(end)
        span.traceIdAt = cursor.at
        span.traceIdBytes = stop - cursor.at
        cursor.at = stop
        return
      }
      case 0x12: {
        const stop = cursor.readEnd(end)
        span.spanIdAt = cursor.at
        span.spanIdBytes = stop - cursor.at
        cursor.at = stop
        return
      }
      case 0x22: {
        const stop = cursor.readEnd(end)
        span.parentAt = cursor.at
        span.parentBytes = stop - cursor.at
        cursor.at = stop
        return
      }
      default:
        this.#readPlainField(tag, end, span)
    }
  }

  #readPlainField(tag: number, end: number, span: SpanFields): void {
    const cursor = this.#cursor
    switch (tag) {
      case 0x2a:
        span.nameEnd = cursor.readEnd(end)
        span.nameAt = cursor.at
        cursor.at = span.nameEnd
        return
      case 0x30:
        span.kind = cursor.readUint32(end) | 0
        return
      case 0x39:
        cursor.skip(tag, end)
        span.startTimeAt = cursor.at - 8
        return
      case 0x41:
        cursor.skip(tag, end)
        span.endTimeAt = cursor.at - 8
        return
      case 0x50:
        span.droppedAttributes = cursor.readUint32(end)
        return
      case 0x7a:
        this.#readStatus(cursor.readEnd(end), span)
        return
      case 0x85:
        span.flags = cursor.readFixed32(end)
        return
      default:
        cursor.skip(tag, end)
    }
  }

  #readStatus(end: number, span: SpanFields): void {
    const cursor = this.#cursor
    span.hasStatus = true
    while (cursor.at < end) {
      const tag = cursor.readTag(end)
      if (tag === 0x12) {
        span.messageEnd = cursor.readEnd(end)
        span.messageAt = cursor.at
        cursor.at = span.messageEnd
      } else if (tag === 0x18) span.statusCode = cursor.readUint32(end) | 0
      else cursor.skip(tag, end)
    }
  }

  /** Of a part that is damaged its whole fields before the damage count. */
  #passPart(parts: WirePart[], type: Nested, end: number, level: number): void {
    const cursor = this.#cursor
    if (parts.length >= MAX_PARTS)
      throw new WireFault(`At most ${MAX_PARTS} parts of a message`, `more before byte ${cursor.at}`)
    const part = { start: cursor.at, end: cursor.at }
    parts.push(part)
    while (cursor.at < end) {
      passField(cursor, type, end, level)
      part.end = cursor.at
    }
  }

  #passBytes(end: number): WirePart {
    const cursor = this.#cursor
    const stop = cursor.readEnd(end)
    const part = { start: cursor.at, end: stop }
    cursor.at = stop
    return part
  }

  /** Of a request with too much damage all that follows is lost. @param depth How long the position is of what is lost. */
  #noteLoss(error: unknown, depth: number): void {
    if (!(error instanceof WireFault)) throw error
    this.#faults += 1
    if (this.#faults > MAX_FAULTS && depth > 0) throw error
    this.#log.position.length = depth
    this.#log.reject('invalid_shape', '', error.expected, error.found)
    this.lostParts += 1
    this.fault ??= error
  }
}

function isSpan(span: SpanFields): boolean {
  if (span.startTimeAt >= 0 || span.endTimeAt >= 0) return true
  return span.traceIdBytes === TRACE_ID_BYTES && span.spanIdBytes === SPAN_ID_BYTES
}
