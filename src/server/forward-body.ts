import { rewriteRequest, type RewriteOptions } from '../otlp/rewrite-request.ts'
import type { SpanEdit } from '../otlp/span-edit.ts'
import type { JudgedChain } from '../pipeline/settle-trace.ts'
import { ATTR_AGENT_REACH_STATUS_SET, EVENT_AGENT_REACH_ALERT, outputKeys } from '../semconv/agent-reach.ts'
import {
  ATTR_GEN_AI_EVALUATION_NAME,
  EVENT_GEN_AI_EVALUATION_RESULT,
  NODE_EVALUATION,
} from '../semconv/evaluation-keys.ts'
import { ForwardSelection } from './forward-selection.ts'
import { type MarkOptions, markSpans } from './mark-spans.ts'
import type { StoredTrace } from './report-store.ts'

/** Marks that another process of ours has left on a span: ours take their place. */
const OUR_MARKS: RewriteOptions = {
  keys: new Set(outputKeys),
  events: [
    { name: EVENT_AGENT_REACH_ALERT },
    { name: EVENT_GEN_AI_EVALUATION_RESULT, attribute: [ATTR_GEN_AI_EVALUATION_NAME, NODE_EVALUATION] },
  ],
  statusKey: ATTR_AGENT_REACH_STATUS_SET,
}

/**
 * Makes the request in which the spans of a trace go on that have not gone on before, with what is known of them
 * written on them. Of copies of a span the one goes on that the reports are made of; a copy of a span that has gone on
 * does not.
 *
 * @param judged the chains of the trace, of all its spans
 * @returns an empty request where all its spans have gone on: to note that nothing is left, and not to be sent
 */
export function toForwardBody(
  trace: StoredTrace,
  judged: readonly JudgedChain[],
  options: MarkOptions,
): Buffer {
  const selection = new ForwardSelection(trace, options.rules)
  const edits = markSpans(judged, options)
  const edit = (spanId: string): SpanEdit | null => edits.get(spanId) ?? null
  const parts = selection.bodies.map((body, at) =>
    rewriteRequest(body, edit, {
      ...OUR_MARKS,
      keeps: (spanId, position) => selection.has(spanId, at, position),
    }),
  )
  // Requests in protobuf that stand behind each other are one request.
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
}
