import { OPENINFERENCE_SPAN_KIND, openinferenceSpanKinds } from '../../semconv/openinference-keys.ts'
import { Content } from '../content.ts'
import type { FieldReader } from '../field-reader.ts'
import {
  createOutputParts,
  joinOutput,
  type ModelOutput,
  type RequestedCall,
  unseenOutput,
} from '../model-output.ts'
import { toRequestedCall } from '../requested-call.ts'
import type { Attributes } from '../span-view.ts'
import { type ToolDefinition, toToolDefinitions } from '../tool-definition.ts'
import type { Dialect } from './dialect.ts'
import { addFlattenedText } from './flattened-texts.ts'
import { lookUpKind } from './look-up-kind.ts'
import { readNumbered } from './numbered-keys.ts'

const VERSION = '2.12.0'
const MESSAGE_PARTS = [
  '.message.role',
  '.message.content',
  '.message.contents.0.message_content.type',
  '.message.tool_calls.0.tool_call.function.name',
]

/** OpenInference: messages, tools and documents are flattened into numbered keys. */
export const openinference: Dialect = {
  name: 'openinference',
  readKind(reader) {
    const value = reader.attributes[OPENINFERENCE_SPAN_KIND]
    if (typeof value !== 'string') return null
    const kind = lookUpKind(openinferenceSpanKinds, value.toUpperCase()) ?? 'workflow'
    return { kind, key: OPENINFERENCE_SPAN_KIND }
  },
  readModelOutput(reader) {
    const messages = readNumbered(reader.attributes, 'llm.output_messages.', MESSAGE_PARTS)
    if (messages.length === 0) return readPlainOutput(reader)
    note(reader, 'output', 'llm.output_messages.N.message.*')
    return toOutput(reader, messages)
  },
  readToolDefinitions(reader) {
    const { attributes } = reader
    const tools = readNumbered(attributes, 'llm.tools.', ['.tool.json_schema', '.tool.name'])
    if (tools.length === 0) return readOwnDefinition(reader)
    note(reader, 'tool.definitions', 'llm.tools.N.tool.json_schema')
    return tools.flatMap(({ prefix }) => toSeenDefinitions(attributes[`${prefix}.tool.json_schema`]))
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

function note(reader: FieldReader, field: string, key: string): void {
  reader.note({ field, key, dialect: 'openinference', version: VERSION })
}

/** Where messages are not flattened, `output.value` may hold the text of the answer. */
function readPlainOutput(reader: FieldReader): ModelOutput | null {
  const content = reader.content('output')
  if (content.dialect !== 'openinference') return null
  if (!content.seen) return unseenOutput(content.state)
  const { text, value } = content
  return { ...unseenOutput('seen'), text, hasOtherParts: typeof value === 'object' && value !== null }
}

function toOutput(reader: FieldReader, messages: readonly { readonly prefix: string }[]): ModelOutput {
  const { attributes } = reader
  const parts = createOutputParts()
  for (const { prefix } of messages) {
    addFlattenedText(parts, attributes[`${prefix}.message.content`], 'openinference')
    for (const part of readNumbered(attributes, `${prefix}.message.contents.`, ['.message_content.type'])) {
      const text = attributes[`${part.prefix}.message_content.text`]
      if (typeof text === 'string') addFlattenedText(parts, text, 'openinference')
      else parts.hasOtherParts = true
    }
    parts.calls.push(...readCalls(attributes, prefix))
  }
  return joinOutput(parts, reader.dropped ? 'dropped' : 'seen')
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

/** The definition that a tool's own span carries. */
function readOwnDefinition(reader: FieldReader): readonly ToolDefinition[] | null {
  const content = reader.content('tool.definitions')
  if (content.dialect !== 'openinference') return null
  return content.seen ? toToolDefinitions(content.value) : []
}

function toSeenDefinitions(recorded: unknown): readonly ToolDefinition[] {
  const content = Content.recorded(recorded, {
    field: 'tool.definitions',
    key: 'llm.tools.N.tool.json_schema',
    dialect: 'openinference',
    version: VERSION,
  })
  return content.seen ? toToolDefinitions(content.value) : []
}
