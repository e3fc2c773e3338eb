import { displayWidth, takeColumns } from './display-width.ts'

/**
 * Breaks a text into lines of at most so many columns, at spaces where there are any; a word that is wider than a
 * line, such as a sentence in Chinese, is broken between characters.
 *
 * @param columns at least 2
 */
export function wrapText(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`
    if (displayWidth(joined) <= columns) {
      line = joined
      continue
    }
    if (line !== '') lines.push(line)
    const pieces = breakWord(word, columns)
    lines.push(...pieces.slice(0, -1))
    line = pieces.at(-1) ?? ''
  }
  if (line !== '') lines.push(line)
  return lines
}

function breakWord(word: string, columns: number): readonly string[] {
  const pieces: string[] = []
  let rest = word
  while (displayWidth(rest) > columns) {
    const piece = takeColumns(rest, columns)
    if (piece === '') break
    pieces.push(piece)
    rest = rest.slice(piece.length)
  }
  return [...pieces, rest]
}

/** Puts parts on as few lines as they need, three spaces between them; a part is never broken. */
export function wrapParts(parts: readonly string[], columns: number): readonly string[] {
  const lines: string[] = []
  for (const part of parts) {
    const joined = `${lines.at(-1) ?? ''}   ${part}`
    if (lines.length > 0 && displayWidth(joined) <= columns) lines[lines.length - 1] = joined
    else lines.push(part)
  }
  return lines
}
