import { WireCursor, WireFault } from './wire-cursor.ts'

const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8

/** The field of each list in the one before it: resources, their scopes, their spans. */
const LISTS = [0x0a, 0x12, 0x12] as const
const SPANS = 2
const TRACE_ID = 0x0a
const SPAN_ID = 0x12
const START_TIME = 0x39
const END_TIME = 0x41

/**
 * Whether a protobuf message holds metrics, logs or profiles, which are built like a message of traces: no element of
 * its lists has the ids or a time of a span. A message whose lists or elements are damaged, or that has no elements, is
 * none. What lies in an element is not looked at, and nothing is kept: there may be half as many elements as bytes.
 */
export function holdsOtherSignal(bytes: Buffer): boolean {
  const reader = new OutlineReader(bytes)
  try {
    reader.readList(bytes.length, 0)
  } catch (error) {
    if (!(error instanceof WireFault)) throw error
    return false
  }
  return reader.elements > 0 && !reader.hasSpan
}

class OutlineReader {
  elements = 0
  hasSpan = false
  readonly #cursor: WireCursor

  constructor(bytes: Buffer) {
    this.#cursor = new WireCursor(bytes)
  }

  readList(end: number, level: number): void {
    const cursor = this.#cursor
    while (cursor.at < end && !this.hasSpan) {
      const tag = cursor.readTag(end)
      if (tag !== LISTS[level]) cursor.skip(tag, end)
      else if (level < SPANS) this.readList(cursor.readEnd(end), level + 1)
      else this.#readElement(cursor.readEnd(end))
    }
  }

  #readElement(end: number): void {
    const cursor = this.#cursor
    let traceIdBytes = 0
    let spanIdBytes = 0
    this.elements += 1
    while (cursor.at < end) {
      const tag = cursor.readTag(end)
      if (tag === TRACE_ID) traceIdBytes = this.#passBytes(end)
      else if (tag === SPAN_ID) spanIdBytes = this.#passBytes(end)
      else {
        cursor.skip(tag, end)
        if (tag === START_TIME || tag === END_TIME) this.hasSpan = true
      }
    }
    if (traceIdBytes === TRACE_ID_BYTES && spanIdBytes === SPAN_ID_BYTES) this.hasSpan = true
  }

  #passBytes(end: number): number {
    const stop = this.#cursor.readEnd(end)
    const count = stop - this.#cursor.at
    this.#cursor.at = stop
    return count
  }
}
