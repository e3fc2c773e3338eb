import type { ChainStatus } from '../chain/chain.ts'
import type { ChainReport } from './chain-report.ts'
import { describeCompleteness, nameAgent, nameChain } from './report-headline.ts'

/** What a table of many chains needs of each, so that nobody has to keep whole reports. */
export interface ChainSummaryRow {
  /** Key of the report. */
  readonly reportId: string
  readonly status: ChainStatus
  /** The task, else the id of the chain. */
  readonly task: string
  /** The service, else the agent; `null` where neither is recorded. */
  readonly agent: string | null
  /** ISO 8601 in UTC. */
  readonly startedAt: string
  /** 0 for a trace without any agent step; that is no chain. */
  readonly stepCount: number
  /** Milliseconds. */
  readonly latencyMs: number
  readonly tokenCount: number
  /** US dollars; `null` where no price is known. */
  readonly costUsd: number | null
  /** The root cause; `null` where nothing failed. */
  readonly problem: { readonly nodeName: string; readonly code: string } | null
  /** That the report is partial, and why; `null` where it is not. */
  readonly partial: string | null
}

/** Takes from a report what a table of chains shows. */
export function toSummaryRow(report: ChainReport): ChainSummaryRow {
  const { root_cause: root } = report
  return {
    reportId: report.report_id,
    status: report.overall_status,
    task: nameChain(report),
    agent: nameAgent(report),
    startedAt: report.started_at,
    stepCount: report.step_count,
    latencyMs: report.total_latency_ms,
    tokenCount: report.token_count,
    costUsd: report.estimated_cost_usd,
    problem: root === null ? null : { nodeName: root.node_name, code: root.code },
    partial: describeCompleteness(report),
  }
}
