import type { Chain, ChainStep } from '../../chain/chain.ts'
import type { ObservedCall } from './run-check.ts'

/**
 * The calls of a chain as guards see them, in fold order: what tools, retrievals and sub-agents ran, and after each
 * model call what it asked for and nothing ran, so that a call that is refused again and again is seen as well.
 */
export function observeCalls(chain: Chain): readonly ObservedCall[] {
  const unexecuted = groupUnexecuted(chain)
  const lastOfNode = new Map<string, ChainStep>()
  const observed: ObservedCall[] = []
  for (const step of chain.steps) {
    const { record } = step
    if (record.kind === 'model') for (const call of unexecuted.get(step) ?? NONE) observed.push(call)
    if (!isCall(step) || chain.usage.repeated.has(step)) continue
    const previous = lastOfNode.get(record.nodeName)
    lastOfNode.set(record.nodeName, step)
    observed.push({
      nodeName: record.nodeName,
      spanId: record.spanId,
      producerSpanId: chain.producers[step.index]?.record.spanId ?? null,
      signature: record.signature,
      resultDigest: record.resultDigest,
      orderUndecided: previous !== undefined && chain.isOrderUndecided(previous, step),
    })
  }
  return observed
}

const NONE: readonly never[] = []

function isCall(step: ChainStep): boolean {
  const { kind } = step.record
  return kind === 'tool' || kind === 'retrieval' || (kind === 'agent' && step.parent !== null)
}

function groupUnexecuted(chain: Chain): ReadonlyMap<ChainStep, readonly ObservedCall[]> {
  const groups = new Map<ChainStep, ObservedCall[]>()
  if (chain.links.length === 0 || !chain.steps.some((step) => step.record.kind === 'tool')) return groups
  for (const link of chain.links) {
    const call = link.model.record.requestedCalls[link.position]
    if (link.execution !== null || call === undefined || call.providerExecuted) continue
    const observed = {
      nodeName: call.name,
      spanId: link.model.record.spanId,
      producerSpanId: null,
      signature: call.signature,
      resultDigest: null,
      orderUndecided: false,
    }
    const known = groups.get(link.model)
    if (known === undefined) groups.set(link.model, [observed])
    else known.push(observed)
  }
  return groups
}
