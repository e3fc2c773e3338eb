import type { EndedStep } from '../pipeline/ended-step.ts'
import { toReportName } from '../report/report-name.ts'

/**
 * The address of the report of a chain, for its root.
 *
 * @param template in which `{trace_id}`, `{chain_id}`, `{day}` (on which the root started, in UTC) and `{report_name}`
 *   are filled in
 */
export function toReportUrl(template: string, { record, chainId }: EndedStep): string {
  const { traceId, startNs } = record
  return template
    .replaceAll('{day}', () => new Date(Number(startNs / 1_000_000n)).toISOString().slice(0, 10))
    .replaceAll('{trace_id}', traceId)
    .replaceAll('{chain_id}', () => encodeURIComponent(chainId))
    .replaceAll('{report_name}', () => toReportName(traceId, chainId))
}
