import { TRACE_ID_DIGITS } from './hex-id.ts'
import { holdsOtherSignal } from './holds-other-signal.ts'
import { type Rejection, RejectionLog } from './rejection-log.ts'
import {
  type MessageField,
  type MessageType,
  type ScalarType,
  traceOutline,
  traceRequest,
} from './trace-messages.ts'
import { WIRE_BYTES, WIRE_FIXED32, WIRE_FIXED64, WIRE_VARINT, WireCursor, WireFault } from './wire-cursor.ts'

/** What a protobuf message of traces holds. */
export interface DecodedMessage {
  /** What `JSON.parse` makes of the JSON form of the same message; of metrics, logs or profiles a stand-in. */
  readonly value: object
  /** What of the message is damaged, told as the decoder of the JSON form tells its rejections. */
  readonly damage: readonly Rejection[]
  /** The trace of each span that is left out as damaged, in lower case, as far as it is to be seen. */
  readonly damagedTraces: readonly string[]
}

/**
 * How many messages may lie in one another; what lies deeper is passed over. It is deeper than what is read of a value
 * at all, so that the decoder of the JSON form tells of it.
 */
export const MAX_MESSAGE_LEVELS = 256

/** The place of a list whose elements are lost alone where one is damaged. */
const SPANS = 'spans'
const GUARDED_LISTS: readonly string[] = ['resourceSpans', 'scopeSpans', SPANS]

/** The decoder of the JSON form passes it over as a document of another signal; which one is nothing to it. */
const OTHER_SIGNAL = { resourceMetrics: [] }

/**
 * Reads an `ExportTraceServiceRequest` or `TracesData` in protobuf into its JSON form. It never throws: a span that is
 * damaged is left out (`null` stands in its place), of a damaged list what comes before the damage is kept. Fields that
 * OTLP does not have are passed over, a field that is written in a way that it cannot have is told and passed over.
 *
 * Requests of metrics, logs and profiles are built alike. They are told by their elements, which have neither the ids
 * nor the times of a span.
 */
export function decodeMessage(bytes: Buffer): DecodedMessage {
  if (holdsOtherSignal(bytes)) return { value: OTHER_SIGNAL, damage: [], damagedTraces: [] }
  const reader = new MessageReader(bytes)
  const value = reader.read(traceRequest)
  return { value, damage: reader.log.entries, damagedTraces: reader.damagedTraces }
}

/** The ids of the traces that a protobuf message mentions, in lower case; each of its spans counts, damaged or not. */
export function listTraceIds(bytes: Buffer): readonly string[] {
  const reader = new MessageReader(bytes)
  const traceIds = readOutlines(reader).flatMap((outline) => outline?.traceId ?? [])
  return [...traceIds, ...reader.damagedTraces]
}

interface SpanOutline {
  readonly traceId?: string
}

interface RequestOutline {
  readonly resourceSpans?: readonly {
    readonly scopeSpans?: readonly { readonly spans?: readonly (SpanOutline | null)[] }[]
  }[]
}

function readOutlines(reader: MessageReader): readonly (SpanOutline | null)[] {
  const { resourceSpans = [] } = reader.read(traceOutline) as RequestOutline
  return resourceSpans.flatMap(({ scopeSpans = [] }) => scopeSpans.flatMap(({ spans = [] }) => spans))
}

type Bag = Record<string, unknown>

class MessageReader {
  readonly log: RejectionLog = new RejectionLog()
  readonly damagedTraces: string[] = []
  readonly #cursor: WireCursor
  readonly #end: number
  #levels = 0

  constructor(bytes: Buffer) {
    this.#cursor = new WireCursor(bytes)
    this.#end = bytes.length
  }

  read(type: MessageType): object {
    const value: Bag = {}
    try {
      this.#readFields(type, this.#end, value)
    } catch (error) {
      this.#noteDamage(error, 0)
    }
    return value
  }

  #readFields(type: MessageType, end: number, into: Bag): void {
    const cursor = this.#cursor
    if (this.#levels > MAX_MESSAGE_LEVELS) {
      cursor.at = end
      return
    }
    this.#levels += 1
    while (cursor.at < end) {
      const tag = cursor.readTag(end)
      const field = type.fields.get(tag >>> 3)
      const wire = tag & 7
      if (field === undefined) cursor.skip(tag, end)
      else if (wire !== wireOf(field.type)) {
        cursor.skip(tag, end)
        const expected = `A field of ${nameWire(wireOf(field.type))}`
        this.log.warn('invalid_shape', field.name, expected, nameWire(wire))
      } else {
        if (type.isOneof) forgetOthers(into, field.name)
        this.#readField(field, end, into)
      }
    }
    this.#levels -= 1
  }

  #readField({ name, type, isList }: MessageField, end: number, into: Bag): void {
    if (typeof type === 'string') {
      into[name] = SCALARS[type].read(this.#cursor, end)
      return
    }
    const stop = this.#cursor.readEnd(end)
    const { position } = this.log
    if (isList) {
      const list = (into[name] ??= []) as unknown[]
      position.push(name, list.length)
      list.push(this.#readElement(name, type, stop))
      position.length -= 2
    } else {
      const value = (into[name] ??= {}) as Bag
      position.push(name)
      this.#readFields(type, stop, value)
      position.length -= 1
    }
  }

  #readElement(listName: string, type: MessageType, end: number): Bag | null {
    const value: Bag = {}
    if (!GUARDED_LISTS.includes(listName)) {
      this.#readFields(type, end, value)
      return value
    }
    const levels = this.#levels
    const depth = this.log.position.length
    try {
      this.#readFields(type, end, value)
      return value
    } catch (error) {
      this.#noteDamage(error, depth)
      this.#levels = levels
      this.#cursor.at = end
      if (listName !== SPANS) return value
      const { traceId } = value
      if (typeof traceId === 'string' && traceId.length === TRACE_ID_DIGITS) this.damagedTraces.push(traceId)
      return null
    }
  }

  /** @param depth How long the position is of what is lost. */
  #noteDamage(error: unknown, depth: number): void {
    if (!(error instanceof WireFault)) throw error
    this.log.position.length = depth
    this.log.reject('invalid_shape', '', error.expected, error.found)
  }
}

/** Of the fields of a `oneof` the last is the one that is meant. */
function forgetOthers(into: Bag, name: string): void {
  for (const key in into) {
    if (key !== name) delete into[key]
  }
}

interface Scalar {
  readonly wire: number
  read(cursor: WireCursor, end: number): unknown
}

const SCALARS: Readonly<Record<ScalarType, Scalar>> = {
  text: { wire: WIRE_BYTES, read: (cursor, end) => cursor.readText(end) },
  hex: { wire: WIRE_BYTES, read: (cursor, end) => cursor.readBytes(end).toString('hex') },
  base64: { wire: WIRE_BYTES, read: (cursor, end) => cursor.readBytes(end).toString('base64') },
  bool: { wire: WIRE_VARINT, read: (cursor, end) => cursor.readBool(end) },
  int64: { wire: WIRE_VARINT, read: (cursor, end) => cursor.readInt64(end) },
  uint32: { wire: WIRE_VARINT, read: (cursor, end) => cursor.readUint32(end) },
  enum: { wire: WIRE_VARINT, read: (cursor, end) => cursor.readUint32(end) | 0 },
  fixed32: { wire: WIRE_FIXED32, read: (cursor, end) => cursor.readFixed32(end) },
  fixed64: { wire: WIRE_FIXED64, read: (cursor, end) => cursor.readFixed64(end) },
  double: { wire: WIRE_FIXED64, read: (cursor, end) => cursor.readDouble(end) },
}

function wireOf(type: MessageField['type']): number {
  return typeof type === 'string' ? SCALARS[type].wire : WIRE_BYTES
}

const WIRE_NAMES = ['a number', '8 bytes', 'a length and bytes', 'a group', 'the end of a group', '4 bytes']

function nameWire(wire: number): string {
  return WIRE_NAMES[wire] ?? 'an unknown kind'
}
