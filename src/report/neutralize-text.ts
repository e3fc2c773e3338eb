/** The longest text that is shown, in UTF-16 code units; what is longer is cut before anything looks at it. */
const TEXT_LIMIT = 2_000

/**
 * What could steer a terminal, reorder a line or hide in it: control characters, lone surrogates, formatting
 * characters (the two joiners that emoji and some scripts need excepted) and letters without any shape.
 */
const STEERING = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u115f\u1160\u3164\uffa0]/gu

/** Marks on one letter beyond the fourth; they would grow over the lines above and below. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu

/** A mark at the start would attach itself to what stands before; it gets a dotted circle of its own to stand on. */
const LEADING_MARK = /^(?=[\p{M}\u200c\u200d])/u

/**
 * Text from spans made safe to show on one line: white space is folded, and what could steer a terminal is shown as
 * an escape such as `\x1b` instead of being sent to it.
 */
export function neutralizeText(text: string): string {
  const line = text.length > TEXT_LIMIT ? `${text.slice(0, TEXT_LIMIT)}…` : text
  return line
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(STEERING, escapeCharacter)
    .replace(STACKED_MARKS, '$1')
    .replace(LEADING_MARK, '◌')
}

const ASCII_FORMS: Readonly<Record<string, string>> = {
  '…': '...',
  '–': '-',
  '—': '-',
  '‐': '-',
  '‑': '-',
  '−': '-',
  '·': '-',
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '←': '<-',
  '→': '->',
  '×': 'x',
  '≤': '<=',
  '≥': '>=',
}

/** The same text in printable ASCII: typographic characters by their plain forms, others as `\u8ba2`. */
export function toAscii(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, (character) => ASCII_FORMS[character] ?? escapeCharacter(character))
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const digits = code.toString(16)
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`
}
