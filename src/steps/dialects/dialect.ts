import type { DialectName } from '../../semconv/field-key.ts'
import type { FieldReader } from '../field-reader.ts'
import type { ModelOutput } from '../model-output.ts'
import type { StepKind } from '../step.ts'
import type { ToolDefinition } from '../tool-definition.ts'

/**
 * What a dialect knows beyond its key table: how it names kinds, and the shapes of content that no single key
 * holds. Every answer is `null` where the span carries nothing of this dialect, so that the next one is asked.
 */
export interface Dialect {
  readonly name: DialectName
  /** The keys by which this dialect tells a kind: a span with none of them need not be asked about. */
  readonly kindKeys: readonly string[]
  /** The kind of the step, with the key that said so. */
  readKind(reader: FieldReader): { readonly kind: StepKind; readonly key: string } | null
  /** The kind where no dialect knows one: a span of this dialect of which only that much can be said. */
  readKindAtLast?(reader: FieldReader): { readonly kind: StepKind; readonly key: string } | null
  /** The name of a tool that no key holds, as the name of its span tells it. Asked for a call of a tool only. */
  readToolName?(reader: FieldReader, spanName: string): string | null
  /** The answer of a model. */
  readModelOutput?(reader: FieldReader): ModelOutput | null
  /** The tools that were declared on the span. */
  readToolDefinitions?(reader: FieldReader): readonly ToolDefinition[] | null
  /** Retrieved documents that are recorded under numbered keys. */
  readDocuments?(reader: FieldReader): readonly unknown[] | null
}
