import { findDigitWindows, type DigitWindow } from './mask-digit-windows.ts'
import type { MaskRow, MaskSpan } from './mask-row.ts'

/** With the 0 of a trunk call: Europe, China, Japan, Australia. */
const TRUNK_SHAPE = /^0[1-9]\d{0,3}-[\d-]{5,16}$/u

/** National numbers by their groups. Where a plain run of digits is as likely an id, groups are required. */
const nationalShapes: readonly RegExp[] = [
  // Chinese mobile.
  /^(?:|86|86-|0086|0086-)1[3-9]\d-?\d{4}-?\d{4}$/u,
  /^(?:|86-|0086-)1[3-9]\d\d-?\d{3}-?\d{4}$/u,
  /^(?:|86-|0086-)1[3-9]\d{3}-\d{6}$/u,
  // North America, and Chinese service numbers such as 400-xxx-xxxx.
  /^(?:|1-)[2-9]\d\d-[2-9]\d\d-\d{4}$/u,
  // With 00 for +.
  /^00-?[1-9]\d{0,2}-[\d-]{6,22}$/u,
  /^0[1-9]\d{8,9}$/u,
]

/** E.164. */
const MOST_DIGITS = 15

/**
 * Phone numbers. Ten digits in one run, as in many an order number, are one only beside a word that says so or with a
 * leading 0; eleven that begin like a Chinese mobile are one unless letters lead up to them.
 */
export const phoneMasks: readonly MaskRow[] = [
  {
    name: 'phone-international',
    label: '[phone]',
    pattern: /(?<![A-Za-z\d])\+ ?\(?[1-9][\d ()./\u2010-\u2015-]*\d/gu,
    pick: (run) => fromStart(run, 8),
    sparesExempt: true,
  },
  {
    name: 'phone-labelled',
    label: '[phone]',
    pattern:
      /(?<keep>(?:(?<![A-Za-z])(?:telephone|tel|phone|mobile|cell|fax|whatsapp|msisdn)|电话|手机|座机|传真)(?:|[ _-]?number|[ _-]no\.?|号码|号)\\?["']?\s?(?:|[:=：#-]|is|是|为)\s?\\?["']?)[+(]?\d[\d ()./\u2010-\u2015-]*\d/giu,
    pick: (run) => fromStart(run, 7),
    sparesExempt: true,
  },
  {
    name: 'phone-national',
    label: '[phone]',
    pattern: /(?<![A-Za-z\d]|[A-Za-z]-|\d\.)\d[\d ()./\u2010-\u2015-]*\d(?![A-Za-z])/gu,
    pick: (run) => findDigitWindows(run, MOST_DIGITS, isNational),
    sparesExempt: true,
  },
]

function isNational({ digits, shape, before, after }: DigitWindow): boolean {
  // In the middle of a longer number with dashes or dots it is a part of that number.
  if (digits.length < 9 || /[^\d ()/]/u.test(before + after)) return false
  return nationalShapes.some((known) => known.test(shape)) || (digits.length <= 12 && TRUNK_SHAPE.test(shape))
}

/** What stands first in a run, up to each of its groups: the longest that is spared nowhere is masked. */
function fromStart(run: string, leastDigits: number): readonly MaskSpan[] {
  const first = run.search(/\d/u)
  return findDigitWindows(run, MOST_DIGITS, ({ digits }) => digits.length >= leastDigits)
    .filter(([start]) => start === first)
    .map(([, end]) => [0, end])
}
