const MAX_CHARACTERS = 40

/**
 * The first 40 characters of a text, for a message: well-formed, and with control characters replaced so that a
 * terminal does not obey them. A longer text ends in `…`.
 */
export function excerpt(text: string): string {
  const start = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text
  return start.toWellFormed().replaceAll(/\p{Cc}/gu, '\u{fffd}')
}

/** What a parsed JSON value is, for a message: scalars as written, cut to 40 characters, the rest by its kind. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  // Quotes around a text would take two of its 40 characters; the expected side says what kind is wanted.
  return value === '' ? 'an empty text' : excerpt(`${value as string | number | boolean}`)
}
