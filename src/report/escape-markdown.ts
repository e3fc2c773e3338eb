import { neutralizeText } from './neutralize-text.ts'

/** Characters that mean something anywhere in a line of Markdown; `<`, `>` and `&` are written as entities. */
const SPECIAL = /[\\`*[\]|~$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu

/** What makes a heading, a list, a quote or a rule of a line that begins with it. */
const LINE_START = /^(?:[#+=-]|\d+(?=[.)](?:\s|$)))/u

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * Text from spans as Markdown that shows the same text and nothing else, on one line, also inside a table. Names such
 * as `order_query` stay readable: an underscore between letters means nothing. Bare addresses stay as they are; some
 * renderers link them.
 */
export function escapeMarkdown(text: string): string {
  return neutralizeText(text)
    .replace(SPECIAL, '\\$&')
    .replace(/[&<>]/gu, (character) => ENTITIES[character] ?? character)
    .replace(LINE_START, (start) => (/^\d/u.test(start) ? `${start}\\` : `\\${start}`))
}

/** A number with its unit, of our own making, as Markdown: only its `<` means anything there. */
export function escapeQuantity(text: string): string {
  return text.replace('<', '&lt;')
}

/** An id or a code as a code span; as escaped text where it has characters that ids do not have. */
export function toCodeSpan(id: string): string {
  return /^[\w.#-]+$/u.test(id) ? `\`${id}\`` : escapeMarkdown(id)
}

/** A column of a Markdown table; numbers stand on the right. */
export interface MarkdownColumn {
  readonly title: string
  readonly align?: 'right'
}

/** A table of cells that are Markdown already. */
export function toMarkdownTable(
  columns: readonly MarkdownColumn[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  return [
    toRow(columns.map(({ title }) => title)),
    toRow(columns.map(({ align }) => (align === 'right' ? '---:' : '---'))),
    ...rows.map(toRow),
  ]
}

function toRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
