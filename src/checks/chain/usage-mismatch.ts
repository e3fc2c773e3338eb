import { createFinding } from '../../findings/create-finding.ts'
import type { ChainCheck } from './chain-check.ts'

/**
 * Finds steps that report other totals than the steps below them add up to. Says nothing where a model call below
 * reports no usage: then the total may well be right.
 */
export const usageMismatch: ChainCheck = {
  name: 'usage-mismatch',
  check(chain) {
    const wrong = chain.usage.aggregates.filter(
      (aggregate) => !aggregate.incomplete && aggregate.reported !== aggregate.counted,
    )
    if (wrong.length === 0) return []
    return [...new Set(wrong.map((aggregate) => aggregate.step))].map((step) =>
      createFinding({
        code: 'usage_mismatch',
        spanId: step.record.spanId,
        evidence: wrong
          .filter((aggregate) => aggregate.step === step)
          .map(({ metric, counted, reported }) => ({
            path: `${metric} tokens`,
            expected: String(counted),
            actual: reported,
          })),
      }),
    )
  },
}
