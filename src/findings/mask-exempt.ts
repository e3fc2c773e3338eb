import type { MaskSpan } from './mask-row.ts'

/** What looks like a number of a person, or like a secret, and says itself that it is none. */
export const exemptPatterns: Readonly<Record<string, RegExp>> = {
  uuid: /(?<![\da-z])[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}(?![\da-z])/giu,
  dateByYear: /(?<!\d)(?:19|20)\d\d([-/.])(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)/gu,
  dateByDay: /(?<!\d)(?:0[1-9]|[12]\d|3[01])([-/.])(?:0[1-9]|[12]\d|3[01])\1(?:19|20)\d\d(?!\d)/gu,
  time: /(?<!\d)\d\d:\d\d:\d\d(?:|[.,]\d{1,9})(?!\d)/gu,
  address: /(?<!\d|\d\.)\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?!\d|\.\d)/gu,
  decimal: /(?<!\d|\d\.)\d+\.\d+(?!\d|\.\d)/gu,
  digest:
    /(?<![a-z])(?:sha-?\d{1,3}|md5|digest|etag|commit|revision|trace[-_ ]?id|span[-_ ]?id)["']?\s?[:=-]?\s?["']?[\da-f]{16,128}(?![\da-z])/giu,
  integrity: /(?<![\da-z])sha(?:1|256|384|512)-[\da-z+/]{27,86}={0,2}(?![\da-z+/])/giu,
  traceparent: /(?<![\da-z])00-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}(?![\da-z])/gu,
}

/** Finds the parts of a line that rows with `sparesExempt` leave alone. */
export function findExempt(line: string): readonly MaskSpan[] {
  return Object.values(exemptPatterns).flatMap((pattern) =>
    Array.from(line.matchAll(pattern), ({ 0: match, index }): MaskSpan => [index, index + match.length]),
  )
}
