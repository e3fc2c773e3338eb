import type { LiveAlert } from '../pipeline/ended-step.ts'
import type { BudgetKind, BudgetLimits } from '../rules/rules.ts'
import {
  ATTR_AGENT_REACH_ALERT_ACTION,
  ATTR_AGENT_REACH_ALERT_MESSAGE,
  ATTR_AGENT_REACH_ALERT_SEVERITY,
  ATTR_AGENT_REACH_ALERT_TYPE,
  ATTR_AGENT_REACH_LOOP_COUNT,
  ATTR_AGENT_REACH_LOOP_KIND,
  ATTR_AGENT_REACH_LOOP_SIGNATURE,
} from '../semconv/agent-reach.ts'
import { toBudgetAttributes } from './budget-attributes.ts'
import type { MarkAttributes } from './live-span.ts'

/** The attributes of an alert, for its span event and its log record. */
export function toAlertAttributes(live: LiveAlert, budget: BudgetLimits): MarkAttributes {
  const { alert } = live
  return {
    [ATTR_AGENT_REACH_ALERT_TYPE]: alert.type,
    [ATTR_AGENT_REACH_ALERT_SEVERITY]: alert.severity,
    [ATTR_AGENT_REACH_ALERT_MESSAGE]: alert.message,
    [ATTR_AGENT_REACH_ALERT_ACTION]: alert.action,
    ...(alert.type === 'loop' && toLoopAttributes(live)),
    ...(alert.type === 'budget' && toUsage(live, budget)),
  }
}

function toLoopAttributes({ alert, signature }: LiveAlert): MarkAttributes {
  return {
    ...(alert.kind !== null && { [ATTR_AGENT_REACH_LOOP_KIND]: alert.kind }),
    ...(alert.count !== null && { [ATTR_AGENT_REACH_LOOP_COUNT]: alert.count }),
    ...(signature !== null && { [ATTR_AGENT_REACH_LOOP_SIGNATURE]: signature }),
  }
}

function toUsage({ alert, finding }: LiveAlert, budget: BudgetLimits): MarkAttributes {
  const kind = alert.kind as BudgetKind
  const limit = budget[kind]
  const usage = finding.evidence[0]?.actual
  return limit === undefined || typeof usage !== 'number' ? {} : toBudgetAttributes(kind, limit, usage)
}
