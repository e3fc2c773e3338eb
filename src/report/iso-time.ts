/**
 * A time as ISO 8601 in UTC with microseconds, rounded half up; times that a Date cannot hold become the epoch.
 *
 * @param nanoseconds since the Unix epoch
 */
export function toIsoTime(nanoseconds: bigint): string {
  const micros = (nanoseconds + 500n) / 1_000n
  const seconds = micros / 1_000_000n
  const fraction = String(micros % 1_000_000n).padStart(6, '0')
  const date = new Date(Number(seconds) * 1_000)
  if (Number.isNaN(date.getTime())) return '1970-01-01T00:00:00.000000Z'
  return date.toISOString().replace('.000Z', `.${fraction}Z`)
}
