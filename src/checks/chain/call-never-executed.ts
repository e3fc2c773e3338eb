import type { Chain, ChainStep } from '../../chain/chain.ts'
import { createFinding } from '../../findings/create-finding.ts'
import type { Finding } from '../../findings/finding.ts'
import { listUnexecuted, type UnexecutedCall } from '../unexecuted-calls.ts'
import type { ChainCheck } from './chain-check.ts'

/**
 * Finds tool calls that a model asked for and nothing ran: refused arguments, a tool nobody knows, a tool without an
 * execute function. Says nothing where the instrumentation records no tool steps at all, of calls that the provider
 * runs itself, of what a second instrumentation records of the same model call, and of a call that the model's host may still run after the end of what was recorded.
 */
export const callNeverExecuted: ChainCheck = {
  name: 'call-never-executed',
  check(chain) {
    const missing = listUnexecuted(chain)
    if (missing.length === 0 || !chain.steps.some((step) => step.record.kind === 'tool')) return []
    const last = lastModelByRoot(chain)
    return missing.map((unexecuted) => toFinding(unexecuted, last.has(unexecuted.link.model)))
  },
}

/** The last model call below each root: what it asks for may be meant for whoever called the agent. */
function lastModelByRoot(chain: Chain): ReadonlySet<ChainStep> {
  const last = new Map<ChainStep, ChainStep>()
  for (const step of chain.steps) {
    if (step.record.kind === 'model') last.set(rootOf(step), step)
  }
  return new Set(last.values())
}

function rootOf(step: ChainStep): ChainStep {
  let root = step
  while (root.parent !== null) root = root.parent
  return root
}

function toFinding({ link, call }: UnexecutedCall, isLast: boolean): Finding {
  return createFinding({
    code: 'call_never_executed',
    spanId: link.model.record.spanId,
    ...(isLast ? { severity: 'info' as const } : {}),
    detail: call.name,
    evidence: [
      { path: `tool call ${call.id ?? link.position + 1}`, expected: `a step of ${call.name}`, actual: null },
    ],
  })
}
