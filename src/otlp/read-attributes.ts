import type { Attributes, EventView, HrTime } from '../steps/span-view.ts'
import { Bag, MAX_VALUE_LEVELS } from './any-value.ts'
import type { DecodedSpanFields } from './decoded-span.ts'
import { readText } from './parse-bytes.ts'
import { TextCache } from './text-cache.ts'
import type { WirePart } from './request-parts.ts'
import { WireCursor } from './wire-cursor.ts'

const KEYS = new TextCache()
const NO_EVENTS: readonly EventView[] = []
const ZERO: HrTime = [0, 0]

/** Fields by their number above how they are written. */
const RESOURCE_ATTRIBUTES = 0x0a
const SPAN_ATTRIBUTES = 0x4a
const SPAN_EVENTS = 0x5a

/**
 * Reads attributes and events from the bytes of a request that are known to be whole protobuf. It gives what
 * `decodeMessage` and the decoder of the JSON form give together.
 */
export class AttributeReader {
  readonly #bytes: Buffer
  readonly #cursor: WireCursor

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#cursor = new WireCursor(bytes)
  }

  /** A short text that comes often. */
  readName(start: number, end: number): string {
    return KEYS.read(this.#bytes, start, end)
  }

  readText(start: number, end: number): string {
    return readText(this.#bytes, start, end)
  }

  /** Nanoseconds since the Unix epoch, which are 8 bytes at `at`; a place below 0 is the time 0. */
  readTime(at: number): HrTime {
    return at < 0 ? ZERO : toTime(this.#bytes.readUInt32LE(at), this.#bytes.readUInt32LE(at + 4))
  }

  readSpanAttributes(start: number, end: number): Attributes {
    return this.#readAttributes({ start, end }, SPAN_ATTRIBUTES, new Bag())
  }

  readResourceAttributes(parts: readonly WirePart[]): Attributes {
    const attributes = new Bag()
    for (const part of parts) this.#readAttributes(part, RESOURCE_ATTRIBUTES, attributes)
    return attributes
  }

  readScope(parts: readonly WirePart[]): DecodedSpanFields['instrumentationScope'] {
    if (parts.length === 0) return undefined
    const cursor = this.#cursor
    let name = ''
    let version = ''
    for (const { start, end } of parts) {
      cursor.at = start
      while (cursor.at < end) {
        const tag = cursor.readTag(end)
        if (tag === 0x0a) name = this.#readKey(end)
        else if (tag === 0x12) version = this.#readKey(end)
        else cursor.skip(tag, end)
      }
    }
    return { name, version: version === '' ? undefined : version }
  }

  /** The events of the span that stands from `start` to `end`. */
  readEvents(start: number, end: number): readonly EventView[] {
    const cursor = this.#cursor
    const events: EventView[] = []
    cursor.at = start
    while (cursor.at < end) {
      const tag = cursor.readTag(end)
      if (tag === SPAN_EVENTS) events.push(this.#readEvent(cursor.readEnd(end)))
      else cursor.skip(tag, end)
    }
    return events.length === 0 ? NO_EVENTS : events
  }

  #readEvent(end: number): EventView {
    const cursor = this.#cursor
    const attributes = new Bag()
    let name = ''
    let time = ZERO
    while (cursor.at < end) {
      const tag = cursor.readTag(end)
      if (tag === 0x09) {
        cursor.skip(tag, end)
        time = this.readTime(cursor.at - 8)
      } else if (tag === 0x12) name = this.#readKey(end)
      else if (tag === 0x1a) this.#readKeyValue(cursor.readEnd(end), attributes, 1)
      else cursor.skip(tag, end)
    }
    return { name, time, attributes }
  }

  #readAttributes({ start, end }: WirePart, list: number, into: Bag): Attributes {
    const cursor = this.#cursor
    cursor.at = start
    while (cursor.at < end) {
      const tag = cursor.readTag(end)
      if (tag === list) this.#readKeyValue(cursor.readEnd(end), into, 1)
      else cursor.skip(tag, end)
    }
    return into
  }

  #readKey(end: number): string {
    const stop = this.#cursor.readEnd(end)
    const start = this.#cursor.at
    this.#cursor.at = stop
    return KEYS.read(this.#bytes, start, stop)
  }

  #readKeyValue(end: number, into: Bag, level: number): void {
    const cursor = this.#cursor
    let key = ''
    let value: unknown = null
    while (cursor.at < end) {
      const tag = cursor.readTag(end)
      if (tag === 0x0a) key = this.#readKey(end)
      else if (tag === 0x12) value = this.#readValue(cursor.readEnd(end), value, level)
      else cursor.skip(tag, end)
    }
    into[key] = value
  }

  /** @param before What parts of the same message said before; a list or a map goes on. */
  #readValue(end: number, before: unknown, level: number): unknown {
    const cursor = this.#cursor
    let value = before
    while (cursor.at < end) {
      const tag = cursor.readTag(end)
      if (tag === 0x0a) value = cursor.readText(end)
      else if (tag === 0x10) value = cursor.readBool(end)
      else if (tag === 0x18) value = cursor.readInt64(end)
      else if (tag === 0x21) value = cursor.readDouble(end)
      else if (tag === 0x2a) value = this.#readArray(cursor.readEnd(end), value, level)
      else if (tag === 0x32) value = this.#readMap(cursor.readEnd(end), value, level)
      // A copy: attributes outlive the request.
      else if (tag === 0x3a) value = new Uint8Array(cursor.readBytes(end))
      else cursor.skip(tag, end)
    }
    return value
  }

  #readArray(end: number, before: unknown, level: number): readonly unknown[] | null {
    const cursor = this.#cursor
    if (level > MAX_VALUE_LEVELS) {
      cursor.at = end
      return null
    }
    const array = Array.isArray(before) ? (before as unknown[]) : []
    while (cursor.at < end) {
      const tag = cursor.readTag(end)
      if (tag === 0x0a) array.push(this.#readValue(cursor.readEnd(end), null, level + 1))
      else cursor.skip(tag, end)
    }
    return array
  }

  #readMap(end: number, before: unknown, level: number): Attributes | null {
    const cursor = this.#cursor
    if (level > MAX_VALUE_LEVELS) {
      cursor.at = end
      return null
    }
    const map = before instanceof Bag ? before : new Bag()
    while (cursor.at < end) {
      const tag = cursor.readTag(end)
      if (tag === 0x0a) this.#readKeyValue(cursor.readEnd(end), map, level + 1)
      else cursor.skip(tag, end)
    }
    return map
  }
}

const SECOND = 1_000_000_000

/** Whole seconds and the rest of so many times 2^32 and one nanoseconds, without a number beyond 2^53. */
function toTime(low: number, high: number): HrTime {
  const upper = high >>> 16
  const lower = high & 0xffff
  // 2^48 is 281,474 seconds and 976,710,656 nanoseconds, 2^32 is 4 seconds and 294,967,296 nanoseconds.
  const rest = upper * 976_710_656 + lower * 294_967_296 + low
  return [upper * 281_474 + lower * 4 + Math.floor(rest / SECOND), rest % SECOND]
}
