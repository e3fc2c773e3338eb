import type { ChainReport } from './chain-report.ts'
import { countNoun, formatDuration, formatMoney } from './format-quantity.ts'
import type { Mark } from './glyphs.ts'

/** The mark of a whole chain. */
export function markChain(status: ChainReport['overall_status']): Mark {
  return status === 'success' ? 'reached' : 'failed'
}

/** What a chain is called: its task, else its id. */
export function nameChain({ task_id, chain_id }: ChainReport): string {
  return task_id ?? chain_id
}

/**
 * Who ran: the service, else the agent. A service that OpenTelemetry had to name itself (`unknown_service`) tells
 * less than the agent does.
 */
export function nameAgent({ service_name, agent_name }: ChainReport): string | null {
  const isNamed = service_name !== null && !service_name.startsWith('unknown_service')
  return isNamed ? service_name : (agent_name ?? service_name)
}

/** Time, tokens, cost, loops and retries; what is zero or not known is left out. */
export function listTotals(report: ChainReport): readonly string[] {
  const { token_count, estimated_cost_usd: cost, loop_count, retry_count } = report
  return [
    formatDuration(report.total_latency_ms),
    ...(token_count > 0 ? [countNoun(token_count, 'token', 'tokens')] : []),
    ...(cost === null || cost === 0 ? [] : [formatMoney(cost)]),
    ...(loop_count > 0 ? [countNoun(loop_count, 'loop', 'loops')] : []),
    ...(retry_count > 0 ? [countNoun(retry_count, 'retry', 'retries')] : []),
  ]
}

/** That a report is partial, and why; `null` where it is not. */
export function describeCompleteness({ completeness, completeness_reason }: ChainReport): string | null {
  return completeness === 'partial' ? `partial report: ${completeness_reason ?? 'not known why'}` : null
}

/** Who produced what is wrong, as a sentence; `null` where it is the failed step itself or not known. */
export function describeProducer(report: ChainReport): string | null {
  const { root_cause: root, steps } = report
  const blamed = root?.blamed_span_id ?? null
  if (root === null || blamed === null || blamed === root.span_id) return null
  const kind = steps.find(({ span_id }) => span_id === root.span_id)?.kind
  const producer = steps.find(({ span_id }) => span_id === blamed)?.node_name
  const who = producer === undefined ? `span ${blamed}` : `${producer} (span ${blamed})`
  return kind === 'tool' || kind === 'retrieval' ? `${who} asked for this call` : `${who} produced it`
}
