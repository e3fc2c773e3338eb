import type { Chain } from '../chain/chain.ts'
import type { ReportUsageCheck } from './chain-report.ts'

/** How the totals that spans report compare with what their steps add up to. */
export function checkUsage(chain: Chain): ReportUsageCheck {
  const { aggregates } = chain.usage
  return {
    consistent: aggregates.every(({ reported, counted, incomplete }) => incomplete || reported === counted),
    aggregates: aggregates.map(({ step, metric, reported, counted, incomplete }) => ({
      span_id: step.record.spanId,
      node_name: step.record.nodeName,
      metric,
      reported,
      counted,
      incomplete,
    })),
    normalised: listNormalised(chain),
  }
}

function listNormalised(chain: Chain): ReportUsageCheck['normalised'] {
  const normalised: { readonly span_id: string; readonly reason: string }[] = []
  for (const { record } of chain.steps) {
    const { cacheWasBeside, reasoningWasBeside } = record.usage
    if (cacheWasBeside) normalised.push({ span_id: record.spanId, reason: 'cache_beside_input' })
    if (reasoningWasBeside) normalised.push({ span_id: record.spanId, reason: 'reasoning_beside_output' })
  }
  return normalised
}
