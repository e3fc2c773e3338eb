/**
 * Reads a `Retry-After` header: seconds, or a date of HTTP.
 *
 * @param nowMillis the time of the answer, in milliseconds since 1970
 * @returns how long to wait, in milliseconds, 0 for a date in the past; nothing where the header is absent or neither
 */
export function readRetryAfter(header: string | null, nowMillis: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/u.test(text)) return Number(text) * 1_000
  if (!/^[A-Z][a-z]+, .* GMT$/u.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMillis)
}
