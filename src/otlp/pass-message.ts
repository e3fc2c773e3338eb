import { MAX_MESSAGE_LEVELS } from './decode-message.ts'
import type { MessageType } from './trace-messages.ts'
import { WIRE_BYTES, type WireCursor } from './wire-cursor.ts'

/** One more than the highest number of a field of OTLP that is a message. */
const NESTED_FIELDS = 16

/** Which fields of a message are messages themselves, by their numbers. */
export interface Nested {
  readonly inner: (Nested | undefined)[]
}

const known = new Map<MessageType, Nested>()

/** The same message with nothing but the messages in it. */
export function toNested(type: MessageType): Nested {
  const found = known.get(type)
  if (found !== undefined) return found
  const inner: (Nested | undefined)[] = Array.from({ length: NESTED_FIELDS }, () => undefined)
  const nested: Nested = { inner }
  known.set(type, nested)
  for (const [number, field] of type.fields) {
    if (typeof field.type !== 'string') inner[number] = toNested(field.type)
  }
  return nested
}

/**
 * Passes a message up to its end, to the depth to which it would be read.
 *
 * @param level - How many messages it lies in.
 * @throws {WireFault} where it is not whole
 */
export function passMessage(cursor: WireCursor, type: Nested, end: number, level: number): void {
  if (level > MAX_MESSAGE_LEVELS) cursor.at = end
  while (cursor.at < end) passField(cursor, type, end, level + 1)
}

/**
 * Passes one field of a message.
 *
 * @param level - How many messages the field lies in.
 * @throws {WireFault} where it is not whole
 */
export function passField(cursor: WireCursor, type: Nested, end: number, level: number): void {
  const tag = cursor.readTag(end)
  if ((tag & 7) !== WIRE_BYTES) {
    cursor.skip(tag, end)
    return
  }
  const stop = cursor.readEnd(end)
  const number = tag >>> 3
  const inner = number < NESTED_FIELDS ? type.inner[number] : undefined
  if (inner === undefined) cursor.at = stop
  else passMessage(cursor, inner, stop, level)
}
