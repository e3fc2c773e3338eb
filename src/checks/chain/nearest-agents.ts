import type { ByStep, Chain, ChainStep } from '../../chain/chain.ts'

/** The agent that each step works for: the nearest above it; `null` where there is none. */
export function nearestAgents(chain: Chain): ByStep<ChainStep | null> {
  const agents: (ChainStep | null)[] = chain.steps.map(() => null)
  // Parents come after their children in fold order.
  for (const step of chain.steps.toReversed()) {
    const { parent } = step
    if (parent === null) continue
    agents[step.index] = parent.record.kind === 'agent' ? parent : (agents[parent.index] ?? null)
  }
  return agents
}
