/** Hex digits of a trace id in OTLP/JSON. */
export const TRACE_ID_DIGITS = 32
/** Hex digits of a span id in OTLP/JSON. */
export const SPAN_ID_DIGITS = 16

const ZERO = 1
const NON_ZERO = 2
const UPPER_CASE = 4

const CLASS_OF_CODE = new Uint8Array(128)
CLASS_OF_CODE.fill(NON_ZERO, 0x30, 0x3a)
CLASS_OF_CODE.fill(NON_ZERO, 0x61, 0x67)
CLASS_OF_CODE.fill(NON_ZERO | UPPER_CASE, 0x41, 0x47)
CLASS_OF_CODE[0x30] = ZERO

/**
 * Reads an id as OTLP/JSON writes it: hex, in either case, of exactly `digits` digits. The id of all zeros is
 * OTLP's "no id".
 *
 * @returns The id in lower case; an empty text for all zeros; `undefined` for anything that is not such an id.
 */
export function readHexId(value: unknown, digits: number): string | undefined {
  if (typeof value !== 'string' || value.length !== digits) return undefined
  let seen = 0
  for (let i = 0; i < digits; i++) {
    const kind = CLASS_OF_CODE[value.charCodeAt(i)]
    // 0 is a character that is no hex digit, undefined one beyond ASCII.
    if (!kind) return undefined
    seen |= kind
  }
  if ((seen & NON_ZERO) === 0) return ''
  return (seen & UPPER_CASE) === 0 ? value : value.toLowerCase()
}
