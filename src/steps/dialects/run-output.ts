import type { Content } from '../content.ts'
import type { ModelOutput } from '../model-output.ts'
import { unseenOutput } from '../model-output.ts'
import { readAnswer, readMessages } from './output-messages.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads what the call of a model gave back, as it was: a chat completion or a list of its choices, an answer of the
 * Responses API, generations or serialized messages of LangChain, and all that {@link readAnswer} reads.
 */
export function readRunOutput(content: Content): ModelOutput {
  content.decode()
  if (!content.seen) return unseenOutput(content.state)
  const messages = toMessages(content.value)
  return messages === null ? readAnswer(content) : readMessages(messages)
}

/**
 * Reads a response that is recorded whole, as {@link readRunOutput} does; `null` for a value that is none, or that holds
 * neither text nor tool calls.
 */
export function readResponse(content: Content): ModelOutput | null {
  const messages = toMessages(content.value)
  const output = messages === null ? null : readMessages(messages)
  return output !== null && (output.text !== null || output.calls.length > 0) ? output : null
}

/** The lists that an answer may be, by the member that holds them. */
const LISTS = ['choices', 'generations', 'output', 'messages'] as const

function toMessages(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) {
    const entries = value.flat() as readonly unknown[]
    return entries.some(isEntry) ? entries.flatMap((entry) => toMessages(entry) ?? [entry]) : null
  }
  if (!isFields(value)) return null
  const list = LISTS.map((name) => value[name]).find(Array.isArray) as readonly unknown[] | undefined
  if (list !== undefined) return list.flat().map(toMessage)
  return isEntry(value) ? [toMessage(value)] : null
}

/** Anything that holds a message, and is none itself. */
function isEntry(value: unknown): boolean {
  if (!isFields(value)) return false
  return isFields(value['message']) || isSerialized(value) || LISTS.some((name) => Array.isArray(value[name]))
}

function isSerialized(fields: Fields): boolean {
  return fields['lc'] === 1 && isFields(fields['kwargs'])
}

function toMessage(entry: unknown): unknown {
  if (!isFields(entry)) return entry
  if (isSerialized(entry)) return entry['kwargs']
  const { message, text } = entry
  const info = entry['generation_info'] ?? entry['generationInfo']
  const reason = entry['finish_reason'] ?? (isFields(info) ? info['finish_reason'] : undefined)
  if (isFields(message)) return { ...(toMessage(message) as Fields), finish_reason: reason }
  return typeof text === 'string' && entry['type'] !== 'text'
    ? { content: text, finish_reason: reason }
    : entry
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
