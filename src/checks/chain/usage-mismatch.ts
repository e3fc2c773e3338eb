import { createFinding } from '../../findings/create-finding.ts'
import type { ChainCheck } from './chain-check.ts'

/**
 * Finds steps that report other totals than the steps below them add up to. Says nothing where a model call below
 * reports no usage: then the total may well be right. A total that is less than its parts is information: it leaves
 * calls out, as those of a planner or of sub-agents, and is not used. One that is more is a warning: calls are missing.
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
        severity: wrong.some((total) => total.step === step && total.reported > total.counted)
          ? 'warn'
          : 'info',
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
