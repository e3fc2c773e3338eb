import { findingCatalog } from '../findings/catalog.ts'
import type { Chain, ChainStep, SettledFinding } from './chain.ts'
import { lastModels } from './last-models.ts'

/**
 * Gives findings the step that produced what is wrong: of a tool or retrieval the model that asked for the call, of
 * a container the last model call inside it before it failed, and of an agent without any the model that asked for it.
 * What a check already blamed stays.
 */
export function assignBlame(chain: Chain, findings: readonly SettledFinding[]): readonly SettledFinding[] {
  if (findings.length === 0) return findings
  const lastInside = lastModels(chain.steps)
  return findings.map((settled) => {
    const { finding, step } = settled
    const { group } = findingCatalog[finding.code]
    if (finding.blamedSpanId !== null || group === 'run') return settled
    if (group === 'call' && !isCallOfModel(step)) return settled
    const inside = isCallOfModel(step) ? null : (lastInside[step.index] ?? null)
    const blamed = inside ?? chain.producers[step.index] ?? null
    if (blamed === null || blamed === step) return settled
    return { ...settled, finding: { ...finding, blamedSpanId: blamed.record.spanId } }
  })
}

function isCallOfModel({ record }: ChainStep): boolean {
  return record.kind === 'tool' || record.kind === 'retrieval'
}
