import { maskLine } from './mask-line.ts'

/** The longest excerpt in a report, in characters: 200. */
export const EXCERPT_LIMIT = 200

/** What is shown stands in the first part of a text, at most this many times the limit. */
const SHOWN_PART = 8

/** Read beyond the part to show, so that what begins in it is seen to its end: an address may have 254 characters. */
const LOOKAHEAD = 512

/** Each round turns more into labels, so it ends; the second finds nothing as a rule. */
const MOST_ROUNDS = 4

/**
 * A short masked excerpt of a content, on one line: what {@link maskCatalog} knows (secrets, e-mail addresses, phone,
 * card and id numbers) is replaced, white space is folded, and what is longer than {@link EXCERPT_LIMIT} characters
 * ends in `…`. Masks come before the cut, so that none leaves the beginning of a secret behind.
 */
export function toExcerpt(text: string, limit: number = EXCERPT_LIMIT): string {
  const part = limit * SHOWN_PART
  const masked = maskLine({
    text: toLine(text.slice(0, part + LOOKAHEAD)),
    end: toLine(text.slice(0, part)).length,
  })
  let excerpt = cut(masked.text.slice(0, masked.end).toWellFormed(), limit)
  // A cut can make a part look like what the whole did not. Excerpts of excerpts have to agree.
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const again = cut(maskLine({ text: excerpt, end: excerpt.length }).text, limit)
    if (again === excerpt) break
    excerpt = again
  }
  return excerpt
}

function cut(line: string, limit: number): string {
  const characters = Array.from(line)
  return characters.length <= limit ? line : `${characters.slice(0, limit - 1).join('')}…`
}

function toLine(text: string): string {
  return text.toWellFormed().replace(/\s+/gu, ' ').trim()
}
