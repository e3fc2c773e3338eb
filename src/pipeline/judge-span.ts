import { condenseStep } from '../chain/condense-step.ts'
import type { StepRecord } from '../chain/step-record.ts'
import { stepChecks } from '../checks/step/catalog.ts'
import type { Finding } from '../findings/finding.ts'
import { readStep } from '../steps/read-step.ts'
import type { SpanView } from '../steps/span-view.ts'
import { isAgentStep } from '../steps/step.ts'

/** A span as its chain keeps it. */
export interface JudgedSpan {
  readonly record: StepRecord
  /** How many step checks threw: defects of ours, counted and never passed on. */
  readonly checkErrors: number
}

/**
 * Reads a finished span, runs the step checks over it and condenses both into the record that its chain keeps. The
 * content of the span is not held on to.
 */
export function judgeSpan(span: SpanView): JudgedSpan {
  const step = readStep(span)
  if (!isAgentStep(step)) return { record: condenseStep(step, []), checkErrors: 0 }
  const findings: Finding[] = []
  let checkErrors = 0
  for (const check of stepChecks) {
    try {
      findings.push(...check.check(step))
    } catch {
      checkErrors++
    }
  }
  return { record: condenseStep(step, findings), checkErrors }
}
