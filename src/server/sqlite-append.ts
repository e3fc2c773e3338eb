import { StoreError, type TraceChunk } from './report-store.ts'
import { sealBytesIn } from './sqlite-blob.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

interface Waiting {
  readonly chunks: readonly TraceChunk[]
  readonly nowMs: number
  readonly bytes: number
  readonly resolve: (lastNumber: number) => void
  readonly reject: (error: unknown) => void
}

const ACTION = 'store spans'

const INSERT_CHUNK = 'INSERT INTO chunks (trace_id, span_count, rejected, body) VALUES (?, ?, ?, ?)'

// A clock that was set back must not make a trace look as if nothing had come of late.
const NOTE_CHUNK = `
  INSERT INTO traces (trace_id, first_seen, last_seen, last_chunk) VALUES (?, ?, ?, ?)
  ON CONFLICT (trace_id) DO UPDATE SET
    last_seen = max(last_seen, excluded.last_seen), last_chunk = excluded.last_chunk, has_spans = 1`

/** Writes requests in the order in which they come, those together that wait when a transaction begins. */
export class AppendQueue {
  readonly #connection: SqliteConnection
  // Both drivers copy what is bound, and the statement has run before the next blob is made.
  readonly #scratch = { buffer: Buffer.alloc(0) }
  #waiting: Waiting[] = []
  #pendingBytes = 0
  #isScheduled = false
  #isClosed = false

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  get pendingBytes(): number {
    return this.#pendingBytes
  }

  /** As in `ReportStore`. */
  append(chunks: readonly TraceChunk[], nowMs: number): Promise<number> {
    if (this.#isClosed) {
      return Promise.reject(new StoreError('closed', `Cannot ${ACTION}: the store is closed`))
    }
    const wrong = chunks.find(({ traceId }) => !/^[\da-f]{32}$/u.test(traceId))
    if (wrong !== undefined) {
      const found = JSON.stringify(wrong.traceId)
      return Promise.reject(
        new TypeError(`Cannot ${ACTION}: expected 32 lower-case hex digits, found ${found}`),
      )
    }
    const bytes = chunks.reduce((sum, { body }) => sum + body.length, 0)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ chunks, nowMs, bytes, resolve, reject })
      this.#pendingBytes += bytes
      if (this.#isScheduled) return
      this.#isScheduled = true
      setImmediate(() => this.flush())
    })
  }

  /** Writes what waits now. It never throws: each request is told. */
  flush(): void {
    this.#isScheduled = false
    const group = this.#waiting
    if (group.length === 0) return
    this.#waiting = []
    try {
      const numbers = this.#connection.write(ACTION, () => group.map((waiting) => this.#write(waiting)))
      group.forEach(({ resolve }, index) => resolve(numbers[index] ?? 0))
    } catch (error) {
      for (const { reject } of group) reject(error)
    } finally {
      for (const { bytes } of group) this.#pendingBytes -= bytes
    }
  }

  /** Writes what waits, and takes no more. */
  close(): void {
    this.#isClosed = true
    this.flush()
  }

  /** @returns the number of the last chunk */
  #write({ chunks, nowMs }: Waiting): number {
    const insert = this.#connection.statement(INSERT_CHUNK)
    const note = this.#connection.statement(NOTE_CHUNK)
    let last = 0
    for (const { traceId, body, spanCount, rejectedSpans } of chunks) {
      const id = Buffer.from(traceId, 'hex')
      last = Number(
        insert.run(id, spanCount, rejectedSpans, sealBytesIn(this.#scratch, body)).lastInsertRowid,
      )
      note.run(id, nowMs, nowMs, last)
    }
    return last
  }
}
