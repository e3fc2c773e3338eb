import type { FieldReader } from './field-reader.ts'

/** Milliseconds from the start of a span until the first part of an answer came; `null` where that is not recorded. */
export function readFirstTokenMs(reader: FieldReader, startNs: bigint): number | null {
  const seconds = reader.count('first_token.seconds')
  if (seconds !== null) return seconds * 1_000
  return reader.count('first_token.milliseconds') ?? readTimeAfter(reader, startNs)
}

/**
 * A point in time, in milliseconds after the start. A date that was made JSON text of stands in quotes, and knows no
 * parts of a millisecond: one that seems to be less than that before the start is the start.
 */
function readTimeAfter(reader: FieldReader, startNs: bigint): number | null {
  const timeMs = Date.parse(reader.text('first_token.time')?.replaceAll('"', '') ?? '')
  if (Number.isNaN(timeMs)) return null
  const afterMs = Number(BigInt(timeMs) * 1_000_000n - startNs) / 1e6
  return afterMs > -1 ? Math.max(0, afterMs) : null
}
