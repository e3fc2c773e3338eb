import type { HrTime } from '../steps/span-view.ts'

const ZERO: HrTime = [0, 0]
const NANOSECOND_DIGITS = 9
const MAX_UINT64 = '18446744073709551615'

/**
 * Reads nanoseconds since the Unix epoch as OTLP/JSON writes them: a `fixed64`, so a decimal string or a number
 * from 0 to 2^64-1. An absent value is the protocol's zero. Strings keep every nanosecond.
 *
 * @returns The time, or `undefined` for anything that is not such a number.
 */
export function readUnixNanoseconds(value: unknown): HrTime | undefined {
  if (value === undefined || value === null) return ZERO
  if (typeof value === 'string') return fromDigits(value)
  // A time does not fit a double. Its shortest decimal text is what the writer meant more often than the
  // double's exact value: it is right for every time of whole microseconds. Exponents start at 1e21.
  if (typeof value === 'number' && Number.isInteger(value)) return fromDigits(String(value))
  return undefined
}

function fromDigits(digits: string): HrTime | undefined {
  const { length } = digits
  if (length === 0 || length > MAX_UINT64.length) return undefined
  if (length === MAX_UINT64.length && digits > MAX_UINT64) return undefined
  const secondDigits = length - NANOSECOND_DIGITS
  let seconds = 0
  let nanoseconds = 0
  for (let i = 0; i < length; i++) {
    const digit = digits.charCodeAt(i) - 0x30
    if (digit < 0 || digit > 9) return undefined
    if (i < secondDigits) seconds = seconds * 10 + digit
    else nanoseconds = nanoseconds * 10 + digit
  }
  return [seconds, nanoseconds]
}
