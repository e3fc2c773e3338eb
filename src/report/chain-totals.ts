import type { Chain, SettledChain } from '../chain/chain.ts'
import type { ChainReport, ReportTokens } from './chain-report.ts'
import { roundMoney } from './round-money.ts'

type Counts = Pick<ChainReport, 'loop_count' | 'retry_count' | 'model_calls' | 'tool_calls'>

/** What happened in a chain, in numbers. */
export function countChain(settled: SettledChain): Counts {
  const { usage } = settled.chain
  let loops = 0
  for (const alert of settled.alerts) if (alert.type === 'loop') loops++
  let retries = 0
  for (const node of settled.nodes) retries += node.attempts - node.calls
  return {
    loop_count: loops,
    retry_count: retries,
    model_calls: usage.modelCalls.length,
    tool_calls: usage.toolCalls.length,
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
    const own = chain.usage.tokens[step.index] ?? null
    cost += chain.usage.cost[step.index] ?? 0
    if (own === null) continue
    count += own.count
    tokens.input += own.input
    tokens.output += own.output
    tokens.cache_read += own.cacheRead
    tokens.cache_write += own.cacheWrite
    tokens.reasoning += own.reasoning
  }
  const known = chain.usage.costSource !== null
  return {
    token_count: count,
    tokens,
    estimated_cost_usd: known ? roundMoney(cost) : null,
    cost_source: chain.usage.costSource,
  }
}
