const RFC_3339 =
  /^(?<date>\d{4}-\d\d-\d\d)[Tt](?<time>\d\d:\d\d:\d\d)(?<fraction>\.\d{1,9})?(?<zone>[Zz]|[+-]\d\d:\d\d)$/u
const UNIX_MILLISECONDS = /^\d{1,16}$/u

/** The last millisecond that a Date holds. */
const LAST_MS = 8.64e15

/**
 * Reads a time that somebody wrote: RFC 3339, or milliseconds since the Unix epoch.
 *
 * @returns milliseconds since the Unix epoch, with a fraction where more was written; `null` where it is no time
 */
export function readTime(text: string): number | null {
  if (UNIX_MILLISECONDS.test(text)) return Number(text) <= LAST_MS ? Number(text) : null
  const { date, time, fraction = '', zone } = RFC_3339.exec(text)?.groups ?? {}
  if (date === undefined || time === undefined || zone === undefined) return null
  // A Date takes the 30th of February for a day in March.
  const utcMs = Date.parse(`${date}T${time}Z`)
  if (Number.isNaN(utcMs) || !new Date(utcMs).toISOString().startsWith(`${date}T${time}`)) return null
  const offsetMs = readOffset(zone)
  return offsetMs === null ? null : utcMs - offsetMs + Number(`0${fraction}`) * 1_000
}

function readOffset(zone: string): number | null {
  if (zone.length === 1) return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(4))
  if (hours > 23 || minutes > 59) return null
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
