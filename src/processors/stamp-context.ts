import type { ChainContext } from '../pipeline/chain-context.ts'
import type { SpanEntry } from '../pipeline/span-entry.ts'
import {
  ATTR_AGENT_REACH_CHAIN_ID,
  ATTR_AGENT_REACH_PHASE,
  ATTR_AGENT_REACH_SUBTASK_ID,
  ATTR_AGENT_REACH_TASK_ID,
} from '../semconv/agent-reach.ts'
import type { LiveSpan } from './live-span.ts'

/**
 * Writes on a span that starts what its context says of the run. What the span carries already stands. The task is
 * written on the topmost span of the run only.
 */
export function stampContext(span: LiveSpan, fields: ChainContext, entry: SpanEntry | null): void {
  stamp(span, ATTR_AGENT_REACH_CHAIN_ID, fields.chainId)
  stamp(span, ATTR_AGENT_REACH_PHASE, fields.phase)
  stamp(span, ATTR_AGENT_REACH_SUBTASK_ID, fields.subtaskId)
  if (entry?.taskId !== fields.taskId) stamp(span, ATTR_AGENT_REACH_TASK_ID, fields.taskId)
  if (entry !== null && fields.taskId !== undefined) entry.taskId = fields.taskId
}

function stamp(span: LiveSpan, key: string, value: string | undefined): void {
  if (value !== undefined && span.attributes[key] === undefined) span.setAttribute(key, value)
}
