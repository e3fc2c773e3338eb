import type { EndedRoot } from '../pipeline/ended-step.ts'
import type { BudgetKind, BudgetLimits } from '../rules/rules.ts'
import {
  ATTR_AGENT_REACH_CHAIN_ALERT_COUNT,
  ATTR_AGENT_REACH_CHAIN_COST_USD,
  ATTR_AGENT_REACH_CHAIN_LOOP_COUNT,
  ATTR_AGENT_REACH_CHAIN_PROVISIONAL,
  ATTR_AGENT_REACH_CHAIN_ROOT_CAUSE,
  ATTR_AGENT_REACH_CHAIN_STATUS,
  ATTR_AGENT_REACH_CHAIN_TOKEN_COUNT,
  ATTR_AGENT_REACH_OPEN_SPAN_ID,
  ATTR_AGENT_REACH_OPEN_SPAN_NAME,
  ATTR_AGENT_REACH_OPEN_SPAN_PARENT_ID,
  ATTR_AGENT_REACH_OPEN_SPAN_START_TIME,
} from '../semconv/agent-reach.ts'
import type { OpenSpan } from '../steps/step.ts'
import { toBudgetAttributes } from './budget-attributes.ts'
import type { MarkAttributes } from './live-span.ts'

/** What is known of a chain when a root of it ends. */
export function toRootAttributes({ totals, provisional }: EndedRoot, budget: BudgetLimits): MarkAttributes {
  const attributes: MarkAttributes = { [ATTR_AGENT_REACH_CHAIN_PROVISIONAL]: provisional }
  if (totals === null) return attributes
  attributes[ATTR_AGENT_REACH_CHAIN_STATUS] = totals.status
  attributes[ATTR_AGENT_REACH_CHAIN_TOKEN_COUNT] = totals.tokenCount
  attributes[ATTR_AGENT_REACH_CHAIN_LOOP_COUNT] = totals.loopCount
  attributes[ATTR_AGENT_REACH_CHAIN_ALERT_COUNT] = totals.alertCount
  if (totals.costUsd !== null) attributes[ATTR_AGENT_REACH_CHAIN_COST_USD] = totals.costUsd
  if (totals.rootCause !== null) attributes[ATTR_AGENT_REACH_CHAIN_ROOT_CAUSE] = totals.rootCause
  for (const [kind, limit] of Object.entries(budget) as [BudgetKind, number][]) {
    Object.assign(attributes, toBudgetAttributes(kind, limit, totals.used[kind]))
  }
  return attributes
}

/** The attributes of the event that names a span which is still open when its root ends. */
export function toOpenSpanAttributes({ spanId, parentSpanId, name, startNs }: OpenSpan): MarkAttributes {
  return {
    [ATTR_AGENT_REACH_OPEN_SPAN_ID]: spanId,
    ...(parentSpanId !== null && { [ATTR_AGENT_REACH_OPEN_SPAN_PARENT_ID]: parentSpanId }),
    [ATTR_AGENT_REACH_OPEN_SPAN_NAME]: name,
    [ATTR_AGENT_REACH_OPEN_SPAN_START_TIME]: String(startNs),
  }
}
