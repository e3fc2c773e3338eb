/** The longest excerpt in a report, in characters: 200. */
export const EXCERPT_LIMIT = 200

/** What must not leave the process in an excerpt, and what stands in its place. Applied in this order. */
const masks: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/giu, '$1 [secret]'],
  [/\b(?:sk|pk|rk|ghp|gho|xox[abp]|AKIA|AIza)[-_]?[\w-]{12,}/gu, '[secret]'],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/gu, '[secret]'],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gu, '[e-mail]'],
  [/(?<![\w.])\+?\d(?:[ ().-]{0,2}\d){8,18}(?![\w.]*\d)/gu, '[number]'],
  [/\b[A-Fa-f0-9]{32,}\b/gu, '[secret]'],
]

/**
 * A short masked excerpt of a content, on one line: secrets, e-mail addresses and numbers of nine and more digits
 * are replaced, white space is folded, and what is longer than {@link EXCERPT_LIMIT} characters ends in `…`.
 */
export function toExcerpt(text: string, limit: number = EXCERPT_LIMIT): string {
  let line = text
    .slice(0, limit * 8)
    .toWellFormed()
    .replace(/\s+/gu, ' ')
    .trim()
  for (const [pattern, mask] of masks) line = line.replace(pattern, mask)
  const characters = Array.from(line)
  return characters.length <= limit ? line : `${characters.slice(0, limit - 1).join('')}…`
}
