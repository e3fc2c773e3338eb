import {
  PYDANTIC_AI_AGENT_NAME,
  PYDANTIC_AI_EVENTS,
  PYDANTIC_AI_MESSAGE,
  PYDANTIC_AI_MODEL_NAME,
  PYDANTIC_AI_TOOLS,
} from '../../semconv/pydantic-ai-keys.ts'
import type { Content } from '../content.ts'
import { type ModelOutput, unseenOutput } from '../model-output.ts'
import { readMember, toFields } from '../recorded-member.ts'
import type { Attributes } from '../span-view.ts'
import { toToolDefinitions } from '../tool-definition.ts'
import type { Dialect } from './dialect.ts'
import { hasKnownOperation } from './known-operation.ts'
import { isRecorded } from './numbered-keys.ts'
import { readMessages } from './output-messages.ts'

/**
 * Pydantic AI, whose calls of models and tools are spans of the GenAI conventions. An agent's run was not one before
 * 2026, and reports the sum of its calls, so that it must not be taken for a call of a model.
 */
export const pydanticAi: Dialect = {
  name: 'pydantic-ai',
  kindKeys: [PYDANTIC_AI_AGENT_NAME, PYDANTIC_AI_TOOLS],
  readKind(reader) {
    const marks = [PYDANTIC_AI_AGENT_NAME, PYDANTIC_AI_MODEL_NAME, PYDANTIC_AI_MESSAGE]
    if (!isMarked(reader.attributes, marks) || hasKnownOperation(reader)) return null
    return { kind: 'agent', key: PYDANTIC_AI_AGENT_NAME }
  },
  readKindAtLast({ attributes }) {
    const isStep = isMarked(attributes, [PYDANTIC_AI_TOOLS, PYDANTIC_AI_MESSAGE])
    return isStep ? { kind: 'workflow', key: PYDANTIC_AI_TOOLS } : null
  },
  readModelOutput(reader) {
    const content = reader.content('output')
    return content.dialect === 'pydantic-ai' && content.key === PYDANTIC_AI_EVENTS
      ? readChoice(content)
      : null
  },
  readToolDefinitions(reader) {
    const content = reader.content('tool.definitions')
    if (content.dialect !== 'pydantic-ai') return null
    return content.seen ? toToolDefinitions(content.value) : []
  },
}

function isMarked(attributes: Attributes, keys: readonly string[]): boolean {
  return keys.every((key) => isRecorded(attributes, key))
}

/** Of all messages the answer is the one that is a choice. */
function readChoice(content: Content): ModelOutput {
  content.decode()
  if (!content.seen) return unseenOutput(content.state)
  const events = Array.isArray(content.value) ? (content.value as readonly unknown[]) : []
  const choices = events
    .map((event) => readMember(toFields(event), 'message'))
    .filter((message) => message !== undefined)
  return choices.length === 0 ? unseenOutput('absent') : readMessages(choices)
}
