import { LANGSMITH_SPAN_KIND, langsmithRunKinds, langsmithTelltales } from '../../semconv/langsmith-keys.ts'
import type { FieldReader } from '../field-reader.ts'
import type { StepKind } from '../step.ts'
import type { Dialect } from './dialect.ts'
import { lookUpKind } from './look-up-kind.ts'
import { isRecorded } from './numbered-keys.ts'
import { readRunOutput } from './run-output.ts'

/**
 * LangSmith in OpenTelemetry mode. Its kind goes before the operation of the GenAI conventions that it writes, too;
 * on the spans of another host it is a copy, and that host is asked first.
 */
export const langsmith: Dialect = {
  name: 'langsmith',
  kindKeys: [LANGSMITH_SPAN_KIND, ...langsmithTelltales],
  readKind(reader) {
    const type = reader.attributes[LANGSMITH_SPAN_KIND]
    if (typeof type !== 'string') return null
    return { kind: lookUpKind(langsmithRunKinds, type.toLowerCase()) ?? 'workflow', key: LANGSMITH_SPAN_KIND }
  },
  readKindAtLast,
  readModelOutput(reader) {
    const content = reader.content('output')
    return content.dialect === 'langsmith' ? readRunOutput(content) : null
  },
}

function readKindAtLast({ attributes }: FieldReader): { kind: StepKind; key: string } | null {
  const key = langsmithTelltales.find((telltale) => isRecorded(attributes, telltale))
  return key === undefined ? null : { kind: 'workflow', key }
}
