import type { Chain, ChainStep } from './chain.ts'

/**
 * The roots whose failure is that of the chain: those that really are on top. Where spans lost their parents on the
 * way, an agent on top stands for its run; a tool or a model call that lost its parent is no root of anything.
 */
export function mainRoots(chain: Chain): readonly ChainStep[] {
  const real = chain.roots.filter(
    ({ record }) =>
      record.parentSpanId === null || record.remoteParent || chain.spanIds.has(record.parentSpanId),
  )
  return real.length > 0 ? real : chain.roots.filter(({ record }) => record.kind === 'agent')
}
