/** The last second that was written: the times of a report lie close together. */
let last: { readonly seconds: bigint; readonly text: string } = { seconds: 0n, text: '1970-01-01T00:00:00' }

/**
 * A time as ISO 8601 in UTC with microseconds, rounded half up; times that a Date cannot hold become the epoch.
 *
 * @param nanoseconds since the Unix epoch
 */
export function toIsoTime(nanoseconds: bigint): string {
  const micros = (nanoseconds + 500n) / 1_000n
  const seconds = micros / 1_000_000n
  const fraction = String(micros - seconds * 1_000_000n).padStart(6, '0')
  if (seconds !== last.seconds) {
    const date = new Date(Number(seconds) * 1_000)
    if (Number.isNaN(date.getTime())) return '1970-01-01T00:00:00.000000Z'
    last = { seconds, text: date.toISOString().slice(0, -'.000Z'.length) }
  }
  return `${last.text}.${fraction}Z`
}
