import { findingCatalog } from '../findings/catalog.ts'
import type { Finding } from '../findings/finding.ts'
import type { NodeStatus } from './chain.ts'
import type { StepRecord } from './step-record.ts'

/**
 * The state of a step by what is known of it alone. Precedence: `skipped`, `timed_out`, `unreachable`,
 * `reached_invalid`, `reached`. Findings about the run (a loop, a mismatch of totals) change no state.
 */
export function toStatus(record: StepRecord, findings: readonly Finding[]): NodeStatus {
  if (record.skippedReason !== null) return 'skipped'
  if (record.neverEnded) return 'timed_out'
  let status: NodeStatus = 'reached'
  for (const { code, severity } of findings) {
    if (severity !== 'error') continue
    if (code === 'timeout' || code === 'never_ended') return 'timed_out'
    const { group } = findingCatalog[code]
    if (group === 'step') status = 'unreachable'
    else if (status === 'reached' && (group === 'result' || group === 'call')) status = 'reached_invalid'
  }
  return status
}

/** True where the step checks alone found that the step failed. A skipped step did not run and did not fail. */
export function hasFailed(record: StepRecord): boolean {
  const status = toStatus(record, record.findings)
  return status !== 'reached' && status !== 'skipped'
}
