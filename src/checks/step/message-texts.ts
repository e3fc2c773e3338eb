import { isRecord } from './content-parts.ts'

/** The texts in a list of messages. */
export interface MessageTexts {
  readonly texts: readonly string[]
  /** A message holds something beside text: a tool call, reasoning, an image. */
  readonly hasOtherParts: boolean
}

/**
 * Reads the texts of messages: `[{role, parts: [{type, …}]}]`, the same under `messages`, the older
 * `{role, content, tool_calls}`, or one such message.
 *
 * @returns `null` where the value holds no message
 */
export function readMessageTexts(value: unknown): MessageTexts | null {
  const list = isRecord(value) && Array.isArray(value['messages']) ? value['messages'] : value
  const messages = (Array.isArray(list) ? list : [list]).filter(isMessage)
  if (messages.length === 0) return null
  const texts: string[] = []
  let hasOtherParts = false
  for (const message of messages) {
    if (Array.isArray(message['tool_calls']) && message['tool_calls'].length > 0) hasOtherParts = true
    const content = message['parts'] ?? message['content']
    for (const part of Array.isArray(content) ? content : [content]) {
      const text = toText(part)
      if (text !== null) texts.push(text)
      else if (part !== null && part !== undefined) hasOtherParts = true
    }
  }
  return { texts, hasOtherParts }
}

function isMessage(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && typeof value['role'] === 'string' && ('parts' in value || 'content' in value)
}

function toText(part: unknown): string | null {
  if (typeof part === 'string') return part
  if (!isRecord(part)) return null
  const text = part['content'] ?? part['text']
  return (part['type'] === 'text' || part['type'] === 'output_text') && typeof text === 'string' ? text : null
}
