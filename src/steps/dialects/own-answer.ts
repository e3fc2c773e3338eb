import type { DialectName } from '../../semconv/field-key.ts'
import type { FieldReader } from '../field-reader.ts'
import { type ModelOutput, unseenOutput } from '../model-output.ts'
import { readAnswer } from './output-messages.ts'

/** The answer of a model where it stands under one key of a dialect, of whatever shape it is; else `null`. */
export function readOwnAnswer(reader: FieldReader, dialect: DialectName): ModelOutput | null {
  const content = reader.content('output')
  if (content.dialect !== dialect) return null
  content.decode()
  return content.seen ? readAnswer(content) : unseenOutput(content.state)
}
