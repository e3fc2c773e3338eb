import { findFailedCheckpoints } from '../../chain/derive-checkpoints.ts'
import { createFinding } from '../../findings/create-finding.ts'
import type { ChainCheck } from './chain-check.ts'

/** Finds checkpoints that the agent itself recorded as failed. */
export const checkpointFailed: ChainCheck = {
  name: 'checkpoint-failed',
  check(chain) {
    return findFailedCheckpoints(chain.steps).map((point) =>
      createFinding({
        code: 'checkpoint_failed',
        spanId: point.step.record.spanId,
        detail: `${point.id} ${point.name}`,
        evidence: [{ path: point.id, expected: 'passed', actual: 'failed' }],
      }),
    )
  },
}
