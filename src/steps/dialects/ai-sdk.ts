import {
  AI_SDK_OPERATION_ID,
  AI_SDK_OPERATION_PREFIX,
  AI_SDK_RESPONSE_OBJECT,
  aiSdkOperationKinds,
} from '../../semconv/ai-sdk-keys.ts'
import type { Content } from '../content.ts'
import type { FieldReader } from '../field-reader.ts'
import { type ModelOutput, type RequestedCall, unseenOutput } from '../model-output.ts'
import { toRequestedCall } from '../requested-call.ts'
import { toToolDefinitions } from '../tool-definition.ts'
import type { Dialect } from './dialect.ts'
import { lookUpKind } from './look-up-kind.ts'

/** Vercel AI SDK v4 to v6, and the legacy exporter of v7. */
export const aiSdk: Dialect = {
  name: 'ai-sdk',
  kindKeys: [AI_SDK_OPERATION_ID],
  readKind(reader) {
    const operation = reader.attributes[AI_SDK_OPERATION_ID]
    if (typeof operation !== 'string') return null
    const kind =
      lookUpKind(aiSdkOperationKinds, operation) ??
      (operation.startsWith(AI_SDK_OPERATION_PREFIX) ? 'workflow' : null)
    return kind === null ? null : { kind, key: AI_SDK_OPERATION_ID }
  },
  readModelOutput(reader) {
    const answer = own(reader.content('output'))
    const calls = own(reader.content('output.calls'))
    if (answer === null && calls === null) return null
    return toOutput(reader, answer, calls)
  },
  readToolDefinitions(reader) {
    const content = own(reader.content('tool.definitions'))
    if (content === null) return null
    return content.seen ? toToolDefinitions(content.value) : []
  },
}

function own(content: Content): Content | null {
  return content.dialect === 'ai-sdk' ? content : null
}

/** Text and tool calls stand under keys of their own: nothing is known of the answer where one cannot be read. */
function toOutput(reader: FieldReader, answer: Content | null, calls: Content | null): ModelOutput {
  calls?.decode()
  const unseen = [answer, calls].find((content) => content !== null && !content.seen)
  const state = unseen?.state ?? 'seen'
  return {
    ...unseenOutput(state),
    text: answer === null || answer.state === 'redacted' ? null : answer.text,
    calls: calls === null ? [] : readCalls(calls.value),
    hasOtherParts:
      unseenOutput(state).hasOtherParts ||
      answer?.key === AI_SDK_RESPONSE_OBJECT ||
      reader.content('output.reasoning').key !== null,
  }
}

/** v4 names the arguments `args`, v5 and v6 `input`; either may be an object or JSON text of one. */
function readCalls(value: unknown): readonly RequestedCall[] {
  if (!Array.isArray(value)) return []
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
