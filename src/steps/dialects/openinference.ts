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
import { numbered, type NumberedKeys, readNumbered } from './numbered-keys.ts'
import { readResponse } from './run-output.ts'

const { messages: MESSAGES, tools: TOOLS, documents: DOCUMENTS } = openinferenceLists

/** How a reader of explanations sees the key of the tools. */
const TOOL_SCHEMA = `${TOOLS.list}N${TOOLS.schema}`

interface CallKeys {
  readonly signs: readonly string[]
  readonly id: string
  readonly name: string
  readonly arguments: string
}

const messageKeys = numbered(MESSAGES.list, (message) => ({
  signs: [
    message + MESSAGES.role,
    message + MESSAGES.content,
    `${message}${MESSAGES.parts}0${MESSAGES.partType}`,
    `${message}${MESSAGES.calls}0${MESSAGES.callName}`,
  ],
  content: message + MESSAGES.content,
  parts: numbered(message + MESSAGES.parts, (part) => ({
    signs: [part + MESSAGES.partType],
    text: part + MESSAGES.partText,
  })),
  calls: numbered(message + MESSAGES.calls, (call): CallKeys => ({
    signs: [call + MESSAGES.callName, call + MESSAGES.callId],
    id: call + MESSAGES.callId,
    name: call + MESSAGES.callName,
    arguments: call + MESSAGES.callArguments,
  })),
}))

type MessageKeys = ReturnType<typeof messageKeys>

const toolKeys = numbered(TOOLS.list, (tool) => ({
  signs: [tool + TOOLS.schema, tool + TOOLS.name],
  schema: tool + TOOLS.schema,
}))

const documentKeys = numbered(DOCUMENTS.list, (document) => ({
  signs: [document + DOCUMENTS.content, document + DOCUMENTS.id, document + DOCUMENTS.score],
  id: document + DOCUMENTS.id,
  content: document + DOCUMENTS.content,
}))

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
    const messages = readNumbered(reader.attributes, messageKeys)
    if (messages.length === 0) return readPlainOutput(reader)
    note(reader, 'output', `${MESSAGES.list}N.message.*`)
    return toOutput(reader, messages)
  },
  readToolDefinitions(reader) {
    const { attributes } = reader
    const tools = readNumbered(attributes, toolKeys)
    if (tools.length === 0) return readOwnDefinition(reader)
    note(reader, 'tool.definitions', TOOL_SCHEMA)
    return tools.flatMap(({ schema }) => toSeenDefinitions(attributes[schema]))
  },
  readDocuments(reader) {
    const { attributes } = reader
    const documents = readNumbered(attributes, documentKeys)
    if (documents.length === 0) return null
    note(reader, 'retrieval.documents', `${DOCUMENTS.list}N.document.*`)
    return documents.map(({ id, content }) => ({
      id: attributes[id] ?? null,
      content: attributes[content] ?? null,
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
  const response = readResponse(content)
  if (response !== null) return response
  const { text, value } = content
  return { ...unseenOutput('seen'), text, hasOtherParts: typeof value === 'object' && value !== null }
}

function toOutput(reader: FieldReader, messages: readonly MessageKeys[]): ModelOutput {
  const { attributes } = reader
  const parts = createOutputParts()
  for (const message of messages) {
    addFlattenedText(parts, attributes[message.content], 'openinference')
    for (const part of readNumbered(attributes, message.parts)) {
      const text = attributes[part.text]
      if (typeof text === 'string') addFlattenedText(parts, text, 'openinference')
      else parts.hasOtherParts = true
    }
    parts.calls.push(...readCalls(attributes, message.calls))
  }
  return joinOutput(parts, reader.dropped ? 'dropped' : 'seen')
}

function readCalls(attributes: Attributes, calls: NumberedKeys<CallKeys>): readonly RequestedCall[] {
  return readNumbered(attributes, calls).flatMap((keys) => {
    const call = toRequestedCall({
      id: attributes[keys.id],
      name: attributes[keys.name],
      arguments: attributes[keys.arguments],
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
