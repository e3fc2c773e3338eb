import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ReportStore } from './report-store.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { loadDriver, type SqlDatabase, type SqlDriverName } from './sqlite-driver.ts'
import { toStoreError } from './sqlite-fault.ts'
import { lockStore } from './sqlite-lock.ts'
import { SqliteOpenError } from './sqlite-open-error.ts'
import { migrate, readSchemaVersion, SCHEMA_VERSION } from './sqlite-schema.ts'
import { SqliteStore } from './sqlite-store.ts'

/** Which store is opened, and how. */
export interface OpenStoreOptions {
  /** The file; it is made where it is missing. `:memory:` keeps nothing beyond the process. */
  readonly path: string
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  /** For looking only: beside a service that writes, and never making a file. `false` by default. */
  readonly readOnly?: boolean
  /** By default `node:sqlite` where there is one, else `better-sqlite3`. */
  readonly driver?: SqlDriverName
  /** How many pages of 16 KiB the file may have; without a limit by default. */
  readonly maxPages?: number
}

/** A reader that copies the log into the file holds a writer up, for a moment. */
const BUSY_MS = 2_000
const LOG_BYTES = 64 * 1024 * 1024
const CACHE_KIB = 32 * 1024

/**
 * Opens a store.
 *
 * @throws {SqliteOpenError} where it cannot be opened as it is: see there for the reasons
 * @throws {StoreError} where the disk or the file is at fault
 */
export async function openStore(options: OpenStoreOptions): Promise<ReportStore> {
  const { path, now, readOnly = false } = options
  const driver = await loadDriver(options.driver)
  const isFile = path !== ':memory:'
  if (isFile) requirePlace(path, readOnly)
  const closers: SqlDatabase[] = []
  const unlock = (): void => {
    for (const closer of closers.splice(0)) closer.close()
  }
  try {
    if (isFile && !readOnly) closers.push(lockStore(driver, path))
    const database = driver.open(path, { readOnly, busyMs: BUSY_MS })
    closers.push(database)
    prepare(database, options)
    closers.pop()
    return new SqliteStore({
      connection: new SqliteConnection(database, readOnly),
      path,
      driver: driver.name,
      now,
      unlock,
    })
  } catch (error) {
    unlock()
    throw toStoreError(error, `open the store ${path}`)
  }
}

function requirePlace(path: string, readOnly: boolean): void {
  if (readOnly && !existsSync(path)) {
    throw new SqliteOpenError('missing', `Cannot open the store ${path}: expected a file, found nothing`)
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new SqliteOpenError('foreign', `Cannot open the store ${path}: expected a file, found a folder`)
  }
  const folder = dirname(path)
  if (existsSync(folder)) return
  throw new SqliteOpenError(
    'missing',
    `Cannot open the store ${path}: expected a folder to put it into, found nothing at ${folder}`,
  )
}

/** Nothing is written before it is known that the file is a store or empty. */
function prepare(database: SqlDatabase, { path, readOnly = false, maxPages }: OpenStoreOptions): void {
  const version = readSchemaVersion(database, path)
  database.exec(`PRAGMA cache_size = -${CACHE_KIB}`)
  if (readOnly) {
    if (version === SCHEMA_VERSION) return
    throw new SqliteOpenError(
      'foreign',
      `Cannot open the store ${path}: expected a store, found an empty database`,
    )
  }
  // These two count only before the first page is written.
  database.exec('PRAGMA page_size = 16384')
  database.exec('PRAGMA auto_vacuum = INCREMENTAL')
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  database.exec(`PRAGMA journal_size_limit = ${LOG_BYTES}`)
  if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`)
  migrate(database, version)
}
