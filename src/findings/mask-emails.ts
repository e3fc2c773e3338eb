import type { MaskRow } from './mask-row.ts'

/**
 * E-mail addresses, also as they stand in a query (`%40`). What follows `@` must not be a version, as in
 * `react@19.0.0-rc.beta`. Han characters have no spaces around addresses, so they belong to one only where nothing else
 * does.
 */
export const emailMasks: readonly MaskRow[] = [
  {
    name: 'email',
    label: '[e-mail]',
    pattern:
      /(?<![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}\d_.+%-])[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}\d_.+%-]+(?:@|＠|%40)(?!\d+\.\d+\.\d+[-.])[\p{Script=Latin}\d.-]{1,253}\.(?:xn--[a-z\d-]{2,59}|\p{Script=Latin}{2,63})/giu,
  },
  {
    name: 'email-international',
    label: '[e-mail]',
    pattern:
      /(?<![\p{L}\p{M}\p{N}_.+%-])[\p{L}\p{M}\p{N}_.+%-]+(?:@|＠|%40)(?!\d+\.\d+\.\d+[-.])[\p{L}\p{M}\p{N}.-]{1,253}\.\p{L}{2,63}/giu,
  },
]
