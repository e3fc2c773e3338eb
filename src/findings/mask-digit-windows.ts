import type { MaskSpan } from './mask-row.ts'

/** Digits that stand together, or several such groups with separators between them. */
export interface DigitWindow {
  /** Digits only, with a final `X` if the last group has one. */
  readonly digits: string
  /** The groups with one `-` between them, however they were separated. */
  readonly shape: string
  /** The characters of the run around the window; empty at its ends. */
  readonly before: string
  readonly after: string
}

/** More groups than this are no number of a person: a card told digit by digit has 19. */
const MOST_GROUPS = 19

/** A longer separator parts two numbers. */
const LONGEST_SEPARATOR = 3

/**
 * Finds every sequence of neighbouring groups in a run of digits and separators that a rule accepts. All of them are
 * tried, since another number may stand directly before or after the one that is meant.
 */
export function findDigitWindows(
  run: string,
  mostDigits: number,
  accepts: (window: DigitWindow) => boolean,
): readonly MaskSpan[] {
  const groups = Array.from(run.matchAll(/\d+[Xx]?/gu), ({ 0: text, index }) => ({ text, start: index }))
  const found: MaskSpan[] = []
  for (const [first, { start }] of groups.entries()) {
    let digits = ''
    let shape = ''
    let end = start
    for (const group of groups.slice(first, first + MOST_GROUPS)) {
      digits += group.text
      if (digits.length > mostDigits || group.start - end > LONGEST_SEPARATOR) break
      shape += shape === '' ? group.text : `-${group.text}`
      end = group.start + group.text.length
      const window = { digits, shape, before: run.charAt(start - 1), after: run.charAt(end) }
      if (accepts(window)) found.push([start, end])
    }
  }
  return found
}
