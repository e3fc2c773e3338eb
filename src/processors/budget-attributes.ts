import type { BudgetKind } from '../rules/rules.ts'
import {
  ATTR_AGENT_REACH_BUDGET_COST_LIMIT,
  ATTR_AGENT_REACH_BUDGET_COST_USAGE,
  ATTR_AGENT_REACH_BUDGET_COST_UTILIZATION,
  ATTR_AGENT_REACH_BUDGET_DURATION_LIMIT,
  ATTR_AGENT_REACH_BUDGET_DURATION_USAGE,
  ATTR_AGENT_REACH_BUDGET_DURATION_UTILIZATION,
  ATTR_AGENT_REACH_BUDGET_MODEL_CALL_LIMIT,
  ATTR_AGENT_REACH_BUDGET_MODEL_CALL_USAGE,
  ATTR_AGENT_REACH_BUDGET_MODEL_CALL_UTILIZATION,
  ATTR_AGENT_REACH_BUDGET_TOKEN_LIMIT,
  ATTR_AGENT_REACH_BUDGET_TOKEN_USAGE,
  ATTR_AGENT_REACH_BUDGET_TOKEN_UTILIZATION,
  ATTR_AGENT_REACH_BUDGET_TOOL_CALL_LIMIT,
  ATTR_AGENT_REACH_BUDGET_TOOL_CALL_USAGE,
  ATTR_AGENT_REACH_BUDGET_TOOL_CALL_UTILIZATION,
} from '../semconv/agent-reach.ts'
import type { MarkAttributes } from './live-span.ts'

const keys: Readonly<Record<BudgetKind, readonly [limit: string, usage: string, utilization: string]>> = {
  tokens: [
    ATTR_AGENT_REACH_BUDGET_TOKEN_LIMIT,
    ATTR_AGENT_REACH_BUDGET_TOKEN_USAGE,
    ATTR_AGENT_REACH_BUDGET_TOKEN_UTILIZATION,
  ],
  usd: [
    ATTR_AGENT_REACH_BUDGET_COST_LIMIT,
    ATTR_AGENT_REACH_BUDGET_COST_USAGE,
    ATTR_AGENT_REACH_BUDGET_COST_UTILIZATION,
  ],
  model_calls: [
    ATTR_AGENT_REACH_BUDGET_MODEL_CALL_LIMIT,
    ATTR_AGENT_REACH_BUDGET_MODEL_CALL_USAGE,
    ATTR_AGENT_REACH_BUDGET_MODEL_CALL_UTILIZATION,
  ],
  tool_calls: [
    ATTR_AGENT_REACH_BUDGET_TOOL_CALL_LIMIT,
    ATTR_AGENT_REACH_BUDGET_TOOL_CALL_USAGE,
    ATTR_AGENT_REACH_BUDGET_TOOL_CALL_UTILIZATION,
  ],
  duration: [
    ATTR_AGENT_REACH_BUDGET_DURATION_LIMIT,
    ATTR_AGENT_REACH_BUDGET_DURATION_USAGE,
    ATTR_AGENT_REACH_BUDGET_DURATION_UTILIZATION,
  ],
}

/**
 * How much of a budget a chain has used.
 *
 * @param limit of the duration in milliseconds, as in the rules; what is written is in seconds
 */
export function toBudgetAttributes(kind: BudgetKind, limit: number, usage: number): MarkAttributes {
  const unit = kind === 'duration' ? 1_000 : 1
  const [limitKey, usageKey, utilizationKey] = keys[kind]
  return {
    [limitKey]: limit / unit,
    [usageKey]: usage / unit,
    [utilizationKey]: limit === 0 ? 1 : Math.round((usage / limit) * 1_000) / 1_000,
  }
}
