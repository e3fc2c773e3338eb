import { toMilliseconds } from '../../chain/measure-time.ts'
import { createFinding } from '../../findings/create-finding.ts'
import type { RuleCheck } from './rule-check.ts'

/** A step that took longer than the rules allow. */
export const timeLimit: RuleCheck = {
  name: 'time-limit',
  check({ startNs, endNs, spanId }, { timeoutMs }) {
    if (timeoutMs === null || endNs <= startNs) return []
    const latencyMs = toMilliseconds(endNs - startNs)
    if (latencyMs <= timeoutMs) return []
    return [
      createFinding({
        code: 'timeout',
        spanId,
        detail: `took ${latencyMs} ms, ${timeoutMs} ms allowed`,
        evidence: [{ path: 'latency_ms', expected: `at most ${timeoutMs}`, actual: latencyMs }],
      }),
    ]
  },
}
