import { findingCatalog } from '../findings/catalog.ts'
import type { Chain, ChainStep, SettledFinding } from './chain.ts'

/**
 * Gives findings the step that produced what is wrong: of a tool or retrieval the model that asked for the call, of
 * a container the last model call inside it before it failed. What a check already blamed stays.
 */
export function assignBlame(chain: Chain, findings: readonly SettledFinding[]): readonly SettledFinding[] {
  const lastInside = lastModels(chain.steps)
  return findings.map((settled) => {
    const { finding, step } = settled
    const { group } = findingCatalog[finding.code]
    if (finding.blamedSpanId !== null || group === 'run') return settled
    if (group === 'call' && !isCallOfModel(step)) return settled
    const blamed = isCallOfModel(step) ? chain.producers.get(step) : lastInside.get(step)
    if (blamed === undefined || blamed === step) return settled
    return { ...settled, finding: { ...finding, blamedSpanId: blamed.record.spanId } }
  })
}

function isCallOfModel({ record }: ChainStep): boolean {
  return record.kind === 'tool' || record.kind === 'retrieval'
}

/** For each step the model call in its subtree that started last. Children come first in fold order. */
function lastModels(steps: readonly ChainStep[]): ReadonlyMap<ChainStep, ChainStep> {
  const last = new Map<ChainStep, ChainStep>()
  for (const step of steps) {
    let found = step.record.kind === 'model' ? step : undefined
    for (const child of step.children) {
      const below = last.get(child)
      if (below !== undefined && (found === undefined || below.record.startNs >= found.record.startNs))
        found = below
    }
    if (found !== undefined) last.set(step, found)
  }
  return last
}
