import { isJsonPrefix } from './json-prefix.ts'
import { CONTENT_LIMIT, decodeNested } from './content.ts'
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

function decodeArguments(raw: unknown): Pick<RequestedCall, 'arguments' | 'malformed' | 'unseen'> {
  if (typeof raw !== 'string') return { arguments: raw ?? undefined, malformed: false, unseen: false }
  if (raw.length > CONTENT_LIMIT) return { arguments: undefined, malformed: false, unseen: true }
  if (raw.trim() === '') return { arguments: {}, malformed: false, unseen: false }
  try {
    return { arguments: unwrapText(JSON.parse(raw) as unknown), malformed: false, unseen: false }
  } catch {
    if (raw.endsWith('…') || raw.endsWith('...'))
      return { arguments: undefined, malformed: false, unseen: true }
    return { arguments: raw, malformed: true, unseen: false }
  }
}

/** Arguments are an object; text that holds the JSON of one was encoded twice. */
function unwrapText(value: unknown): unknown {
  return typeof value === 'string' ? decodeNested(value, 2) : value
}

/** True where arguments that are not JSON were stopped in mid-air, as at a token limit. */
export function isCutArguments(call: RequestedCall): boolean {
  return call.malformed && typeof call.arguments === 'string' && isJsonPrefix(call.arguments)
}
