import { findingCatalog } from '../findings/catalog.ts'
import type { Chain, ChainStep, SettledFinding } from './chain.ts'
import { lastModelBefore } from './link-calls.ts'

/**
 * Gives findings the step that produced what is wrong: of a tool or retrieval the model that asked for the call, of
 * a container the last model call inside it before it failed. What a check already blamed stays.
 */
export function assignBlame(chain: Chain, findings: readonly SettledFinding[]): readonly SettledFinding[] {
  return findings.map((settled) => {
    const { finding, step } = settled
    const { group } = findingCatalog[finding.code]
    if (finding.blamedSpanId !== null || group === 'run' || group === 'call') return settled
    const blamed = findProducer(chain, step)
    if (blamed === null) return settled
    return { ...settled, finding: { ...finding, blamedSpanId: blamed.record.spanId } }
  })
}

function findProducer(chain: Chain, step: ChainStep): ChainStep | null {
  const { kind } = step.record
  if (kind === 'model') return null
  if (kind === 'tool' || kind === 'retrieval') return chain.producers.get(step) ?? lastModelBefore(step)
  return lastModelInside(step)
}

function lastModelInside(step: ChainStep): ChainStep | null {
  let last: ChainStep | null = null
  const stack = [...step.children]
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (at.record.kind === 'model' && (last === null || at.record.startNs > last.record.startNs)) last = at
    for (const child of at.children) stack.push(child)
  }
  return last
}
