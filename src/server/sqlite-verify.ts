import type { ChainReport } from '../report/chain-report.ts'
import { digestReport } from '../report/report-digest.ts'
import { unsealBytes } from './sqlite-blob.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { SqlRow } from './sqlite-driver.ts'
import { bytesOf, hexOf } from './sqlite-trace-reader.ts'

/** Rows that must not be: what is wrong with them, and how many there are. */
const contradictions: readonly (readonly [what: string, sql: string])[] = [
  ['spans of a trace that is not listed', 'chunks WHERE trace_id NOT IN (SELECT trace_id FROM traces)'],
  [
    'spans that are newer than their trace',
    'chunks c JOIN traces t ON t.trace_id = c.trace_id WHERE c.number > t.last_chunk',
  ],
  [
    'traces without the spans that no report has seen',
    'traces t WHERE t.last_chunk > t.reported_chunk AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.number = t.last_chunk)',
  ],
  ['reports of a chain that is not listed', 'reports WHERE chain NOT IN (SELECT id FROM chains)'],
  [
    'chains without their report',
    `chains c WHERE NOT EXISTS
      (SELECT 1 FROM reports r WHERE r.chain = c.id AND r.revision = c.revision AND r.digest = c.digest)`,
  ],
  ['nodes of a chain that is not listed', 'chain_nodes WHERE chain NOT IN (SELECT id FROM chains)'],
  ['findings of a chain that is not listed', 'chain_findings WHERE chain NOT IN (SELECT id FROM chains)'],
  ['alerts of a chain that is not listed', 'chain_alerts WHERE chain NOT IN (SELECT id FROM chains)'],
]

/** @returns what is wrong, a sentence each; the rest is looked at all the same */
export function verifyStore(connection: SqliteConnection): readonly string[] {
  const problems: string[] = []
  const note = (place: string, check: () => void): void => {
    try {
      check()
    } catch (error) {
      problems.push(`${place}: ${(error as Error).message}`)
    }
  }
  note('the file', () => {
    for (const row of connection.prepare('PRAGMA integrity_check').iterate()) {
      const [told] = Object.values(row)
      if (told !== 'ok') problems.push(`the file: ${String(told)}`)
    }
  })
  for (const [what, sql] of contradictions) {
    note(what, () => {
      const count = connection.count(`SELECT count(*) AS count FROM ${sql}`)
      if (count > 0) problems.push(`${count} ${what}`)
    })
  }
  verifyRows(connection, REPORTS, note)
  verifyRows(connection, CHUNKS, note)
  verifyRows(connection, FORWARDS, note)
  return problems
}

interface Checked {
  /** Asks for the numbers of its rows behind one. */
  readonly next: string
  /** Asks for the row of a number. */
  readonly row: string
  readonly place: (number: number) => string
  /** Throws where the row is damaged. */
  readonly check: (row: SqlRow) => void
}

const PAGE_ROWS = 1_000

const REPORTS: Checked = {
  next: `SELECT id AS number FROM reports WHERE id > ? ORDER BY id LIMIT ${PAGE_ROWS}`,
  row: `SELECT c.name, r.revision, r.digest, r.report FROM reports r LEFT JOIN chains c ON c.id = r.chain WHERE r.id = ?`,
  place: (number) => `report ${number}`,
  check: verifyReport,
}

const CHUNKS: Checked = {
  next: `SELECT number FROM chunks WHERE number > ? ORDER BY number LIMIT ${PAGE_ROWS}`,
  row: 'SELECT trace_id, body FROM chunks WHERE number = ?',
  place: (number) => `chunk ${number}`,
  check: (row) => void unsealBytes(bytesOf(row['body']), `the spans of trace ${hexOf(row['trace_id'])}`),
}

const FORWARDS: Checked = {
  next: `SELECT id AS number FROM forwards WHERE id > ? ORDER BY id LIMIT ${PAGE_ROWS}`,
  row: 'SELECT trace_id, body FROM forwards WHERE id = ?',
  place: (number) => `queued body ${number}`,
  check: (row) =>
    void unsealBytes(bytesOf(row['body']), `the queued spans of trace ${hexOf(row['trace_id'])}`),
}

function verifyRows(
  connection: SqliteConnection,
  { next, row, place, check }: Checked,
  note: (place: string, check: () => void) => void,
): void {
  let last = 0
  let numbers: readonly number[]
  do {
    numbers = []
    note(place(last + 1), () => {
      numbers = connection
        .statement(next)
        .all(last)
        .map(({ number }) => Number(number))
    })
    for (const number of numbers) {
      note(place(number), () => check(connection.statement(row).get(number) ?? {}))
      last = number
    }
  } while (numbers.length === PAGE_ROWS)
}

function verifyReport(row: SqlRow): void {
  const name = `${String(row['name'])}-${String(row['revision'])}`
  const report = JSON.parse(
    unsealBytes(bytesOf(row['report']), `the report ${name}`).toString(),
  ) as ChainReport
  const digest = digestReport(report)
  for (const told of [report.digest, row['digest']]) {
    if (told !== digest)
      throw new Error(`the report ${name} has the digest ${digest}, and says ${String(told)}`)
  }
}
