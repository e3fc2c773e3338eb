import type { FieldKey } from './field-key.ts'

/**
 * Keys of Logfire beside those of the GenAI conventions, under which it and Pydantic AI record model and tool calls
 * (read in the traces of Pydantic AI that Logfire documents, and in `logfire` 0.22.9).
 */
export const logfireKeys: readonly FieldKey[] = [
  { field: 'cost.total', key: 'operation.cost', dialect: 'logfire', version: '0.22.9' },
]

/** What a span of Logfire is: a span, a log, or a stand-in for a span that is still open. */
export const LOGFIRE_SPAN_TYPE = 'logfire.span_type'

/**
 * The value of `logfire.span_type` on a span that only tells that its parent has started: it has no duration, and
 * everything that was known of that span then.
 */
export const LOGFIRE_PENDING_SPAN = 'pending_span'
