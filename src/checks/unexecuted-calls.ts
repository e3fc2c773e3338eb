import type { Chain, RequestedCallLink } from '../chain/chain.ts'
import type { RequestedCallRecord } from '../chain/step-record.ts'

/** A tool call that a model asked for and nothing ran. */
export interface UnexecutedCall {
  readonly link: RequestedCallLink
  readonly call: RequestedCallRecord
}

/**
 * The tool calls that models asked for and nothing ran, each once: a model call that two instrumentations recorded
 * asks once. Calls that the provider runs itself are not among them.
 */
export function listUnexecuted(chain: Chain): readonly UnexecutedCall[] {
  const known = new Set<string>()
  for (const link of chain.links) {
    const id = requestedCall(link)?.id ?? null
    if (link.execution !== null && id !== null) known.add(id)
  }
  const unexecuted: UnexecutedCall[] = []
  for (const link of chain.links) {
    const call = requestedCall(link)
    if (call === undefined || link.execution !== null || call.providerExecuted) continue
    if (chain.usage.repeated.has(link.model) || (call.id !== null && known.has(call.id))) continue
    if (call.id !== null) known.add(call.id)
    unexecuted.push({ link, call })
  }
  return unexecuted
}

function requestedCall(link: RequestedCallLink): RequestedCallRecord | undefined {
  return link.model.record.requestedCalls[link.position]
}
