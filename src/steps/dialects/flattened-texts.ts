import type { DialectName } from '../../semconv/field-key.ts'
import { Content } from '../content.ts'
import type { OutputParts } from '../model-output.ts'

/**
 * Adds a text that stands in an attribute of its own, where a length limit may have cut it: JSON that stops in
 * mid-air, or a mark at its end, tells. A value that is no text counts as another part.
 */
export function addFlattenedText(parts: OutputParts, value: unknown, dialect: DialectName): void {
  if (value === undefined || value === null) return
  if (typeof value !== 'string') {
    parts.hasOtherParts = true
    return
  }
  const { state } = Content.recorded(value, { field: 'output', key: '', dialect, version: '' })
  if (state === 'truncated') parts.cut = true
  parts.texts.push(value)
}
