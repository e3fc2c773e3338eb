import { GEN_AI_OPERATION_NAME, genAiOperationKinds } from '../../semconv/gen-ai-keys.ts'
import type { FieldReader } from '../field-reader.ts'
import { type ModelOutput, type RequestedCall, unseenOutput } from '../model-output.ts'
import { toRequestedCall } from '../requested-call.ts'
import type { StepKind } from '../step.ts'
import { toToolDefinitions } from '../tool-definition.ts'
import type { Dialect } from './dialect.ts'
import { readNumbered } from './numbered-keys.ts'

/** OpenTelemetry GenAI conventions, v0.1.0 and the older names. AI SDK 7 writes these too. */
export const genAi: Dialect = {
  name: 'gen-ai',
  readKind,
  readModelOutput(reader) {
    const content = reader.content('output')
    if (content.dialect === 'gen-ai' && content.key !== 'gen_ai.output') {
      return content.seen ? toModelOutput(content.value) : unseenOutput(content.state)
    }
    return readNumberedCompletions(reader)
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
  ['gen_ai.output.messages', 'model'],
  ['gen_ai.completion.0.content', 'model'],
]

function readKind(reader: FieldReader): { kind: StepKind; key: string } | null {
  const operation = reader.attributes[GEN_AI_OPERATION_NAME]
  const kind = typeof operation === 'string' ? genAiOperationKinds[operation] : undefined
  if (kind !== undefined) return { kind: kind as StepKind, key: GEN_AI_OPERATION_NAME }
  for (const [key, telltale] of telltales) {
    if (reader.attributes[key] !== undefined) return { kind: telltale, key }
  }
  return typeof operation === 'string' ? { kind: 'workflow', key: GEN_AI_OPERATION_NAME } : null
}

/**
 * Reads output messages: `[{role, parts: [{type, …}], finish_reason}]`, the same under `messages`, and the older
 * chat shape `{role, content, tool_calls}`.
 */
function toModelOutput(value: unknown): ModelOutput {
  const list = isObject(value) && Array.isArray(value['messages']) ? value['messages'] : value
  if (typeof list === 'string') return { ...unseenOutput('seen'), text: list }
  const messages = (Array.isArray(list) ? list : [list]).filter(isObject)
  const output = { texts: [] as string[], calls: [] as RequestedCall[], other: false, finish: [] as string[] }
  for (const message of messages) {
    if (typeof message['finish_reason'] === 'string') output.finish.push(message['finish_reason'])
    const parts = message['parts'] ?? message['content']
    if (typeof parts === 'string') output.texts.push(parts)
    for (const part of Array.isArray(parts) ? parts.filter(isObject) : []) addPart(output, part)
    for (const call of Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isObject) : []) {
      addCall(output.calls, call)
    }
  }
  return {
    state: 'seen',
    text: output.texts.length === 0 ? null : output.texts.join('\n'),
    calls: output.calls,
    hasOtherParts: output.other,
    finishReasons: output.finish,
  }
}

interface Collected {
  readonly texts: string[]
  readonly calls: RequestedCall[]
  other: boolean
}

function addPart(output: Collected, part: Record<string, unknown>): void {
  const type = part['type']
  if (type === 'text' || type === 'output_text') {
    const text = part['content'] ?? part['text']
    if (typeof text === 'string') output.texts.push(text)
  } else if (
    type === 'tool_call' ||
    type === 'tool-call' ||
    type === 'tool_use' ||
    type === 'function_call'
  ) {
    addCall(output.calls, part)
  } else {
    output.other = true
  }
}

function addCall(calls: RequestedCall[], part: Record<string, unknown>): void {
  const inner = isObject(part['function']) ? part['function'] : part
  const call = toRequestedCall({
    id: part['id'] ?? part['call_id'] ?? part['toolCallId'],
    name: inner['name'] ?? inner['toolName'],
    arguments: inner['arguments'] ?? inner['input'] ?? inner['args'],
    providerExecuted: part['provider_executed'] === true || part['providerExecuted'] === true,
  })
  if (call !== null) calls.push(call)
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
  const calls = completions.flatMap(({ prefix }) =>
    readNumbered(attributes, `${prefix}.tool_calls.`, ['.name', '.id']).flatMap(({ prefix: at }) => {
      const call = toRequestedCall({
        id: attributes[`${at}.id`],
        name: attributes[`${at}.name`],
        arguments: attributes[`${at}.arguments`],
      })
      return call === null ? [] : [call]
    }),
  )
  const texts = completions.map(({ prefix }) => attributes[`${prefix}.content`]).filter(isText)
  const finish = completions.map(({ prefix }) => attributes[`${prefix}.finish_reason`]).filter(isText)
  return {
    state: 'seen',
    text: texts.length === 0 ? null : texts.join('\n'),
    calls,
    hasOtherParts: false,
    finishReasons: finish,
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
