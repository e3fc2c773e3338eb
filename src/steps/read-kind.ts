import { dialects } from './dialects/catalog.ts'
import type { FieldReader } from './field-reader.ts'
import type { StepKind } from './step.ts'

const KIND_QUESTIONS = ['readKind', 'readKindAtLast'] as const

/** Asks the dialects in turn what kind of step a span is; first those whose own keys say it. */
export function readKind(reader: FieldReader): StepKind {
  for (const ask of KIND_QUESTIONS) {
    for (const dialect of dialects) {
      const answer = dialect[ask]?.(reader) ?? null
      if (answer === null) continue
      reader.note({ field: 'kind', key: answer.key, dialect: dialect.name, version: '' })
      return answer.kind
    }
  }
  return 'other'
}
