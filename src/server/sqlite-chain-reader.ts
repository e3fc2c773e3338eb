import type {
  ChainFilter,
  NodeHour,
  PageMark,
  StoredChain,
  StoredChange,
  StoredReport,
} from './report-store.ts'
import { unsealBytes } from './sqlite-blob.ts'
import { type IsRare, type SqlCondition, toConditions, toWhere } from './sqlite-chain-filter.ts'
import { CHAIN_COLUMNS, toStoredChain } from './sqlite-chain-row.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { SqlRow } from './sqlite-driver.ts'
import { bytesOf } from './sqlite-trace-reader.ts'

/** To look up so many chains and sort them takes some 20 ms. */
const RARE_ROWS = 5_000

const HOUR_MS = 3_600_000

const REPORTS_OF = 'FROM reports r JOIN chains c ON c.id = r.chain WHERE c.name = ?'

/** Reads chains and their reports. */
export class ChainReader {
  readonly #connection: SqliteConnection

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  /** As in `ReportStore`. */
  listChains(filter: ChainFilter, limit: number, after: PageMark | null): readonly StoredChain[] {
    const { sql, values } = toWhere([...this.#conditions(filter), ...behind(after)])
    return this.#connection
      .prepare(`SELECT ${CHAIN_COLUMNS} FROM chains c${sql} ORDER BY c.started DESC, c.name LIMIT ?`)
      .all(...values, limit)
      .map(toStoredChain)
  }

  /** As in `ReportStore`. */
  getChain(name: string): StoredChain | null {
    const row = this.#connection.statement(`SELECT ${CHAIN_COLUMNS} FROM chains c WHERE c.name = ?`).get(name)
    return row === undefined ? null : toStoredChain(row)
  }

  /** As in `ReportStore`. */
  getReport(name: string, revision: number | undefined): StoredReport | null {
    const which = revision === undefined ? 'r.revision = c.revision' : 'r.revision = ?'
    const row = this.#connection
      .statement(`SELECT r.revision, r.digest, r.stored, r.report ${REPORTS_OF} AND ${which}`)
      .get(name, ...(revision === undefined ? [] : [revision]))
    if (row === undefined) return null
    const json = unsealBytes(
      bytesOf(row['report']),
      `the report ${name}-${Number(row['revision'])}`,
    ).toString()
    return { ...toRevision(name, row), json }
  }

  /** As in `ReportStore`. */
  listRevisions(name: string): readonly Omit<StoredReport, 'json'>[] {
    return this.#connection
      .statement(`SELECT r.revision, r.digest, r.stored ${REPORTS_OF} ORDER BY r.revision DESC`)
      .all(name)
      .map((row) => toRevision(name, row))
  }

  /** As in `ReportStore`. */
  listChanges(after: number, limit: number): readonly StoredChange[] {
    return this.#connection
      .statement(
        `SELECT r.id AS number, ${CHAIN_COLUMNS} FROM reports r CROSS JOIN chains c
         ON c.id = r.chain AND c.revision = r.revision WHERE r.id > ? ORDER BY r.id LIMIT ?`,
      )
      .all(after, limit)
      .map((row) => ({ number: Number(row['number']), chain: toStoredChain(row) }))
  }

  /** As in `ReportStore`. */
  lastChange(): number {
    return this.#connection.count(`SELECT seq FROM sqlite_sequence WHERE name = 'reports'`)
  }

  /** As in `ReportStore`. */
  countNodes(filter: ChainFilter): readonly NodeHour[] {
    const { sql, values } = toWhere(this.#conditions(filter))
    const rows = this.#connection
      .prepare(
        `SELECT c.started / ${HOUR_MS} AS hour, n.node, n.status, count(*) AS chains, sum(n.calls) AS calls,
           sum(n.retries) AS retries, sum(n.latency) AS latency, sum(n.tokens) AS tokens, sum(n.cost) AS cost
         FROM chains c CROSS JOIN chain_nodes n ON n.chain = c.id${sql}
         GROUP BY hour, n.node, n.status ORDER BY hour, n.node, n.status`,
      )
      .all(...values)
    return rows.map(toNodeHour)
  }

  /** As in `ReportStore`. */
  countChains(filter: ChainFilter): Readonly<Record<string, number>> {
    const { sql, values } = toWhere(this.#conditions(filter))
    const rows = this.#connection
      .prepare(`SELECT c.status, count(*) AS count FROM chains c${sql} GROUP BY c.status`)
      .all(...values)
    return Object.fromEntries(rows.map((row) => [String(row['status']), Number(row['count'])]))
  }

  #conditions(filter: ChainFilter): readonly SqlCondition[] {
    return toConditions(filter, this.#isRare)
  }

  readonly #isRare: IsRare = (table, column, value) => {
    const row = this.#connection
      .statement(
        `SELECT count(*) AS count FROM (SELECT 1 FROM ${table} WHERE ${column} = ? LIMIT ${RARE_ROWS})`,
      )
      .get(value)
    return Number(row?.['count']) < RARE_ROWS
  }
}

function behind(after: PageMark | null): readonly SqlCondition[] {
  if (after === null) return []
  const { startedMs, name } = after
  return [{ sql: 'c.started <= ? AND (c.started < ? OR c.name > ?)', values: [startedMs, startedMs, name] }]
}

function toRevision(name: string, row: SqlRow): Omit<StoredReport, 'json'> {
  return {
    name,
    revision: Number(row['revision']),
    digest: String(row['digest']),
    storedMs: Number(row['stored']),
  }
}

function toNodeHour(row: SqlRow): NodeHour {
  return {
    hourMs: Number(row['hour']) * HOUR_MS,
    node: String(row['node']),
    status: String(row['status']),
    chains: Number(row['chains']),
    calls: Number(row['calls']),
    retries: Number(row['retries']),
    latencyMs: Number(row['latency']),
    tokens: Number(row['tokens']),
    costUsd: Number(row['cost']),
  }
}
