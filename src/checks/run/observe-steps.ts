import type { Chain } from '../../chain/chain.ts'
import { toMilliseconds } from '../../chain/measure-time.ts'
import type { ObservedStep } from './run-check.ts'

/** The steps of a chain as a budget sees them, in fold order. */
export function observeSteps(chain: Chain): readonly ObservedStep[] {
  const { usage, startNs } = chain
  const modelCalls = new Set(usage.modelCalls)
  const toolCalls = new Set(usage.toolCalls)
  return chain.steps.map((step) => ({
    nodeName: step.record.nodeName,
    spanId: step.record.spanId,
    tokens: usage.tokens[step.index]?.count ?? 0,
    costUsd: usage.cost[step.index] ?? 0,
    modelCalls: Number(modelCalls.has(step)),
    toolCalls: Number(toolCalls.has(step)),
    elapsedMs: toMilliseconds(step.record.endNs - startNs),
  }))
}
