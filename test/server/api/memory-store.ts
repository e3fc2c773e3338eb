import type { ChainReport } from '../../../src/report/chain-report.ts'
import { toReportName } from '../../../src/report/report-name.ts'
import type { ReportReader } from '../../../src/server/api/report-reader.ts'
import type {
  ChainFilter,
  NodeHour,
  PageMark,
  StoredChain,
  StoredChange,
  StoredReport,
  StoredTrace,
} from '../../../src/server/report-store.ts'

const HOUR_MS = 3_600_000

interface Entry {
  readonly chain: StoredChain
  readonly report: ChainReport
  readonly reports: readonly StoredReport[]
  readonly change: number
}

/** A store that keeps everything in memory, for tests of what reads a store. */
export class MemoryStore implements ReportReader {
  readonly #entries = new Map<string, Entry>()
  readonly #bodies = new Map<string, Buffer[]>()
  #changes = 0
  /** What `probe` and the reading of lists throw, if anything. */
  fault: Error | null = null

  /** Stores a report as the latest one of its chain. */
  put(report: ChainReport, storedMs: number): void {
    const name = toReportName(report.trace_id, report.chain_id)
    const { revision, digest } = report
    const stored = { name, revision, digest, storedMs, json: JSON.stringify(report) }
    const reports = [...(this.#entries.get(name)?.reports ?? []), stored]
    this.#entries.set(name, { chain: toChain(name, report), report, reports, change: ++this.#changes })
  }

  /** Stores spans of a trace. */
  putSpans(traceId: string, body: Buffer): void {
    this.#bodies.set(traceId, [...(this.#bodies.get(traceId) ?? []), body])
  }

  listChains(filter: ChainFilter, limit: number, after: PageMark | null): readonly StoredChain[] {
    return this.#find(filter)
      .map(({ chain }) => chain)
      .toSorted(newestFirst)
      .filter((chain) => after === null || newestFirst(after, chain) < 0)
      .slice(0, limit)
  }

  getChain(name: string): StoredChain | null {
    return this.#entries.get(name)?.chain ?? null
  }

  listChanges(after: number, limit: number): readonly StoredChange[] {
    this.#check()
    return [...this.#entries.values()]
      .map(({ change, chain }) => ({ number: change, chain }))
      .filter(({ number }) => number > after)
      .toSorted((a, b) => a.number - b.number)
      .slice(0, limit)
  }

  lastChange(): number {
    return this.#changes
  }

  getReport(name: string, revision?: number): StoredReport | null {
    const reports = this.#entries.get(name)?.reports ?? []
    return (
      (revision === undefined ? reports.at(-1) : reports.find((report) => report.revision === revision)) ??
      null
    )
  }

  listRevisions(name: string): readonly Omit<StoredReport, 'json'>[] {
    return this.#entries.get(name)?.reports ?? []
  }

  countNodes(filter: ChainFilter): readonly NodeHour[] {
    const rows = new Map<string, NodeHour>()
    for (const { chain, report } of this.#find(filter)) {
      const hourMs = Math.floor(chain.startedMs / HOUR_MS) * HOUR_MS
      for (const node of report.nodes) {
        const key = JSON.stringify([hourMs, node.node_name, node.status])
        const row = rows.get(key)
        rows.set(key, {
          hourMs,
          node: node.node_name,
          status: node.status,
          chains: (row?.chains ?? 0) + 1,
          calls: (row?.calls ?? 0) + node.calls,
          retries: (row?.retries ?? 0) + node.retry_count,
          latencyMs: (row?.latencyMs ?? 0) + node.latency_ms,
          tokens: (row?.tokens ?? 0) + node.token_count,
          costUsd: (row?.costUsd ?? 0) + (node.estimated_cost_usd ?? 0),
        })
      }
    }
    return [...rows.values()]
  }

  countChains(filter: ChainFilter): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {}
    for (const { chain } of this.#find(filter)) counts[chain.status] = (counts[chain.status] ?? 0) + 1
    return counts
  }

  readTrace(traceId: string): StoredTrace | null {
    const bodies = this.#bodies.get(traceId)
    if (bodies === undefined) return null
    const numbers = bodies.map((_, at) => at + 1)
    return {
      traceId,
      bodies,
      numbers,
      rejectedSpans: 0,
      lastChunk: bodies.length,
      forwardedChunk: 0,
      revision: 1,
    }
  }

  probe(): void {
    this.#check()
  }

  #check(): void {
    if (this.fault !== null) throw this.fault
  }

  #find(filter: ChainFilter): readonly Entry[] {
    this.#check()
    return [...this.#entries.values()].filter((entry) => isAskedFor(entry, filter))
  }
}

function newestFirst(a: PageMark, b: PageMark): number {
  if (a.startedMs !== b.startedMs) return b.startedMs - a.startedMs
  return a.name < b.name ? -1 : Number(a.name > b.name)
}

function isAskedFor({ chain, report }: Entry, filter: ChainFilter): boolean {
  const { node, nodeStatus, finding, alert } = filter
  const equal: readonly (readonly [unknown, unknown])[] = [
    [filter.service, chain.service],
    [filter.agent, chain.agent],
    [filter.taskId, chain.taskId],
    [filter.sessionId, chain.sessionId],
    [filter.traceId, chain.traceId],
  ]
  return (
    (filter.status?.includes(chain.status) ?? true) &&
    equal.every(([asked, found]) => asked === undefined || asked === found) &&
    (finding === undefined || chain.findings.includes(finding)) &&
    (alert === undefined || chain.alerts.includes(alert)) &&
    (node === undefined ||
      report.nodes.some(
        ({ node_name, status }) => node_name === node && (nodeStatus ?? status) === status,
      )) &&
    chain.startedMs >= (filter.fromMs ?? -Infinity) &&
    chain.startedMs < (filter.toMs ?? Infinity) &&
    costsAsMuch(chain.costUsd, filter)
  )
}

function costsAsMuch(costUsd: number | null, { minCostUsd, maxCostUsd }: ChainFilter): boolean {
  if (minCostUsd === undefined && maxCostUsd === undefined) return true
  return costUsd !== null && costUsd >= (minCostUsd ?? 0) && costUsd <= (maxCostUsd ?? Infinity)
}

function toChain(name: string, report: ChainReport): StoredChain {
  return {
    name,
    traceId: report.trace_id,
    chainId: report.chain_id,
    revision: report.revision,
    status: report.overall_status,
    completeness: report.completeness,
    summary: report.summary,
    service: report.service_name,
    agent: report.agent_name,
    taskId: report.task_id,
    sessionId: report.session_id,
    startedMs: Date.parse(report.started_at),
    endedMs: Date.parse(report.ended_at),
    latencyMs: report.total_latency_ms,
    stepCount: report.step_count,
    tokenCount: report.token_count,
    costUsd: report.estimated_cost_usd,
    rootCauseNode: report.root_cause?.node_name ?? null,
    rootCauseCode: report.root_cause?.code ?? null,
    findings: [...new Set(report.findings.map(({ code }) => code))].toSorted(),
    alerts: [...new Set(report.alerts.map(({ type }) => type))].toSorted(),
    digest: report.digest,
  }
}
