import type { ChainReport, ReportNode } from '../report/chain-report.ts'
import type { NodeCounts } from './packed-report.ts'
import type { StoredChain } from './report-store.ts'
import type { SqlRow, SqlValue } from './sqlite-driver.ts'

/** The columns of a chain beside its number and name. */
const columns = [
  'chain_id',
  'revision',
  'status',
  'completeness',
  'summary',
  'service',
  'agent',
  'task_id',
  'session_id',
  'started',
  'ended',
  'latency',
  'steps',
  'tokens',
  'cost',
  'root_node',
  'root_code',
  'findings',
  'alerts',
  'digest',
] as const

/** Adds a chain; its values are those of {@link toChainValues} and its name. */
export const INSERT_CHAIN: string = `INSERT INTO chains (${columns.join(', ')}, name)
  VALUES (${columns.map(() => '?').join(', ')}, ?)`

/** Puts another report of a chain in its place; its values are those of {@link toChainValues} and its number. */
export const UPDATE_CHAIN: string = `UPDATE chains SET ${columns.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`

/** What {@link toStoredChain} reads, of a table `chains` that is called `c`. */
export const CHAIN_COLUMNS: string = ['name', ...columns].map((name) => `c.${name}`).join(', ')

/** What is searched and listed of a report, in the order of the columns. */
export function toChainValues(report: ChainReport): readonly SqlValue[] {
  return [
    report.chain_id,
    report.revision,
    report.overall_status,
    report.completeness,
    report.summary,
    report.service_name,
    report.agent_name,
    report.task_id,
    report.session_id,
    toMillis(report.started_at),
    toMillis(report.ended_at),
    report.total_latency_ms,
    report.step_count,
    report.token_count,
    report.estimated_cost_usd,
    report.root_cause?.node_name ?? null,
    report.root_cause?.code ?? null,
    JSON.stringify(findingCodes(report)),
    JSON.stringify(alertTypes(report)),
    report.digest,
  ]
}

/** The codes of the findings of a report, each once, in the order in which they come. */
export function findingCodes({ findings }: ChainReport): readonly string[] {
  return [...new Set(findings.map(({ code }) => code))]
}

/** The types of the alerts of a report, each once. */
export function alertTypes({ alerts }: ChainReport): readonly string[] {
  return [...new Set(alerts.map(({ type }) => type))]
}

/** Reads a row of {@link CHAIN_COLUMNS}. */
export function toStoredChain(row: SqlRow): StoredChain {
  const name = String(row['name'])
  return {
    name,
    traceId: name.slice(0, 32),
    chainId: String(row['chain_id']),
    revision: Number(row['revision']),
    status: String(row['status']),
    completeness: String(row['completeness']),
    summary: String(row['summary']),
    service: textOf(row['service']),
    agent: textOf(row['agent']),
    taskId: textOf(row['task_id']),
    sessionId: textOf(row['session_id']),
    startedMs: Number(row['started']),
    endedMs: Number(row['ended']),
    latencyMs: Number(row['latency']),
    stepCount: Number(row['steps']),
    tokenCount: Number(row['tokens']),
    costUsd: typeof row['cost'] === 'number' ? row['cost'] : null,
    rootCauseNode: textOf(row['root_node']),
    rootCauseCode: textOf(row['root_code']),
    findings: JSON.parse(String(row['findings'])) as string[],
    alerts: JSON.parse(String(row['alerts'])) as string[],
    digest: String(row['digest']),
  }
}

/** The nodes of a report; those that differ in nothing but their subtask are one. */
export function countNodesOf(nodes: readonly ReportNode[]): readonly NodeCounts[] {
  const counts = new Map<string, NodeCounts>()
  for (const node of nodes) {
    const key = `${node.status} ${node.node_name}`
    const before = counts.get(key)
    counts.set(key, {
      node: node.node_name,
      status: node.status,
      calls: (before?.calls ?? 0) + node.calls,
      retries: (before?.retries ?? 0) + node.retry_count,
      latencyMs: (before?.latencyMs ?? 0) + node.latency_ms,
      tokens: (before?.tokens ?? 0) + node.token_count,
      costUsd: (before?.costUsd ?? 0) + (node.estimated_cost_usd ?? 0),
    })
  }
  return [...counts.values()]
}

/** Microseconds are cut off; a time that cannot be read is the beginning of the epoch. */
function toMillis(time: string): number {
  const millis = Date.parse(time)
  return Number.isNaN(millis) ? 0 : Math.floor(millis)
}

function textOf(value: SqlValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}
