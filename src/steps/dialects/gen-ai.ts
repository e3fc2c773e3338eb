import { GEN_AI_OPERATION_NAME, genAiOperationKinds } from '../../semconv/gen-ai-keys.ts'
import type { FieldReader } from '../field-reader.ts'
import { createOutputParts, joinOutput, type ModelOutput, unseenOutput } from '../model-output.ts'
import { toRequestedCall } from '../requested-call.ts'
import type { StepKind } from '../step.ts'
import { toToolDefinitions } from '../tool-definition.ts'
import type { Dialect } from './dialect.ts'
import { addFlattenedText } from './flattened-texts.ts'
import { lookUpKind } from './look-up-kind.ts'
import { isRecorded, readNumbered } from './numbered-keys.ts'
import { readAnswer, readMessages } from './output-messages.ts'

/** OpenTelemetry GenAI conventions, v0.1.0 and the older names. AI SDK 7 writes these too. */
export const genAi: Dialect = {
  name: 'gen-ai',
  readKind,
  readModelOutput(reader) {
    const content = reader.content('output')
    if (content.dialect !== 'gen-ai') return readNumberedCompletions(reader)
    if (!content.seen) return unseenOutput(content.state)
    return content.key === 'gen_ai.output.messages' ? readMessages(content.value) : readAnswer(content)
  },
  readToolDefinitions(reader) {
    const content = reader.content('tool.definitions')
    if (content.dialect !== 'gen-ai') return null
    return content.seen ? toToolDefinitions(content.value) : []
  },
}

/** Keys that tell the kind of a span whose operation is not recorded or not known, the surest first. */
const telltales: readonly (readonly [string, StepKind])[] = [
  ['gen_ai.tool.name', 'tool'],
  ['gen_ai.tool.call.id', 'tool'],
  ['gen_ai.guardrail.name', 'guardrail'],
  ['gen_ai.request.model', 'model'],
  ['gen_ai.response.model', 'model'],
  ['gen_ai.usage.input_tokens', 'model'],
  ['gen_ai.usage.prompt_tokens', 'model'],
  ['gen_ai.output.messages', 'model'],
  ['gen_ai.completion.0.content', 'model'],
  ['gen_ai.completion.0.role', 'model'],
]

function readKind(reader: FieldReader): { kind: StepKind; key: string } | null {
  const operation = reader.attributes[GEN_AI_OPERATION_NAME]
  const kind = lookUpKind(genAiOperationKinds, operation)
  if (kind !== null) return { kind, key: GEN_AI_OPERATION_NAME }
  for (const [key, telltale] of telltales) {
    if (isRecorded(reader.attributes, key)) return { kind: telltale, key }
  }
  return typeof operation === 'string' ? { kind: 'workflow', key: GEN_AI_OPERATION_NAME } : null
}

/** The flattened form before the messages attributes: `gen_ai.completion.N.content`, `.tool_calls.M.name`. */
function readNumberedCompletions(reader: FieldReader): ModelOutput | null {
  const { attributes } = reader
  const completions = readNumbered(attributes, 'gen_ai.completion.', [
    '.role',
    '.content',
    '.finish_reason',
    '.tool_calls.0.name',
  ])
  if (completions.length === 0) return null
  reader.note({ field: 'output', key: 'gen_ai.completion.N.*', dialect: 'gen-ai', version: 'semconv 1.27' })
  const parts = createOutputParts()
  for (const { prefix } of completions) {
    addFlattenedText(parts, attributes[`${prefix}.content`], 'gen-ai')
    const reason = attributes[`${prefix}.finish_reason`]
    if (typeof reason === 'string' && reason !== '') parts.finishReasons.push(reason)
    for (const { prefix: at } of readNumbered(attributes, `${prefix}.tool_calls.`, ['.name', '.id'])) {
      const call = toRequestedCall({
        id: attributes[`${at}.id`],
        name: attributes[`${at}.name`],
        arguments: attributes[`${at}.arguments`],
      })
      if (call !== null) parts.calls.push(call)
    }
  }
  return joinOutput(parts, reader.dropped ? 'dropped' : 'seen')
}
