import stringWidth from 'string-width'

/** Chinese, kana, Hangul syllables and full-width forms: two columns each, and nothing combines with them. */
const WIDE = '\\u3001-\\u3020\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff60'

/** Text of these and of characters of one column is measured by counting, about a hundred times faster. */
const COUNTABLE = new RegExp(`^[\\x20-\\x7e\\u00c0-\\u024f…–·✓✗↻←⚠${WIDE}]*$`, 'u')

const EACH_WIDE = new RegExp(`[${WIDE}]`, 'gu')

/**
 * Emoji that terminals show as a text symbol of one column unless a variation selector asks for the picture, such
 * as `⚠` and `©`; string-width counts them as two.
 */
const TEXT_SYMBOL =
  /(?<!\u200d)(?!\p{Emoji_Presentation})\p{Emoji}(?!\ufe0f|\u200d|\u20e3|\p{Emoji_Modifier})/gu

/** The columns that a text takes on a terminal: two for wide characters and emoji, none for combining marks. */
export function displayWidth(text: string): number {
  if (COUNTABLE.test(text)) return text.length + (text.match(EACH_WIDE)?.length ?? 0)
  return stringWidth(text.replace(TEXT_SYMBOL, 'x'))
}

/** Fills up with spaces on the right to so many columns. */
export function padRight(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)))
}

/** Fills up with spaces on the left to so many columns. */
export function padLeft(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - displayWidth(text))) + text
}

/** Cuts a text that is wider than so many columns at its end, and says so with `more`. */
export function cutEnd(text: string, columns: number, more: string): string {
  if (displayWidth(text) <= columns) return text
  const room = columns - displayWidth(more)
  return room < 0 ? takeColumns(text, columns) : takeColumns(text, room).trimEnd() + more
}

/** Cuts a text that is wider than so many columns in its middle, so that both ends stay. */
export function cutMiddle(text: string, columns: number, more: string): string {
  if (displayWidth(text) <= columns) return text
  const room = columns - displayWidth(more)
  if (room < 2) return cutEnd(text, columns, more)
  const head = takeColumns(text, Math.ceil(room / 2))
  return head + more + takeLast(text, room - displayWidth(head))
}

/** The start of a text, as much as fits into so many columns. */
export function takeColumns(text: string, columns: number): string {
  let taken = ''
  let width = 0
  for (const { segment } of splitGraphemes(text)) {
    width += displayWidth(segment)
    if (width > columns) break
    taken += segment
  }
  return taken
}

let graphemes: Intl.Segmenter | null = null

/** The characters of a text as a reader counts them. */
function splitGraphemes(text: string): Intl.Segments {
  // Made late: it loads tables, which takes longer than all the rest of a start.
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return graphemes.segment(text)
}

/** The end of a text, as much as fits into so many columns. */
function takeLast(text: string, columns: number): string {
  const segments = Array.from(splitGraphemes(text), ({ segment }) => segment)
  let taken = ''
  let width = 0
  for (const segment of segments.toReversed()) {
    width += displayWidth(segment)
    if (width > columns) break
    taken = segment + taken
  }
  return taken
}
