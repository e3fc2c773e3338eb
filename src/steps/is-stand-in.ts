import { LOGFIRE_PENDING_SPAN, LOGFIRE_SPAN_TYPE } from '../semconv/logfire-keys.ts'
import type { SpanView } from './span-view.ts'

/**
 * True for a span that only stands in for its parent while that is open. It is no span of its own: neither counted nor
 * part of the tree.
 */
export function isStandIn({ attributes }: Pick<SpanView, 'attributes'>): boolean {
  return attributes[LOGFIRE_SPAN_TYPE] === LOGFIRE_PENDING_SPAN
}
