import type { HrTime } from '../steps/span-view.ts'

const ISO = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:?\d\d)?$/u

/**
 * Reads a time of ISO 8601 to the second, with up to nine digits behind it. Without an offset it is UTC.
 *
 * @returns The time; `null` for anything else, and for times before 1970.
 */
export function readIsoTime(value: unknown): HrTime | null {
  const match = typeof value === 'string' ? ISO.exec(value) : null
  if (match === null) return null
  const [, seconds, fraction = '', offset = 'Z'] = match
  const milliseconds = Date.parse(`${seconds}${offset}`)
  if (Number.isNaN(milliseconds) || milliseconds < 0) return null
  return [milliseconds / 1_000, Number(fraction.padEnd(9, '0'))]
}
