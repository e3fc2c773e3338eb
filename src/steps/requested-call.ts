import { canonicalJson, surelyFits } from './canonical-json.ts'
import { CONTENT_LIMIT, decodeNested, hasCutMark, isRedacted, NESTING_LIMIT } from './content.ts'
import type { RequestedCall } from './model-output.ts'

/** The parts of a tool call in a model's output, before its arguments are decoded. */
export interface RawCall {
  readonly id: unknown
  readonly name: unknown
  readonly arguments: unknown
  readonly providerExecuted?: boolean
}

/** Decodes one tool call of a model's output; `null` where it has no name. */
export function toRequestedCall(raw: RawCall): RequestedCall | null {
  if (typeof raw.name !== 'string' || raw.name === '') return null
  return {
    id: typeof raw.id === 'string' && raw.id !== '' ? raw.id : null,
    name: raw.name,
    providerExecuted: raw.providerExecuted ?? false,
    ...decodeArguments(raw.arguments),
  }
}

type Arguments = Pick<RequestedCall, 'arguments' | 'malformed' | 'unseen'>

const UNSEEN: Arguments = { arguments: undefined, malformed: false, unseen: true }

function decodeArguments(raw: unknown): Arguments {
  if (raw === undefined || raw === null) return { arguments: undefined, malformed: false, unseen: false }
  if (typeof raw === 'string') return decodeText(raw)
  const isWhole = surelyFits(raw, CONTENT_LIMIT) || canonicalJson(raw, CONTENT_LIMIT).length <= CONTENT_LIMIT
  return isWhole ? { arguments: raw, malformed: false, unseen: false } : UNSEEN
}

function decodeText(text: string): Arguments {
  if (text.length > CONTENT_LIMIT || isRedacted(text)) return UNSEEN
  if (text.trim() === '') return { arguments: {}, malformed: false, unseen: false }
  try {
    const value = unwrapText(JSON.parse(text) as unknown)
    if (typeof value === 'string' && isRedacted(value)) return UNSEEN
    return { arguments: value, malformed: false, unseen: false }
  } catch {
    if (hasCutMark(text)) return UNSEEN
    return { arguments: text, malformed: true, unseen: false }
  }
}

/** Arguments are an object; text that holds the JSON of one was encoded more than once. */
function unwrapText(value: unknown): unknown {
  return typeof value === 'string' ? decodeNested(value, NESTING_LIMIT - 1) : value
}
