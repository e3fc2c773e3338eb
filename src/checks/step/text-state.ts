import { Content, type ContentState } from '../../steps/content.ts'

const INNER_TEXT = { field: 'input', key: '', dialect: 'gen-ai', version: '' } as const

/** What is known about a text inside a content, by the same signs as of a whole content: seen, redacted, cut. */
export function stateOfText(text: string): ContentState {
  return Content.recorded(text, INNER_TEXT).state
}
