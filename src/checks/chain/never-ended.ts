import { createFinding } from '../../findings/create-finding.ts'
import type { ChainCheck } from './chain-check.ts'

/** Finds steps that were still open when their root ended. */
export const neverEnded: ChainCheck = {
  name: 'never-ended',
  check(chain) {
    return chain.steps
      .filter((step) => step.record.neverEnded)
      .map((step) => createFinding({ code: 'never_ended', spanId: step.record.spanId }))
  },
}
