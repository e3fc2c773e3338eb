import { findingCatalog } from '../findings/catalog.ts'
import type { Call, Chain, ChainStep, SettledFinding } from './chain.ts'
import { hasFailed } from './step-failure.ts'

/**
 * Lowers what was made good to a warning: the error findings of an attempt that a later attempt of its call made
 * good, and those about a call that the model wrote wrongly and whose tool ran well at or after that. Where nothing
 * tells which of two attempts came last, their findings say so and are at most warnings.
 */
export function recoverFindings(
  chain: Chain,
  findings: readonly SettledFinding[],
): readonly SettledFinding[] {
  if (!findings.some(({ finding }) => finding.severity === 'error')) return findings
  const { recovered } = chain
  const uncertain = uncertainSteps(chain.calls)
  const corrections = new Corrections(chain)
  return findings.map((settled) => {
    const { finding, step } = settled
    if (finding.severity !== 'error') return settled
    const { group } = findingCatalog[finding.code]
    if (group !== 'run' && recovered.has(step)) {
      const order = uncertain.has(step) ? 'uncertain' : finding.order
      return { ...settled, recovered: true, finding: { ...finding, severity: 'warn', order } }
    }
    if (group === 'call' && corrections.made(step, finding.detail)) {
      return { ...settled, finding: { ...finding, severity: 'warn' } }
    }
    return settled
  })
}

function uncertainSteps(calls: readonly Call[]): ReadonlySet<ChainStep> {
  return new Set(calls.filter((call) => call.orderUncertain).flatMap((call) => call.attempts))
}

/** When each tool last ran well, to tell whether a wrong call was corrected. */
class Corrections {
  readonly #lastGood = new Map<string, bigint>()

  constructor(chain: Chain) {
    for (const { record } of chain.steps) {
      if (record.kind !== 'tool' || hasFailed(record)) continue
      for (const name of new Set([record.toolName ?? record.nodeName, record.nodeName])) {
        const known = this.#lastGood.get(name)
        if (known === undefined || record.startNs > known) this.#lastGood.set(name, record.startNs)
      }
    }
  }

  made(model: ChainStep, toolName: string | null): boolean {
    const good = toolName === null ? undefined : this.#lastGood.get(toolName)
    return good !== undefined && good >= model.record.startNs
  }
}
