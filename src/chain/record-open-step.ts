import type { Step } from '../steps/step.ts'
import { condenseStep } from './condense-step.ts'
import type { StepRecord } from './step-record.ts'

/**
 * A record for a step that is still open when its chain must be told of.
 *
 * @param lastNs the end of what ended last in its trace, in nanoseconds: until then it was open
 */
export function recordOpenStep(step: Step, lastNs: bigint): StepRecord {
  const endNs = step.startNs > lastNs ? step.startNs : lastNs
  return { ...condenseStep(step, []), endNs, neverEnded: true, status: 'unset', errorDigest: null }
}
