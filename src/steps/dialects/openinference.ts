import { OPENINFERENCE_SPAN_KIND, openinferenceSpanKinds } from '../../semconv/openinference-keys.ts'
import type { FieldReader } from '../field-reader.ts'
import type { ModelOutput, RequestedCall } from '../model-output.ts'
import { toRequestedCall } from '../requested-call.ts'
import type { Attributes } from '../span-view.ts'
import type { StepKind } from '../step.ts'
import { toToolDefinitions } from '../tool-definition.ts'
import type { Dialect } from './dialect.ts'
import { readNumbered } from './numbered-keys.ts'

const VERSION = '2.12.0'
const MESSAGE_PARTS = [
  '.message.role',
  '.message.content',
  '.message.contents.0.message_content.type',
  `${calls(0)}.function.name`,
]

/** OpenInference: messages, tools and documents are flattened into numbered keys. */
export const openinference: Dialect = {
  name: 'openinference',
  readKind(reader) {
    const value = reader.attributes[OPENINFERENCE_SPAN_KIND]
    if (typeof value !== 'string') return null
    const kind = openinferenceSpanKinds[value.toUpperCase()] ?? 'workflow'
    return { kind: kind as StepKind, key: OPENINFERENCE_SPAN_KIND }
  },
  readModelOutput(reader) {
    const messages = readNumbered(reader.attributes, 'llm.output_messages.', MESSAGE_PARTS)
    if (messages.length === 0) return readPlainOutput(reader)
    note(reader, 'output', 'llm.output_messages.N.message.*')
    return toOutput(reader.attributes, messages)
  },
  readToolDefinitions(reader) {
    const { attributes } = reader
    const tools = readNumbered(attributes, 'llm.tools.', ['.tool.json_schema', '.tool.name'])
    if (tools.length > 0) {
      note(reader, 'tool.definitions', 'llm.tools.N.tool.json_schema')
      return tools.flatMap(({ prefix }) => toToolDefinitions(attributes[`${prefix}.tool.json_schema`]))
    }
    const content = reader.content('tool.definitions')
    return content.dialect === 'openinference' && content.seen ? toToolDefinitions(content.value) : null
  },
  readDocuments(reader) {
    const { attributes } = reader
    const documents = readNumbered(attributes, 'retrieval.documents.', [
      '.document.content',
      '.document.id',
      '.document.score',
    ])
    if (documents.length === 0) return null
    note(reader, 'retrieval.documents', 'retrieval.documents.N.document.*')
    return documents.map(({ prefix }) => ({
      id: attributes[`${prefix}.document.id`] ?? null,
      content: attributes[`${prefix}.document.content`] ?? null,
    }))
  },
}

function calls(n: number): string {
  return `.message.tool_calls.${n}.tool_call`
}

function note(reader: FieldReader, field: string, key: string): void {
  reader.note({ field, key, dialect: 'openinference', version: VERSION })
}

/** Where messages are not flattened, `output.value` may hold the text of the answer. */
function readPlainOutput(reader: FieldReader): ModelOutput | null {
  const content = reader.content('output')
  if (content.dialect !== 'openinference') return null
  return {
    state: content.state,
    text: content.seen ? content.text : null,
    calls: [],
    hasOtherParts: content.seen && typeof content.value === 'object',
    finishReasons: [],
  }
}

function toOutput(attributes: Attributes, messages: readonly { readonly prefix: string }[]): ModelOutput {
  const texts: string[] = []
  const requested: RequestedCall[] = []
  let other = false
  for (const { prefix } of messages) {
    const content = attributes[`${prefix}.message.content`]
    if (typeof content === 'string') texts.push(content)
    for (const part of readNumbered(attributes, `${prefix}.message.contents.`, ['.message_content.type'])) {
      const text = attributes[`${part.prefix}.message_content.text`]
      if (typeof text === 'string') texts.push(text)
      else other = true
    }
    requested.push(...readCalls(attributes, prefix))
  }
  const redacted = texts.length > 0 && texts.every((text) => text === '__REDACTED__')
  return {
    state: redacted ? 'redacted' : 'seen',
    text: texts.length === 0 || redacted ? null : texts.join('\n'),
    calls: requested,
    hasOtherParts: other,
    finishReasons: [],
  }
}

function readCalls(attributes: Attributes, prefix: string): readonly RequestedCall[] {
  const entries = readNumbered(attributes, `${prefix}.message.tool_calls.`, [
    '.tool_call.function.name',
    '.tool_call.id',
  ])
  return entries.flatMap(({ prefix: at }) => {
    const call = toRequestedCall({
      id: attributes[`${at}.tool_call.id`],
      name: attributes[`${at}.tool_call.function.name`],
      arguments: attributes[`${at}.tool_call.function.arguments`],
    })
    return call === null ? [] : [call]
  })
}
