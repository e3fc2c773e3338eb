import { SqliteOpenError } from './sqlite-open-error.ts'
import { readResultCode } from './sqlite-fault.ts'
import type { SqlDatabase } from './sqlite-driver.ts'

/** Stands in the head of every store, so that no other database is taken for one: `ARst`. */
const APPLICATION_ID = 0x41527374

/** Each step makes of the version before it the one whose number is its place in the list, from 1. */
const migrations: readonly string[] = [
  `
  CREATE TABLE traces (
    trace_id BLOB PRIMARY KEY,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    last_chunk INTEGER NOT NULL DEFAULT 0,
    reported_chunk INTEGER NOT NULL DEFAULT 0,
    forwarded_chunk INTEGER NOT NULL DEFAULT 0,
    revision INTEGER NOT NULL DEFAULT 0,
    has_spans INTEGER NOT NULL DEFAULT 1,
    was_cut INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX traces_unreported ON traces (first_seen) WHERE last_chunk > reported_chunk;
  CREATE INDEX traces_reported ON traces (last_seen) WHERE last_chunk <= reported_chunk;
  CREATE INDEX traces_with_spans ON traces (last_seen) WHERE last_chunk <= reported_chunk AND has_spans = 1;

  CREATE TABLE chunks (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    trace_id BLOB NOT NULL,
    rejected INTEGER NOT NULL,
    span_count INTEGER,
    body BLOB NOT NULL
  ) STRICT;
  CREATE INDEX chunks_of_trace ON chunks (trace_id);

  CREATE TABLE chains (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    chain_id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    status TEXT NOT NULL,
    completeness TEXT NOT NULL,
    summary TEXT NOT NULL,
    service TEXT,
    agent TEXT,
    task_id TEXT,
    session_id TEXT,
    started INTEGER NOT NULL,
    ended INTEGER NOT NULL,
    latency REAL NOT NULL,
    steps INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost REAL,
    root_node TEXT,
    root_code TEXT,
    findings TEXT NOT NULL,
    alerts TEXT NOT NULL,
    digest TEXT NOT NULL
  ) STRICT;
  CREATE INDEX chains_by_start ON chains (started, name DESC, status);
  CREATE INDEX chains_not_good ON chains (started, name DESC, status) WHERE status <> 'success';
  CREATE INDEX chains_of_task ON chains (task_id, started, name DESC) WHERE task_id IS NOT NULL;
  CREATE INDEX chains_of_session ON chains (session_id, started, name DESC) WHERE session_id IS NOT NULL;

  CREATE TABLE reports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    chain INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    stored INTEGER NOT NULL,
    digest TEXT NOT NULL,
    report BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX reports_of_chain ON reports (chain, revision);

  CREATE TABLE chain_nodes (
    chain INTEGER NOT NULL,
    node TEXT NOT NULL,
    status TEXT NOT NULL,
    calls INTEGER NOT NULL,
    retries INTEGER NOT NULL,
    latency REAL NOT NULL,
    tokens INTEGER NOT NULL,
    cost REAL NOT NULL,
    PRIMARY KEY (chain, node, status)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX chain_nodes_by_node ON chain_nodes (node);

  CREATE TABLE chain_findings (
    chain INTEGER NOT NULL,
    code TEXT NOT NULL,
    PRIMARY KEY (chain, code)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX chain_findings_by_code ON chain_findings (code);

  CREATE TABLE chain_alerts (
    chain INTEGER NOT NULL,
    type TEXT NOT NULL,
    PRIMARY KEY (chain, type)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX chain_alerts_by_type ON chain_alerts (type);

  CREATE TABLE forwards (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    trace_id BLOB NOT NULL,
    queued INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    body BLOB NOT NULL
  ) STRICT;

  CREATE TABLE probes (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, filler BLOB) STRICT;
  `,
]

/** The version of the tables that this code writes. */
export const SCHEMA_VERSION: number = migrations.length

/**
 * Sees what a database is. Writes nothing.
 *
 * @returns the version of its tables; 0 where it is empty
 * @throws {SqliteOpenError} where it is no store or one of a newer version
 */
export function readSchemaVersion(database: SqlDatabase, path: string): number {
  const version = readHead(database, path)
  if (version <= SCHEMA_VERSION) return version
  throw new SqliteOpenError(
    'newer',
    `Cannot open the store ${path}: expected version ${SCHEMA_VERSION} or older, found ${version}; it was written by a ` +
      'newer agent-reach',
  )
}

function readHead(database: SqlDatabase, path: string): number {
  try {
    const application = readPragma(database, 'application_id')
    if (application === APPLICATION_ID) return readPragma(database, 'user_version')
    const tables = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()
    if (application === 0 && tables?.['count'] === 0) return 0
  } catch (error) {
    if (readResultCode(error) !== NOT_A_DATABASE) throw error
  }
  throw new SqliteOpenError('foreign', `Cannot open the store ${path}: expected a store, found another file`)
}

const NOT_A_DATABASE = 26

/** Brings the tables of a database to {@link SCHEMA_VERSION}, as a whole or not at all. */
export function migrate(database: SqlDatabase, version: number): void {
  if (version === SCHEMA_VERSION) return
  database.exec('BEGIN IMMEDIATE')
  try {
    for (const step of migrations.slice(version)) database.exec(step)
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

/** The number that a pragma answers with. */
function readPragma(database: SqlDatabase, name: string): number {
  const [value] = Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})
  return Number(value)
}
