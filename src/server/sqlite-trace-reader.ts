import { type QueuedForward, StoreError, type StoredTrace, type UnreportedTrace } from './report-store.ts'
import { unsealBytes } from './sqlite-blob.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { SqlValue } from './sqlite-driver.ts'

/** Reads spans and their bookkeeping. */
export class TraceReader {
  readonly #connection: SqliteConnection

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  /** As in `ReportStore`. */
  unreported(): readonly UnreportedTrace[] {
    const rows = this.#connection
      .statement(
        `SELECT trace_id, first_seen, last_seen, revision FROM traces WHERE last_chunk > reported_chunk
         ORDER BY first_seen, trace_id`,
      )
      .all()
    return rows.map((row) => ({
      traceId: hexOf(row['trace_id']),
      firstSeenMs: Number(row['first_seen']),
      lastSeenMs: Number(row['last_seen']),
      revision: Number(row['revision']),
    }))
  }

  /** As in `ReportStore`. */
  revisionOf(traceId: string): number {
    const row = this.#connection
      .statement('SELECT revision FROM traces WHERE trace_id = ?')
      .get(Buffer.from(traceId, 'hex'))
    return Number(row?.['revision'] ?? 0)
  }

  /** As in `ReportStore`. */
  readTrace(traceId: string): StoredTrace | null {
    const id = Buffer.from(traceId, 'hex')
    const trace = this.#connection.statement('SELECT * FROM traces WHERE trace_id = ?').get(id)
    if (trace === undefined) return null
    const chunks = this.#connection
      .statement('SELECT number, rejected, body FROM chunks WHERE trace_id = ? ORDER BY number')
      .all(id)
    return {
      traceId,
      bodies: chunks.map(({ body }) => unsealBytes(bytesOf(body), `the spans of trace ${traceId}`)),
      numbers: chunks.map(({ number }) => Number(number)),
      rejectedSpans: chunks.reduce((sum, { rejected }) => sum + Number(rejected), 0),
      lastChunk: Number(trace['last_chunk']),
      forwardedChunk: Number(trace['forwarded_chunk']),
      revision: Number(trace['revision']),
      wasCut: trace['was_cut'] === 1,
    }
  }

  /** As in `ReportStore`. */
  queuedForwards(limit: number): readonly QueuedForward[] {
    const rows = this.#connection.statement('SELECT * FROM forwards ORDER BY id LIMIT ?').all(limit)
    return rows.map((row) => ({
      id: Number(row['id']),
      traceId: hexOf(row['trace_id']),
      body: unsealBytes(bytesOf(row['body']), `the queued spans of trace ${hexOf(row['trace_id'])}`),
      attempts: Number(row['attempts']),
      queuedMs: Number(row['queued']),
    }))
  }
}

/** The bytes of a column. */
export function bytesOf(value: SqlValue | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new StoreError('corrupt', 'Cannot read a row: expected bytes, found something else')
}

/** The bytes of a column as lower-case hex digits. */
export function hexOf(value: SqlValue | undefined): string {
  return Buffer.from(bytesOf(value)).toString('hex')
}
