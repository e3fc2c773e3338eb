import { mainRoots } from '../../chain/main-roots.ts'
import { createFinding } from '../../findings/create-finding.ts'
import type { ChainCheck } from './chain-check.ts'

/**
 * Finds workflows on top of a chain whose recorded output is blank: as a step a workflow may have no output, as the
 * root its output is the answer. Agents and models are judged as steps.
 */
export const emptyRootOutput: ChainCheck = {
  name: 'empty-root-output',
  check(chain) {
    return (
      mainRoots(chain)
        .filter(({ record }) => record.kind === 'workflow' && record.evidence === 'full' && !record.hasOutput)
        // The rules may have asked for a result of it, and told that there is none.
        .filter(({ record }) => record.findings.every(({ code }) => code !== 'empty_result'))
        .map(({ record }) => createFinding({ code: 'empty_result', spanId: record.spanId }))
    )
  },
}
