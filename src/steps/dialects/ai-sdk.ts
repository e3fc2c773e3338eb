import { AI_SDK_OPERATION_ID, aiSdkOperationKinds } from '../../semconv/ai-sdk-keys.ts'
import type { FieldReader } from '../field-reader.ts'
import { type ModelOutput, type RequestedCall, unseenOutput } from '../model-output.ts'
import { toRequestedCall } from '../requested-call.ts'
import type { StepKind } from '../step.ts'
import { toToolDefinitions } from '../tool-definition.ts'
import type { Dialect } from './dialect.ts'

const TOOL_CALLS = 'ai.response.toolCalls'
const REASONING = 'ai.response.reasoning'

/** Vercel AI SDK v4 to v6, and the legacy exporter of v7. */
export const aiSdk: Dialect = {
  name: 'ai-sdk',
  readKind(reader) {
    const operation = reader.attributes[AI_SDK_OPERATION_ID]
    if (typeof operation !== 'string') return null
    const kind = aiSdkOperationKinds[operation] ?? (operation.startsWith('ai.') ? 'workflow' : undefined)
    return kind === undefined ? null : { kind: kind as StepKind, key: AI_SDK_OPERATION_ID }
  },
  readModelOutput(reader) {
    const { attributes } = reader
    if (attributes[AI_SDK_OPERATION_ID] === undefined) return null
    const content = reader.content('output')
    const own = content.dialect === 'ai-sdk' ? content : null
    const calls = readCalls(attributes[TOOL_CALLS])
    if (own === null && calls === null) return null
    if (calls !== null) {
      reader.note({ field: 'requested calls', key: TOOL_CALLS, dialect: 'ai-sdk', version: 'ai 4.3.19' })
    }
    return toOutput(own?.state ?? 'seen', own, calls ?? [], attributes)
  },
  readToolDefinitions(reader) {
    const content = reader.content('tool.definitions')
    if (content.dialect !== 'ai-sdk') return null
    return content.seen ? toToolDefinitions(content.value) : []
  },
}

function toOutput(
  state: ModelOutput['state'],
  own: { readonly key: string | null; readonly text: string } | null,
  calls: readonly RequestedCall[],
  attributes: FieldReader['attributes'],
): ModelOutput {
  return {
    ...unseenOutput(state),
    text: own === null ? null : own.text,
    calls,
    hasOtherParts: attributes[REASONING] !== undefined || own?.key === 'ai.response.object',
  }
}

/** v4 names the arguments `args`, v5 and v6 `input`; either may be an object or JSON text of one. */
function readCalls(recorded: unknown): readonly RequestedCall[] | null {
  const value = typeof recorded === 'string' ? parse(recorded) : recorded
  if (!Array.isArray(value)) return null
  return value.flatMap((item: unknown) => {
    if (typeof item !== 'object' || item === null) return []
    const call = item as Record<string, unknown>
    const requested = toRequestedCall({
      id: call['toolCallId'],
      name: call['toolName'],
      arguments: call['input'] ?? call['args'],
      providerExecuted: call['providerExecuted'] === true,
    })
    return requested === null ? [] : [requested]
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
