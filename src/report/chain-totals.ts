import type { Chain, SettledChain } from '../chain/chain.ts'
import type { ChainReport, ReportTokens } from './chain-report.ts'
import { roundMoney } from './round-money.ts'

/** What a chain consists of, in numbers. */
export function countChain(
  settled: SettledChain,
): Pick<
  ChainReport,
  'span_count' | 'step_count' | 'loop_count' | 'retry_count' | 'replan_count' | 'model_calls' | 'tool_calls'
> {
  const { chain } = settled
  return {
    span_count: chain.spanCount,
    step_count: chain.steps.length,
    loop_count: settled.alerts.filter((alert) => alert.type === 'loop').length,
    retry_count: settled.nodes.reduce((sum, node) => sum + node.attempts - node.calls, 0),
    replan_count: chain.checkpoints.filter((point) => point.id === 'CP-05').length,
    model_calls: chain.usage.modelCalls.length,
    tool_calls: chain.usage.toolCalls.length,
  }
}

/** Sums run in fold order, so that floating-point sums are the same at every door. */
export function totalUsage(
  chain: Chain,
): Pick<ChainReport, 'token_count' | 'tokens' | 'estimated_cost_usd' | 'cost_source'> {
  const tokens: { -readonly [K in keyof ReportTokens]: number } = {
    input: 0,
    output: 0,
    cache_read: 0,
    cache_write: 0,
    reasoning: 0,
  }
  let count = 0
  let cost = 0
  for (const step of chain.steps) {
    const own = chain.usage.tokens.get(step)
    cost += chain.usage.cost.get(step) ?? 0
    if (own === undefined) continue
    count += own.count
    tokens.input += own.input
    tokens.output += own.output
    tokens.cache_read += own.cacheRead
    tokens.cache_write += own.cacheWrite
    tokens.reasoning += own.reasoning
  }
  const known = chain.usage.cost.size > 0
  return {
    token_count: count,
    tokens,
    estimated_cost_usd: known ? roundMoney(cost) : null,
    cost_source: chain.usage.costSource,
  }
}
