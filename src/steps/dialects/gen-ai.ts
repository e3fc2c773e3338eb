import {
  GEN_AI_OPERATION_NAME,
  GEN_AI_OUTPUT_MESSAGES,
  genAiCompletions,
  genAiOperationKinds,
  genAiTelltales,
} from '../../semconv/gen-ai-keys.ts'
import { Content } from '../content.ts'
import type { FieldReader } from '../field-reader.ts'
import { toFinishReason } from '../finish-reason.ts'
import {
  createOutputParts,
  joinOutput,
  type ModelOutput,
  type RequestedCall,
  unseenOutput,
} from '../model-output.ts'
import { toRequestedCall } from '../requested-call.ts'
import type { StepKind } from '../step.ts'
import { toToolDefinitions } from '../tool-definition.ts'
import type { Dialect } from './dialect.ts'
import { addFlattenedText } from './flattened-texts.ts'
import { lookUpKind } from './look-up-kind.ts'
import { isRecorded, numbered, readNumbered } from './numbered-keys.ts'
import { readAnswer, readMessages } from './output-messages.ts'

/** OpenTelemetry GenAI conventions, v0.1.0 and the older names. AI SDK 7 writes these too. */
export const genAi: Dialect = {
  name: 'gen-ai',
  kindKeys: genAiTelltales.map(([key]) => key).concat(GEN_AI_OPERATION_NAME),
  readKind,
  readKindAtLast,
  readModelOutput(reader) {
    const content = reader.content('output')
    if (content.dialect !== 'gen-ai') return readNumberedCompletions(reader)
    content.decode()
    if (!content.seen) return unseenOutput(content.state)
    return content.key === GEN_AI_OUTPUT_MESSAGES ? readMessages(content.value) : readAnswer(content)
  },
  readToolDefinitions(reader) {
    const content = reader.content('tool.definitions')
    if (content.dialect !== 'gen-ai') return null
    return content.seen ? toToolDefinitions(content.value) : []
  },
}

function readKind(reader: FieldReader): { kind: StepKind; key: string } | null {
  const kind = lookUpKind(genAiOperationKinds, reader.attributes[GEN_AI_OPERATION_NAME])
  if (kind !== null) return { kind, key: GEN_AI_OPERATION_NAME }
  for (const [key, telltale] of genAiTelltales) {
    if (isRecorded(reader.attributes, key)) return { kind: telltale as StepKind, key }
  }
  return null
}

/** An operation that no convention lists is a unit of work. */
function readKindAtLast(reader: FieldReader): { kind: StepKind; key: string } | null {
  const isNamed = typeof reader.attributes[GEN_AI_OPERATION_NAME] === 'string'
  return isNamed ? { kind: 'workflow', key: GEN_AI_OPERATION_NAME } : null
}

const { list, role, content, finishReason, calls, callId, callName, callArguments, version } =
  genAiCompletions

const completionKeys = numbered(list, (completion) => ({
  signs: [
    completion + role,
    completion + content,
    completion + finishReason,
    `${completion}${calls}0${callName}`,
  ],
  content: completion + content,
  finishReason: completion + finishReason,
  calls: numbered(completion + calls, (call) => ({
    signs: [call + callName, call + callId],
    id: call + callId,
    name: call + callName,
    arguments: call + callArguments,
  })),
}))

/** The flattened form before the messages attributes. */
function readNumberedCompletions(reader: FieldReader): ModelOutput | null {
  const { attributes } = reader
  const completions = readNumbered(attributes, completionKeys)
  if (completions.length === 0) return null
  reader.note({ field: 'output', key: `${list}N.*`, dialect: 'gen-ai', version })
  const parts = createOutputParts()
  for (const keys of completions) {
    const reason = attributes[keys.finishReason]
    const written = readWrittenCalls(attributes[keys.content], reason)
    if (written.length === 0) addFlattenedText(parts, attributes[keys.content], 'gen-ai')
    parts.calls.push(...written)
    if (typeof reason === 'string' && reason !== '') parts.finishReasons.push(reason)
    for (const { id, name, arguments: args } of readNumbered(attributes, keys.calls)) {
      const call = toRequestedCall({
        id: attributes[id],
        name: attributes[name],
        arguments: attributes[args],
      })
      if (call !== null) parts.calls.push(call)
    }
  }
  return joinOutput(parts, reader.dropped ? 'dropped' : 'seen')
}

/** Koog writes the calls that it asks for as the content of a completion that ends in tool calls. */
function readWrittenCalls(recorded: unknown, reason: unknown): readonly RequestedCall[] {
  const isAsking = typeof reason === 'string' && toFinishReason(reason) === 'tool_calls'
  if (!isAsking || typeof recorded !== 'string' || !recorded.startsWith('[')) return []
  const { value } = Content.recorded(recorded, { field: 'output', key: '', dialect: 'gen-ai', version })
  const output = readMessages(value)
  return output.text === null && !output.hasOtherParts ? output.calls : []
}
