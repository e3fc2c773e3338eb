import { findDigitWindows } from './mask-digit-windows.ts'
import type { MaskRow } from './mask-row.ts'

const residentShape = /^[1-9]\d{5}-?(?:18|19|20)\d{6}-?\d{3}[\dX]$/iu

/** Of ISO 7064 MOD 11-2, in the order of the remainders. */
const RESIDENT_CHECKS = '10X98765432'

/**
 * The leading digits of the networks. Without them every tenth timestamp in milliseconds and every tenth pair of
 * dates would pass for a card.
 */
const cardPrefix = /^(?:2[2-7]|[3-6]|81|82|9792)/u

/** Numbers that carry a check digit: few others pass, so they are masked wherever they stand. */
export const numberMasks: readonly MaskRow[] = [
  {
    name: 'resident-id',
    label: '[id number]',
    pattern: /(?<!\d|\d\.)\d[\d \u2010-\u2015-]*[\dXx]/gu,
    pick: (run) =>
      findDigitWindows(run, 18, ({ digits, shape }) => residentShape.test(shape) && isResidentId(digits)),
    sparesExempt: true,
  },
  {
    name: 'payment-card',
    label: '[card]',
    pattern: /(?<!\d|\d\.)\d[\d \u2010-\u2015-]{11,}\d/gu,
    pick: (run) => findDigitWindows(run, 19, ({ digits, shape }) => isGroupedAsCard(shape) && isCard(digits)),
    sparesExempt: true,
  },
]

/** GB 11643: a real date of birth, and the check character over the 17 digits before it. */
function isResidentId(id: string): boolean {
  const [year, month, day] = [id.slice(6, 10), id.slice(10, 12), id.slice(12, 14)].map(Number)
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day))
  if (date.getUTCMonth() + 1 !== month || date.getUTCDate() !== day) return false
  let sum = 0
  for (const digit of id.slice(0, 17)) sum = (sum + Number(digit)) * 2
  return RESIDENT_CHECKS[sum % 11] === id.charAt(17).toUpperCase()
}

/** Cards begin with a group of four or more, unless they are told digit by digit. */
function isGroupedAsCard(shape: string): boolean {
  return /^\d{4}/u.test(shape) || !/\d\d/u.test(shape)
}

/** ISO/IEC 7812: 13 to 19 digits, the last of them by Luhn. */
function isCard(digits: string): boolean {
  if (!/^\d{13,19}$/u.test(digits) || !cardPrefix.test(digits)) return false
  let sum = 0
  for (const [place, digit] of Array.from(digits).reverse().entries()) {
    const value = Number(digit) * (place % 2 === 1 ? 2 : 1)
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}
