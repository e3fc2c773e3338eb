import { createFinding } from '../../findings/create-finding.ts'
import type { BudgetKind, BudgetLimits } from '../../rules/rules.ts'
import type { GuardOutcome, ObservedStep, RunCheck } from './run-check.ts'

/** Sums of money differ in their last digits by how they were added, in USD. */
const MONEY_TOLERANCE = 1e-9

interface BudgetState {
  readonly used: Record<BudgetKind, number>
  readonly exceeded: Set<BudgetKind>
}

const units: Readonly<Record<BudgetKind, string>> = {
  tokens: 'tokens',
  usd: 'USD',
  model_calls: 'model calls',
  tool_calls: 'tool calls',
  duration: 'ms',
}

/** Finds for each limit the step that goes beyond it. What a run uses is counted once, as in its totals. */
export function createBudgetCheck(limits: BudgetLimits): RunCheck<BudgetState, ObservedStep> {
  return {
    name: 'budget',
    init: () => ({
      used: { tokens: 0, usd: 0, model_calls: 0, tool_calls: 0, duration: 0 },
      exceeded: new Set(),
    }),
    next: (state, step) => {
      count(state, step)
      return findExceeded(state, limits).map(([kind, limit]) => {
        state.exceeded.add(kind)
        return toOutcome(step, kind, { used: state.used[kind], limit })
      })
    },
  }
}

function count({ used }: BudgetState, step: ObservedStep): void {
  used.tokens += step.tokens
  used.usd += step.costUsd
  used.model_calls += step.modelCalls
  used.tool_calls += step.toolCalls
  used.duration = Math.max(used.duration, step.elapsedMs)
}

function findExceeded(
  { used, exceeded }: BudgetState,
  limits: BudgetLimits,
): readonly (readonly [BudgetKind, number])[] {
  return (Object.keys(units) as BudgetKind[]).flatMap((kind) => {
    const limit = limits[kind]
    if (limit === undefined || exceeded.has(kind)) return []
    const tolerance = kind === 'usd' ? MONEY_TOLERANCE : 0
    return used[kind] > limit + tolerance ? [[kind, limit] as const] : []
  })
}

function toOutcome(
  { nodeName, spanId }: ObservedStep,
  kind: BudgetKind,
  { used, limit }: { readonly used: number; readonly limit: number },
): GuardOutcome {
  const actual = kind === 'usd' ? Number(used.toFixed(6)) : used
  const detail = `${actual} ${units[kind]}, ${limit} allowed`
  return {
    key: `budget\n${kind}`,
    alert: {
      type: 'budget',
      kind,
      severity: 'error',
      action: 'none',
      nodeName,
      spanId,
      message: `budget exceeded at node ${nodeName}: ${detail}`,
      count: null,
      order: 'certain',
    },
    finding: createFinding({
      code: 'budget_exceeded',
      spanId,
      detail,
      evidence: [{ path: kind, expected: `at most ${limit}`, actual }],
    }),
  }
}
