import { createFinding } from '../../findings/create-finding.ts'
import { toExcerpt } from '../../findings/excerpt.ts'
import type { StepCheck } from './step-check.ts'

/** The most tool names that are told. */
const NAMES = 20

/** A model that asked for a tool it was not offered. Says nothing where the recorded list may have lost entries. */
export const unknownTool: StepCheck = {
  name: 'unknown-tool',
  check(step) {
    if (step.kind !== 'model' || step.droppedAttributes > 0) return []
    const { calls } = step.readOutput()
    if (calls.length === 0) return []
    const offered = new Set(step.readTools().map(({ name }) => name))
    if (offered.size === 0) return []
    return calls
      .filter(({ name, providerExecuted }) => !providerExecuted && !offered.has(name))
      .map(({ name }) =>
        createFinding({
          code: 'unknown_tool',
          spanId: step.spanId,
          detail: toExcerpt(name),
          evidence: [
            {
              path: 'tool name',
              expected: toExcerpt(`one of ${[...offered].slice(0, NAMES).join(', ')}`),
              actual: toExcerpt(name),
            },
          ],
        }),
      )
  },
}
