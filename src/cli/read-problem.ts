/**
 * What kind of thing went wrong while inputs were read:
 *
 * - `unreadable_input`: an input, or all of it from some place on, could not be read
 * - `unread_line`: a line that is no JSON document
 * - `foreign_document`: a JSON document that is no OTLP document
 * - `rejected_part`: a part of an OTLP document (a span, a list) that was left out
 * - `torn_end`: the input just ends too early, as after a crash or while it is still being written
 * - `bad_value`: a value that was left out of a span; the span itself was kept
 */
export type ReadProblemKind =
  | 'unreadable_input'
  | 'unread_line'
  | 'foreign_document'
  | 'rejected_part'
  | 'torn_end'
  | 'bad_value'

/** One thing that could not be read. Reading goes on behind it. */
export interface ReadProblem {
  readonly kind: ReadProblemKind
  /** The name of the input, as the user knows it. */
  readonly input: string
  /** The line on which the document begins, from 1; `null` where it is about the whole input. */
  readonly line: number | null
  /** The place within the document; `null` where it is about the whole document. */
  readonly path: string | null
  readonly expected: string
  readonly found: string
}

/** One line for people, without a full stop: `<input>:<line>: expected <x>, found <y> at <path>`. */
export function describeProblem(problem: ReadProblem): string {
  const { input, line, path, expected, found } = problem
  const place = line === null ? input : `${input}:${line}`
  const within = path === null ? '' : ` at ${path}`
  return `Cannot read ${place}${within}: expected ${lowerFirst(expected)}, found ${found}`
}

/** Names such as `OTLP/JSON` keep their capitals. */
function lowerFirst(text: string): string {
  return /^[A-Z][a-z ]/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}
