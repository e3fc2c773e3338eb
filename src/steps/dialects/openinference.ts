import {
  OPENINFERENCE_SPAN_KIND,
  OPENINFERENCE_VERSION,
  openinferenceLists,
  openinferenceSpanKinds,
} from '../../semconv/openinference-keys.ts'
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

const { messages: MESSAGES, tools: TOOLS, documents: DOCUMENTS } = openinferenceLists

/** How a reader of explanations sees the key of the tools. */
const TOOL_SCHEMA = `${TOOLS.list}N${TOOLS.schema}`

const MESSAGE_PARTS = [
  MESSAGES.role,
  MESSAGES.content,
  `${MESSAGES.parts}0${MESSAGES.partType}`,
  `${MESSAGES.calls}0${MESSAGES.callName}`,
]

/** OpenInference: messages, tools and documents are flattened into numbered keys. */
export const openinference: Dialect = {
  name: 'openinference',
  kindKeys: [OPENINFERENCE_SPAN_KIND],
  readKind(reader) {
    const value = reader.attributes[OPENINFERENCE_SPAN_KIND]
    if (typeof value !== 'string') return null
    const kind = lookUpKind(openinferenceSpanKinds, value.toUpperCase()) ?? 'workflow'
    return { kind, key: OPENINFERENCE_SPAN_KIND }
  },
  readModelOutput(reader) {
    const messages = readNumbered(reader.attributes, MESSAGES.list, MESSAGE_PARTS)
    if (messages.length === 0) return readPlainOutput(reader)
    note(reader, 'output', `${MESSAGES.list}N.message.*`)
    return toOutput(reader, messages)
  },
  readToolDefinitions(reader) {
    const { attributes } = reader
    const tools = readNumbered(attributes, TOOLS.list, [TOOLS.schema, TOOLS.name])
    if (tools.length === 0) return readOwnDefinition(reader)
    note(reader, 'tool.definitions', TOOL_SCHEMA)
    return tools.flatMap(({ prefix }) => toSeenDefinitions(attributes[prefix + TOOLS.schema]))
  },
  readDocuments(reader) {
    const { attributes } = reader
    const documents = readNumbered(attributes, DOCUMENTS.list, [
      DOCUMENTS.content,
      DOCUMENTS.id,
      DOCUMENTS.score,
    ])
    if (documents.length === 0) return null
    note(reader, 'retrieval.documents', `${DOCUMENTS.list}N.document.*`)
    return documents.map(({ prefix }) => ({
      id: attributes[prefix + DOCUMENTS.id] ?? null,
      content: attributes[prefix + DOCUMENTS.content] ?? null,
    }))
  },
}

function note(reader: FieldReader, field: string, key: string): void {
  reader.note({ field, key, dialect: 'openinference', version: OPENINFERENCE_VERSION })
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
    addFlattenedText(parts, attributes[prefix + MESSAGES.content], 'openinference')
    for (const part of readNumbered(attributes, prefix + MESSAGES.parts, [MESSAGES.partType])) {
      const text = attributes[part.prefix + MESSAGES.partText]
      if (typeof text === 'string') addFlattenedText(parts, text, 'openinference')
      else parts.hasOtherParts = true
    }
    parts.calls.push(...readCalls(attributes, prefix))
  }
  return joinOutput(parts, reader.dropped ? 'dropped' : 'seen')
}

function readCalls(attributes: Attributes, prefix: string): readonly RequestedCall[] {
  const entries = readNumbered(attributes, prefix + MESSAGES.calls, [MESSAGES.callName, MESSAGES.callId])
  return entries.flatMap(({ prefix: at }) => {
    const call = toRequestedCall({
      id: attributes[at + MESSAGES.callId],
      name: attributes[at + MESSAGES.callName],
      arguments: attributes[at + MESSAGES.callArguments],
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
    key: TOOL_SCHEMA,
    dialect: 'openinference',
    version: OPENINFERENCE_VERSION,
  })
  return content.seen ? toToolDefinitions(content.value) : []
}
