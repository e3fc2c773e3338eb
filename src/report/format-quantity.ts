/** What stands where there is nothing to count. */
export const NOTHING = '–'

/** A whole number with commas between thousands, as `8,123`; {@link NOTHING} for `null` and what is no number. */
export function formatCount(count: number | null): string {
  if (count === null || !Number.isFinite(count)) return NOTHING
  const digits = Math.abs(Math.round(count)).toFixed(0)
  const grouped = digits.replace(/\B(?=(?:\d{3})+$)/gu, ',')
  return Math.round(count) < 0 ? `-${grouped}` : grouped
}

/**
 * A duration: `0.4 ms`, `2,311 ms` below 10 s, `18.4 s` below 2 min, `2 min 05 s` below 1 h, `3 h 07 min` above.
 * {@link NOTHING} for `null`, for what is no number and below 0.
 *
 * @param milliseconds 0 and above
 */
export function formatDuration(milliseconds: number | null): string {
  if (milliseconds === null || !Number.isFinite(milliseconds) || milliseconds < 0) return NOTHING
  if (milliseconds > 0 && milliseconds < 0.95) {
    return milliseconds < 0.1 ? '<0.1 ms' : `${milliseconds.toFixed(1)} ms`
  }
  // Each form is left where rounding would show the limit itself, so that nothing reads as 10,000 ms or 60 s.
  if (milliseconds < 9_999.5) return `${formatCount(milliseconds)} ms`
  if (milliseconds < 119_950) return `${(milliseconds / 1_000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1_000)
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${padTwo(seconds % 60)} s`
  const minutes = Math.round(milliseconds / 60_000)
  return `${formatCount(Math.floor(minutes / 60))} h ${padTwo(minutes % 60)} min`
}

/** Tokens of one node, as `310 tok`; {@link NOTHING} for none. */
export function formatTokens(tokens: number): string {
  const count = formatCount(tokens)
  return tokens === 0 || count === NOTHING ? NOTHING : `${count} tok`
}

/**
 * Money with the digits that matter: `$12.30`, `$0.084`, `$0.0004`, `<$0.0001`, `$0`. {@link NOTHING} for `null`, for
 * what is no number and below 0.
 *
 * @param usd US dollars
 */
export function formatMoney(usd: number | null): string {
  if (usd === null || !Number.isFinite(usd) || usd < 0) return NOTHING
  if (usd === 0) return '$0'
  if (usd < 0.0001) return '<$0.0001'
  if (usd >= 0.995) return `$${formatCount(Math.floor(Math.round(usd * 100) / 100))}.${cents(usd)}`
  const digits = usd.toFixed(usd < 0.00995 ? 4 : 3)
  return `$${digits.replace(/(\.\d\d+?)0+$/u, '$1')}`
}

/** A count with its noun, as `1 retry` and `2 retries`. */
export function countNoun(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

function cents(usd: number): string {
  return padTwo(Math.round(usd * 100) % 100)
}

function padTwo(number: number): string {
  return String(number).padStart(2, '0')
}
