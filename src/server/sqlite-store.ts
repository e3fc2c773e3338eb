import { statSync } from 'node:fs'
import type {
  ChainFilter,
  EarlyForward,
  NodeHour,
  PageMark,
  QueuedForward,
  ReportStore,
  Retention,
  StoredChain,
  StoredChange,
  StoredReport,
  StoredTrace,
  StoreInfo,
  StoreSize,
  TraceChunk,
  TraceCommit,
  UnreportedTrace,
} from './report-store.ts'
import { AppendQueue } from './sqlite-append.ts'
import { ChainReader } from './sqlite-chain-reader.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { fileBytes, retainSlice } from './sqlite-retention.ts'
import { SCHEMA_VERSION } from './sqlite-schema.ts'
import { TraceReader } from './sqlite-trace-reader.ts'
import { TraceWriter } from './sqlite-trace-writer.ts'
import { verifyStore } from './sqlite-verify.ts'

/** What an open store is made of. */
export interface SqliteStoreParts {
  readonly connection: SqliteConnection
  readonly path: string
  readonly driver: string
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  /** Gives the lock back; is called once the file is closed. */
  readonly unlock: () => void
}

/** More than two pages of it have to be found on the disk. */
const PROBE_BYTES = 40_000

/** The store in one SQLite file. */
export class SqliteStore implements ReportStore {
  readonly #parts: SqliteStoreParts
  readonly #connection: SqliteConnection
  readonly #queue: AppendQueue
  readonly #writer: TraceWriter
  readonly #traces: TraceReader
  readonly #chains: ChainReader

  constructor(parts: SqliteStoreParts) {
    this.#parts = parts
    this.#connection = parts.connection
    this.#queue = new AppendQueue(parts.connection)
    this.#writer = new TraceWriter(parts.connection)
    this.#traces = new TraceReader(parts.connection)
    this.#chains = new ChainReader(parts.connection)
  }

  get pendingBytes(): number {
    return this.#queue.pendingBytes
  }

  append(chunks: readonly TraceChunk[], nowMs: number): Promise<number> {
    return this.#queue.append(chunks, nowMs)
  }

  unreported(): readonly UnreportedTrace[] {
    return this.#connection.read('list traces', () => this.#traces.unreported())
  }

  revisionOf(traceId: string): number {
    return this.#connection.read(`read trace ${traceId}`, () => this.#traces.revisionOf(traceId))
  }

  readTrace(traceId: string): StoredTrace | null {
    return this.#connection.read(`read trace ${traceId}`, () => this.#traces.readTrace(traceId))
  }

  commitTrace(commit: TraceCommit): void {
    this.commitTraces([commit])
  }

  commitTraces(commits: readonly TraceCommit[]): void {
    if (commits.length === 0) return
    this.#connection.write('store reports', () => {
      for (const commit of commits) this.#writer.commit(commit)
    })
  }

  queueForward(forward: EarlyForward): void {
    this.#connection.write('queue spans', () => this.#writer.queueForward(forward))
  }

  listChains(filter: ChainFilter, limit: number, after: PageMark | null): readonly StoredChain[] {
    return this.#connection.read('list chains', () => this.#chains.listChains(filter, limit, after))
  }

  getChain(name: string): StoredChain | null {
    return this.#connection.read(`read chain ${name}`, () => this.#chains.getChain(name))
  }

  listChanges(after: number, limit: number): readonly StoredChange[] {
    return this.#connection.read('list changes', () => this.#chains.listChanges(after, limit))
  }

  lastChange(): number {
    return this.#connection.read('list changes', () => this.#chains.lastChange())
  }

  getReport(name: string, revision?: number): StoredReport | null {
    return this.#connection.read(`read report ${name}`, () => this.#chains.getReport(name, revision))
  }

  listRevisions(name: string): readonly Omit<StoredReport, 'json'>[] {
    return this.#connection.read(`list revisions of ${name}`, () => this.#chains.listRevisions(name))
  }

  countNodes(filter: ChainFilter): readonly NodeHour[] {
    return this.#connection.read('count nodes', () => this.#chains.countNodes(filter))
  }

  countChains(filter: ChainFilter): Readonly<Record<string, number>> {
    return this.#connection.read('count chains', () => this.#chains.countChains(filter))
  }

  queuedForwards(limit: number): readonly QueuedForward[] {
    return this.#connection.read('list queued spans', () => this.#traces.queuedForwards(limit))
  }

  removeForward(id: number): void {
    this.#connection.write('remove queued spans', () => {
      this.#connection.statement('DELETE FROM forwards WHERE id = ?').run(id)
    })
  }

  noteForwardAttempt(id: number): void {
    this.#connection.write('note an attempt', () => {
      this.#connection.statement('UPDATE forwards SET attempts = attempts + 1 WHERE id = ?').run(id)
    })
  }

  retain(retention: Retention, nowMs: number): number {
    return retainSlice(this.#connection, retention, nowMs)
  }

  compact(): void {
    this.#connection.maintain('free space', () => {
      this.#connection.exec('PRAGMA incremental_vacuum')
      this.#connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    })
  }

  verify(): readonly string[] {
    return this.#connection.read('verify the store', () => verifyStore(this.#connection))
  }

  info(): StoreInfo {
    return this.#connection.read('describe the store', () => {
      const count = (sql: string): number => this.#connection.count(`SELECT ${sql}`)
      const chains = count('count(*) FROM chains')
      const ends = this.#connection
        .statement('SELECT min(started) AS oldest, max(started) AS newest FROM chains')
        .get()
      return {
        path: this.#parts.path,
        driver: this.#parts.driver,
        schemaVersion: SCHEMA_VERSION,
        bytes: fileBytes(this.#connection) + logBytes(this.#parts.path),
        traces: count('count(*) FROM traces'),
        unreportedTraces: count('count(*) FROM traces WHERE last_chunk > reported_chunk'),
        chunks: count('count(*) FROM chunks'),
        chains,
        revisions: count('count(*) FROM reports') - chains,
        queuedForwards: count('count(*) FROM forwards'),
        oldestMs: (ends?.['oldest'] ?? null) as number | null,
        newestMs: (ends?.['newest'] ?? null) as number | null,
      }
    })
  }

  size(): StoreSize {
    return this.#connection.read('measure the store', () => ({
      bytes: fileBytes(this.#connection) + logBytes(this.#parts.path),
      queuedForwards: this.#connection.count('SELECT count(*) FROM forwards'),
    }))
  }

  probe(): void {
    this.#connection.write('write to the store', () => {
      this.#connection
        .statement(`INSERT OR REPLACE INTO probes (id, at, filler) VALUES (1, ?, zeroblob(${PROBE_BYTES}))`)
        .run(this.#parts.now())
      this.#connection.statement('UPDATE probes SET filler = NULL').run()
    })
  }

  close(): Promise<void> {
    this.#queue.close()
    this.#connection.close()
    this.#parts.unlock()
    return Promise.resolve()
  }
}

/** Bytes of the log beside the file; it is gone once the store is closed. */
function logBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
}
