import { aiSdkOperationKinds } from '../../semconv/ai-sdk-keys.ts'
import {
  LAMINAR_AI_SDK_OPERATION,
  LAMINAR_CACHED,
  LAMINAR_MASTRA_SPAN_TYPE,
  LAMINAR_ORIGINAL_TYPE,
  LAMINAR_SPAN_TYPE,
  laminarSpanKinds,
  laminarTelltales,
} from '../../semconv/laminar-keys.ts'
import { mastraSpanKinds } from '../../semconv/mastra-keys.ts'
import type { Attributes } from '../span-view.ts'
import type { StepKind } from '../step.ts'
import type { Dialect } from './dialect.ts'
import { hasKnownOperation } from './known-operation.ts'
import { lookUpKind } from './look-up-kind.ts'
import { isRecorded } from './numbered-keys.ts'
import { readOwnAnswer } from './own-answer.ts'

/**
 * Laminar. Its types come before the telltales of the GenAI conventions, as it writes the model on the span above the
 * calls, too.
 */
export const laminar: Dialect = {
  name: 'laminar',
  kindKeys: [LAMINAR_SPAN_TYPE, ...laminarTelltales],
  readKind(reader) {
    if (hasKnownOperation(reader)) return null
    const kind = readType(reader.attributes)
    return kind === null ? null : { kind, key: LAMINAR_SPAN_TYPE }
  },
  readKindAtLast({ attributes }) {
    const key = [LAMINAR_SPAN_TYPE, ...laminarTelltales].find((each) => isRecorded(attributes, each))
    return key === undefined ? null : { kind: 'workflow', key }
  },
  readModelOutput: (reader) => readOwnAnswer(reader, 'laminar'),
}

function readType(attributes: Attributes): StepKind | null {
  const type = attributes[LAMINAR_SPAN_TYPE]
  if (type === LAMINAR_CACHED)
    return lookUpKind(laminarSpanKinds, attributes[LAMINAR_ORIGINAL_TYPE]) ?? 'model'
  const kind = lookUpKind(laminarSpanKinds, type)
  return kind === 'workflow' ? (readFramework(attributes) ?? kind) : kind
}

/** What a span of no type is to the framework it is of. Calls have a type, so what is left is around them. */
function readFramework(attributes: Attributes): StepKind | null {
  const kind =
    lookUpKind(aiSdkOperationKinds, attributes[LAMINAR_AI_SDK_OPERATION]) ??
    lookUpKind(mastraSpanKinds, attributes[LAMINAR_MASTRA_SPAN_TYPE])
  return kind === 'model' || kind === 'tool' ? null : kind
}
