import { toReportName } from '../report/report-name.ts'
import type { PackedReport } from './packed-report.ts'
import type { EarlyForward, TraceCommit } from './report-store.ts'
import { sealBytes } from './sqlite-blob.ts'
import { INSERT_CHAIN, UPDATE_CHAIN } from './sqlite-chain-row.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

// What takes the place of a report of the same revision is a change with a number of its own.
const INSERT_REPORT =
  'INSERT OR REPLACE INTO reports (chain, revision, stored, digest, report) VALUES (?, ?, ?, ?, ?)'

const INSERT_NODE = `
  INSERT INTO chain_nodes (chain, node, status, calls, retries, latency, tokens, cost)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

const NOTE_REPORTED = `
  INSERT INTO traces (trace_id, first_seen, last_seen, last_chunk, reported_chunk, forwarded_chunk, revision, has_spans)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (trace_id) DO UPDATE SET
    reported_chunk = max(reported_chunk, excluded.reported_chunk),
    forwarded_chunk = max(forwarded_chunk, excluded.forwarded_chunk),
    revision = max(revision, excluded.revision),
    has_spans = max(has_spans, excluded.has_spans)`

const FOLLOWERS = ['chain_nodes', 'chain_findings', 'chain_alerts'] as const

/** Removes what is kept of a chain for searching. */
export function removeFollowers(connection: SqliteConnection, chain: number): void {
  for (const table of FOLLOWERS) connection.statement(`DELETE FROM ${table} WHERE chain = ?`).run(chain)
}

/** Stores what becomes of traces. Its methods are called inside a transaction. */
export class TraceWriter {
  readonly #connection: SqliteConnection

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  /** As in `ReportStore`. */
  commit(commit: TraceCommit): void {
    const { traceId, lastChunk, compacted, rejectedSpans, forward, nowMs } = commit
    const id = Buffer.from(traceId, 'hex')
    let revision = 0
    for (const report of commit.reports) {
      if (this.#storeReport(traceId, report, nowMs)) revision = Math.max(revision, report.revision)
    }
    if (compacted !== null) this.#compact(id, lastChunk, sealBytes(compacted), rejectedSpans)
    if (forward !== null) this.#queue(id, forward, nowMs)
    const forwarded = forward === null ? 0 : lastChunk
    const hasSpans = compacted === null ? 0 : 1
    this.#connection
      .statement(NOTE_REPORTED)
      .run(id, nowMs, nowMs, lastChunk, lastChunk, forwarded, revision, hasSpans)
  }

  /** As in `ReportStore`. */
  queueForward({ traceId, lastChunk, body, nowMs }: EarlyForward): void {
    const id = Buffer.from(traceId, 'hex')
    this.#queue(id, body, nowMs)
    this.#connection
      .statement('UPDATE traces SET forwarded_chunk = max(forwarded_chunk, ?) WHERE trace_id = ?')
      .run(lastChunk, id)
  }

  /** @returns whether it says something else than the one that is stored */
  #storeReport(traceId: string, report: PackedReport, nowMs: number): boolean {
    const { chainId, revision, digest, values, blob } = report
    const name = toReportName(traceId, chainId)
    const stored = this.#connection
      .statement('SELECT id, digest, completeness FROM chains WHERE name = ?')
      .get(name)
    // What a report says of its completeness is not in its digest.
    const isWhole = stored?.['completeness'] !== 'partial' || report.completeness === 'partial'
    if (stored?.['digest'] === digest && isWhole) return false
    const chain = stored === undefined ? this.#addChain(name, values) : Number(stored['id'])
    if (stored !== undefined) {
      this.#connection.statement(UPDATE_CHAIN).run(...values, chain)
      removeFollowers(this.#connection, chain)
    }
    this.#addFollowers(chain, report)
    this.#connection.statement(INSERT_REPORT).run(chain, revision, nowMs, digest, blob)
    return true
  }

  #addChain(name: string, values: PackedReport['values']): number {
    const { lastInsertRowid } = this.#connection.statement(INSERT_CHAIN).run(...values, name)
    return Number(lastInsertRowid)
  }

  #addFollowers(chain: number, report: PackedReport): void {
    const nodes = this.#connection.statement(INSERT_NODE)
    for (const { node, status, calls, retries, latencyMs, tokens, costUsd } of report.nodes) {
      nodes.run(chain, node, status, calls, retries, latencyMs, tokens, costUsd)
    }
    const findings = this.#connection.statement('INSERT INTO chain_findings (chain, code) VALUES (?, ?)')
    for (const code of report.findings) findings.run(chain, code)
    const alerts = this.#connection.statement('INSERT INTO chain_alerts (chain, type) VALUES (?, ?)')
    for (const type of report.alerts) alerts.run(chain, type)
  }

  #compact(id: Buffer, lastChunk: number, body: Buffer, rejectedSpans: number): void {
    this.#connection.statement('DELETE FROM chunks WHERE trace_id = ? AND number <= ?').run(id, lastChunk)
    this.#connection
      .statement('INSERT INTO chunks (number, trace_id, rejected, body) VALUES (?, ?, ?, ?)')
      .run(lastChunk, id, rejectedSpans, body)
  }

  #queue(id: Buffer, body: Uint8Array, nowMs: number): void {
    this.#connection
      .statement('INSERT INTO forwards (trace_id, queued, body) VALUES (?, ?, ?)')
      .run(id, nowMs, sealBytes(body))
  }
}
