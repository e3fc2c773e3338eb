import {
  LANGFUSE_INPUT_TOOLS,
  LANGFUSE_OBSERVATION_TYPE,
  langfuseObservationKinds,
  langfuseTelltales,
} from '../../semconv/langfuse-keys.ts'
import type { StepKind } from '../step.ts'
import { toToolDefinitions } from '../tool-definition.ts'
import type { Dialect } from './dialect.ts'
import { hasKnownOperation } from './known-operation.ts'
import { lookUpKind } from './look-up-kind.ts'
import { isRecorded } from './numbered-keys.ts'
import { readOwnAnswer } from './own-answer.ts'

/** Langfuse: observations with one input and one output of any shape, usage and cost as JSON objects. */
export const langfuse: Dialect = {
  name: 'langfuse',
  kindKeys: [LANGFUSE_OBSERVATION_TYPE, ...langfuseTelltales.map(([key]) => key)],
  readKind(reader) {
    const type = reader.attributes[LANGFUSE_OBSERVATION_TYPE]
    if (typeof type !== 'string' || hasKnownOperation(reader)) return null
    const kind = lookUpKind(langfuseObservationKinds, type.toLowerCase()) ?? 'workflow'
    return { kind, key: LANGFUSE_OBSERVATION_TYPE }
  },
  readKindAtLast({ attributes }) {
    const found = langfuseTelltales.find(([key]) => isRecorded(attributes, key))
    return found === undefined ? null : { kind: found[1] as StepKind, key: found[0] }
  },
  readModelOutput: (reader) => readOwnAnswer(reader, 'langfuse'),
  readToolDefinitions(reader) {
    const content = reader.content('input')
    if (content.dialect !== 'langfuse' || !content.seen) return null
    const { value } = content
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, LANGFUSE_INPUT_TOOLS))
      return null
    return toToolDefinitions((value as Readonly<Record<string, unknown>>)[LANGFUSE_INPUT_TOOLS])
  },
}
