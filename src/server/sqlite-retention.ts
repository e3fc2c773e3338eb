import type { Retention } from './report-store.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { SqlValue } from './sqlite-driver.ts'
import { removeFollowers } from './sqlite-trace-writer.ts'
import { bytesOf, hexOf } from './sqlite-trace-reader.ts'

/** How long one call works, in milliseconds: what is written to the disk at its end comes to it. */
const SLICE_MS = 25

const REPORTED = 'last_chunk <= reported_chunk'

/** Freed pages that are given back at a time. */
const VACUUM_PAGES = 64

/**
 * Removes what is kept no longer, the oldest first, until there is nothing more or the time of one call is over.
 *
 * @returns how many traces it has removed or taken the spans of; with more than 0 it is to be called again
 */
export function retainSlice(connection: SqliteConnection, retention: Retention, nowMs: number): number {
  const { maxAgeMs, maxSpanAgeMs, maxBytes } = retention
  const isOver = startSlice()
  let count = 0
  connection.write('remove old traces', () => {
    if (maxAgeMs !== undefined) count += removeOlder(connection, nowMs - maxAgeMs, isOver)
    if (maxSpanAgeMs !== undefined) count += cutOlder(connection, nowMs - maxSpanAgeMs, isOver)
    if (maxBytes !== undefined) count += removeBeyond(connection, maxBytes, isOver)
  })
  if (maxBytes !== undefined) connection.maintain('free space', () => shrink(connection, maxBytes, isOver))
  return count
}

/** The first piece of work is always done, so that each call comes further. */
function startSlice(): () => boolean {
  const end = performance.now() + SLICE_MS
  return () => performance.now() >= end
}

function removeOlder(connection: SqliteConnection, beforeMs: number, isOver: () => boolean): number {
  return repeat(isOver, () => {
    const oldest = connection
      .statement(`SELECT trace_id FROM traces WHERE ${REPORTED} AND last_seen < ? ORDER BY last_seen LIMIT 1`)
      .get(beforeMs)
    return oldest !== undefined && removeTrace(connection, oldest['trace_id'])
  })
}

function cutOlder(connection: SqliteConnection, beforeMs: number, isOver: () => boolean): number {
  return repeat(isOver, () => {
    const oldest = connection
      .statement(
        `SELECT trace_id FROM traces WHERE ${REPORTED} AND has_spans = 1 AND last_seen < ?
         ORDER BY last_seen LIMIT 1`,
      )
      .get(beforeMs)
    if (oldest === undefined) return false
    const id = bytesOf(oldest['trace_id'])
    connection.statement('DELETE FROM chunks WHERE trace_id = ?').run(id)
    connection.statement('UPDATE traces SET has_spans = 0, was_cut = 1 WHERE trace_id = ?').run(id)
    return true
  })
}

function removeBeyond(connection: SqliteConnection, maxBytes: number, isOver: () => boolean): number {
  return repeat(isOver, () => {
    if (usedBytes(connection) <= maxBytes) return false
    const oldest = connection
      .statement(`SELECT trace_id FROM traces WHERE ${REPORTED} ORDER BY last_seen LIMIT 1`)
      .get()
    return oldest !== undefined && removeTrace(connection, oldest['trace_id'])
  })
}

/** Gives free pages back as long as the file is too large. */
function shrink(connection: SqliteConnection, maxBytes: number, isOver: () => boolean): void {
  while (!isOver() && fileBytes(connection) > maxBytes && connection.count('PRAGMA freelist_count') > 0) {
    connection.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`)
  }
}

function repeat(isOver: () => boolean, step: () => boolean): number {
  let count = 0
  while (!(count > 0 && isOver()) && step()) count++
  return count
}

function removeTrace(connection: SqliteConnection, traceId: SqlValue | undefined): boolean {
  const id = bytesOf(traceId)
  const hex = hexOf(traceId)
  const chains = connection
    .statement('SELECT id FROM chains WHERE name >= ? AND name < ?')
    .all(`${hex}-`, `${hex}.`)
  for (const chain of chains) {
    const number = Number(chain['id'])
    removeFollowers(connection, number)
    connection.statement('DELETE FROM reports WHERE chain = ?').run(number)
    connection.statement('DELETE FROM chains WHERE id = ?').run(number)
  }
  connection.statement('DELETE FROM chunks WHERE trace_id = ?').run(id)
  connection.statement('DELETE FROM traces WHERE trace_id = ?').run(id)
  return true
}

/** Bytes of the file without those that are free in it. */
function usedBytes(connection: SqliteConnection): number {
  return (
    fileBytes(connection) - connection.count('PRAGMA freelist_count') * connection.count('PRAGMA page_size')
  )
}

/** Bytes of the file when all that is written has gone into it. */
export function fileBytes(connection: SqliteConnection): number {
  return connection.count('PRAGMA page_count') * connection.count('PRAGMA page_size')
}
