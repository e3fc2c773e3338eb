import type { Content } from '../../steps/content.ts'

/** Content that a tool answered as a list of parts, as the Model Context Protocol and chat messages have it. */
export interface ContentParts {
  /** The text parts, with the JSON Pointer to each. */
  readonly texts: readonly { readonly pointer: string; readonly text: string }[]
  /** A part is no text: an image, a resource, a link. */
  readonly hasOtherParts: boolean
  /** The `structuredContent` beside the parts; `undefined` where there is none. */
  readonly structured: unknown
  /** The result says of itself that it is an error. */
  readonly isError: boolean
}

/**
 * Reads a tool result that is a list of content parts, `{content: [{type: 'text', text}], isError?}` or the bare
 * list.
 *
 * @returns `null` for a result of any other shape
 */
export function readContentParts(value: unknown): ContentParts | null {
  if (Array.isArray(value)) return readParts(value, '')
  if (!isRecord(value) || !Array.isArray(value['content'])) return null
  const parts = readParts(value['content'], '/content')
  if (parts === null) return null
  return { ...parts, structured: value['structuredContent'], isError: value['isError'] === true }
}

/**
 * False for a short text of JSON that is no list of content parts: told without decoding it. A list is taken for one
 * where any of its entries may have a `type`.
 */
export function mayHoldParts({ outline, text }: Content): boolean {
  if (outline === null) return true
  if (/^\s*\{/u.test(text)) return outline.names.includes('content')
  return text.includes('"type"') || text.includes('\\u00')
}

function readParts(list: readonly unknown[], pointer: string): ContentParts | null {
  if (!list.every((part) => isRecord(part) && typeof part['type'] === 'string')) return null
  if (list.length === 0 && pointer === '') return null
  const texts = list.flatMap((part, index) => {
    const { type, text } = part as Record<string, unknown>
    const isText = (type === 'text' || type === 'output_text') && typeof text === 'string'
    return isText ? [{ pointer: `${pointer}/${index}/text`, text }] : []
  })
  return { texts, hasOtherParts: texts.length < list.length, structured: undefined, isError: false }
}

/** True for an object that is neither a list nor `null`. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
