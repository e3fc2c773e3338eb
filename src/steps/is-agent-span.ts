import { FieldReader } from './field-reader.ts'
import { readKind } from './read-kind.ts'
import type { SpanView } from './span-view.ts'

/** True for a span that, by what it carries so far, is a step of an agent. */
export function isAgentSpan(span: Pick<SpanView, 'attributes'>): boolean {
  return readKind(new FieldReader(span.attributes, false)) !== 'other'
}
