/** The last second that was written: the times of a report lie close together. */
let last = { fromNs: 0n, toNs: 1_000_000_000n, text: '1970-01-01T00:00:00' }

/**
 * A time as ISO 8601 in UTC with microseconds, rounded half up; times that a Date cannot hold become the epoch.
 *
 * @param nanoseconds since the Unix epoch
 */
export function toIsoTime(nanoseconds: bigint): string {
  const rounded = nanoseconds + 500n
  if (rounded < last.fromNs || rounded >= last.toNs) {
    const second = readSecond(rounded)
    if (second === null) return '1970-01-01T00:00:00.000000Z'
    last = second
  }
  // A number from here on: with big integers this takes three times as long.
  const micros = Math.floor(Number(rounded - last.fromNs) / 1_000)
  return `${last.text}.${String(1_000_000 + micros).slice(1)}Z`
}

/** The second that a time is in; `null` for what a Date cannot hold. */
function readSecond(nanoseconds: bigint): typeof last | null {
  const towardsZero = nanoseconds / 1_000_000_000n
  const seconds = towardsZero * 1_000_000_000n > nanoseconds ? towardsZero - 1n : towardsZero
  const date = new Date(Number(seconds) * 1_000)
  if (Number.isNaN(date.getTime())) return null
  const fromNs = seconds * 1_000_000_000n
  return { fromNs, toNs: fromNs + 1_000_000_000n, text: date.toISOString().slice(0, -'.000Z'.length) }
}
