import { createFinding } from '../../findings/create-finding.ts'
import { isAnswerTool } from '../../steps/is-answer-tool.ts'
import type { ChainCheck } from './chain-check.ts'
import { nearestAgents } from './nearest-agents.ts'

/**
 * Finds models whose code speaks of a tool or a sub-agent of their agent and only prints: the call that the model
 * announces is never made. Says nothing where the code does anything, or where a step came of it.
 */
export const idleCode: ChainCheck = {
  name: 'idle-code',
  check(chain) {
    const idle = chain.steps.filter(({ record }) => record.idleCode !== null && record.idleCode.length > 0)
    if (idle.length === 0) return []
    const agents = nearestAgents(chain)
    const producing = new Set(chain.producers)
    return idle.flatMap((step) => {
      const tools = agents[step.index]?.record.tools ?? []
      const named = tools.find((name) => !isAnswerTool(name) && step.record.idleCode?.includes(name) === true)
      if (named === undefined || producing.has(step)) return []
      return createFinding({
        code: 'call_never_executed',
        spanId: step.record.spanId,
        detail: named,
        evidence: [{ path: 'code of the answer', expected: `a call of ${named}`, actual: 'only prints' }],
      })
    })
  },
}
