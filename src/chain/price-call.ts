import { estimateCost } from '../pricing/estimate-cost.ts'
import type { CountedTokens } from './chain.ts'
import type { StepRecord } from './step-record.ts'

/** Estimates in USD what the tokens that a step adds to its chain cost; `null` where nothing tells. */
export function priceCall(record: StepRecord, tokens: CountedTokens): number | null {
  const { model, provider, startNs } = record
  const { input, output, cacheRead, cacheWrite } = tokens
  if (model === null || input + output === 0) return null
  return estimateCost({ model, provider, input, output, cacheRead, cacheWrite, atNs: startNs })
}
