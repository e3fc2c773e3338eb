import type { ChainStatus, SettledChain } from '../chain/chain.ts'
import { toMilliseconds } from '../chain/measure-time.ts'
import { countChain, totalUsage } from '../report/chain-totals.ts'
import type { BudgetKind } from '../rules/rules.ts'

/** A chain in numbers, as its root is marked with them. */
export interface ChainTotals {
  readonly status: ChainStatus
  readonly tokenCount: number
  /** `null` where no cost is known. */
  readonly costUsd: number | null
  readonly loopCount: number
  readonly alertCount: number
  /** The node that failed first. */
  readonly rootCause: string | null
  /** What the chain has used of what a budget can limit; the duration in milliseconds. */
  readonly used: Readonly<Record<BudgetKind, number>>
}

/** The totals of a chain as far as it has come. */
export function toChainTotals(settled: SettledChain): ChainTotals {
  const { chain } = settled
  const usage = totalUsage(chain)
  const counts = countChain(settled)
  return {
    status: settled.status,
    tokenCount: usage.token_count,
    costUsd: usage.estimated_cost_usd,
    loopCount: counts.loop_count,
    alertCount: settled.alerts.length,
    rootCause: settled.rootCause?.step.record.nodeName ?? null,
    used: {
      tokens: usage.token_count,
      usd: usage.estimated_cost_usd ?? 0,
      model_calls: counts.model_calls,
      tool_calls: counts.tool_calls,
      duration: toMilliseconds(chain.endNs - chain.startNs),
    },
  }
}
