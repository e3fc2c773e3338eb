import { SqliteOpenError } from './sqlite-open-error.ts'

/** What SQLite keeps in a column. Whole numbers beyond 2^53 are never stored. */
export type SqlValue = string | number | null | Uint8Array

/** A row by the names of its columns. */
export type SqlRow = Readonly<Record<string, SqlValue>>

/** A prepared statement. Values are bound in the order of its question marks. */
export interface SqlStatement {
  /** For a statement without rows. */
  run(...values: readonly SqlValue[]): {
    readonly changes: number | bigint
    readonly lastInsertRowid: number | bigint
  }
  /** The first row. */
  get(...values: readonly SqlValue[]): SqlRow | undefined
  all(...values: readonly SqlValue[]): readonly SqlRow[]
  /** The rows one by one; nothing else may be written meanwhile. */
  iterate(...values: readonly SqlValue[]): IterableIterator<SqlRow>
}

/** An open database. Every method throws the error of its driver: `toStoreError` makes ours of it. */
export interface SqlDatabase {
  /** Runs statements that take no values; rows are thrown away. */
  exec(sql: string): unknown
  prepare(sql: string): SqlStatement
  close(): unknown
}

/** The drivers, by the names of what has to be there. */
export type SqlDriverName = 'node:sqlite' | 'better-sqlite3'

/** A way to open a database. */
export interface SqlDriver {
  readonly name: SqlDriverName
  /**
   * @param path a file or `:memory:`
   * @param busyMs how long a statement waits for a lock of somebody else, in milliseconds
   */
  open(path: string, options: { readonly readOnly: boolean; readonly busyMs: number }): SqlDatabase
}

interface NodeSqlite {
  readonly DatabaseSync: new (path: string, options: object) => SqlDatabase
}

interface BetterSqlite {
  readonly default: new (path: string, options: object) => SqlDatabase
}

/**
 * Finds what can open a database here: `node:sqlite` where Node has it (from 22.13 on), else `better-sqlite3`.
 *
 * @param name asks for this one and no other
 * @throws {SqliteOpenError} where there is none; it says what to install
 */
export async function loadDriver(name?: SqlDriverName): Promise<SqlDriver> {
  const causes: unknown[] = []
  for (const find of [loadNodeSqlite, loadBetterSqlite]) {
    const driver = await find(name).catch((error: unknown) => void causes.push(error))
    if (driver !== undefined) return driver
  }
  throw new SqliteOpenError(
    'no_driver',
    'Cannot open a store: expected Node.js 22.13 or newer, or the package better-sqlite3 12 beside agent-reach ' +
      `(npm install better-sqlite3@12), found neither${describe(causes)}`,
    { cause: causes.at(-1) },
  )
}

async function loadNodeSqlite(name?: SqlDriverName): Promise<SqlDriver | undefined> {
  if (name !== undefined && name !== 'node:sqlite') return undefined
  const { DatabaseSync } = (await load('node:sqlite')) as NodeSqlite
  return {
    name: 'node:sqlite',
    open: (path, { readOnly, busyMs }) =>
      openChecked(new DatabaseSync(path, { readOnly, enableForeignKeyConstraints: false }), busyMs),
  }
}

async function loadBetterSqlite(name?: SqlDriverName): Promise<SqlDriver | undefined> {
  if (name !== undefined && name !== 'better-sqlite3') return undefined
  const { default: Database } = (await load('better-sqlite3')) as BetterSqlite
  // Its compiled part is first looked for here.
  new Database(':memory:', {}).close()
  return {
    name: 'better-sqlite3',
    open: (path, { readOnly, busyMs }) =>
      openChecked(new Database(path, { readonly: readOnly, fileMustExist: readOnly }), busyMs),
  }
}

function openChecked(database: SqlDatabase, busyMs: number): SqlDatabase {
  database.exec(`PRAGMA busy_timeout = ${busyMs}`)
  database.exec('PRAGMA foreign_keys = OFF')
  return database
}

/** Neither has to be there, so no bundler may look for it: the name is none that it can read. */
function load(name: string): Promise<unknown> {
  return import(name)
}

/** A package that is there and does not load is another matter than one that is not there. */
function describe(causes: readonly unknown[]): string {
  const told = causes.filter((cause): cause is Error => cause instanceof Error && !isMissing(cause))
  return told.map(({ message }) => ` (${message.split('\n', 1)[0]})`).join('')
}

function isMissing(error: Error & { readonly code?: unknown }): boolean {
  return error.code === 'ERR_UNKNOWN_BUILTIN_MODULE' || error.code === 'ERR_MODULE_NOT_FOUND'
}
