import { GEN_AI_OPERATION_NAME, genAiOperationKinds } from '../../semconv/gen-ai-keys.ts'
import type { FieldReader } from '../field-reader.ts'
import { lookUpKind } from './look-up-kind.ts'

/**
 * True where a span names an operation that the GenAI conventions list. That says more than the kinds of a vendor, who
 * may call a tool a task.
 */
export function hasKnownOperation(reader: FieldReader): boolean {
  return lookUpKind(genAiOperationKinds, reader.attributes[GEN_AI_OPERATION_NAME]) !== null
}
