import { dialects } from './dialects/catalog.ts'
import type { FieldReader } from './field-reader.ts'
import type { StepKind } from './step.ts'

const KIND_QUESTIONS = ['readKind', 'readKindAtLast'] as const

/** Asks the dialects in turn what kind of step a span is; first those whose own keys say it. */
export function readKind(reader: FieldReader): StepKind {
  const asked = findDialects(reader.keys)
  if (asked === 0) return 'other'
  for (const ask of KIND_QUESTIONS) {
    for (const [index, dialect] of dialects.entries()) {
      const answer = (asked & (1 << index)) === 0 ? null : (dialect[ask]?.(reader) ?? null)
      if (answer === null) continue
      reader.note({ field: 'kind', key: answer.key, dialect: dialect.name, version: '' })
      return answer.kind
    }
  }
  return 'other'
}

/**
 * The dialects that a span with these keys has to be asked about, a bit for each. Many spans carry nothing of any, and
 * to look for a key that is not there costs more than to look at each that is.
 */
function findDialects(keys: readonly string[]): number {
  let bits = 0
  for (const key of keys) bits |= bitsByKey.get(key) ?? 0
  return bits
}

const bitsByKey: ReadonlyMap<string, number> = toBits()

function toBits(): Map<string, number> {
  const bits = new Map<string, number>()
  for (const [index, { kindKeys }] of dialects.entries()) {
    for (const key of kindKeys) bits.set(key, (bits.get(key) ?? 0) | (1 << index))
  }
  return bits
}
