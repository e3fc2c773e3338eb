import { Content, type ContentState } from '../../steps/content.ts'

/** Shorter than any length limit on attributes that is in use, in UTF-16 code units. */
const SHORTEST_LIMIT = 128

const INNER_TEXT = { field: 'input', key: '', dialect: 'gen-ai', version: '' } as const

/** What is known about a text inside a content, by the same signs as of a whole content: seen, redacted, cut. */
export function stateOfText(text: string): ContentState {
  return Content.recorded(text, INNER_TEXT).state
}

/**
 * True where a text that had to be JSON can be judged: it is not redacted, and does not merely stop, as one does that
 * a limit on recorded lengths has cut. One shorter than any such limit was written so.
 */
export function isWholeJsonText(text: string): boolean {
  const state = stateOfText(text)
  return state === 'seen' || (state === 'truncated' && text.length < SHORTEST_LIMIT)
}
