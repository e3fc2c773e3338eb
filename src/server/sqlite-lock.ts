import { realpathSync } from 'node:fs'
import type { SqlDatabase, SqlDriver } from './sqlite-driver.ts'
import { readResultCode } from './sqlite-fault.ts'
import { SqliteOpenError } from './sqlite-open-error.ts'

const BUSY = 5

/**
 * Makes sure that nobody else writes to a store. The lock is one of the operating system on a file beside it, which
 * ends with the process, however that ends. Readers do not ask for it.
 *
 * @returns what is to be closed to give it back
 * @throws {SqliteOpenError} where another process holds it, or another store of this one
 */
export function lockStore(driver: SqlDriver, path: string): SqlDatabase {
  const lock = driver.open(`${resolve(path)}-lock`, { readOnly: false, busyMs: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if (readResultCode(error) !== BUSY) throw error
    throw new SqliteOpenError(
      'in_use',
      `Cannot open the store ${path}: expected a store that nobody writes to, found one that another service has open`,
      { cause: error },
    )
  }
}

/** A link and what it leads to are one store. */
function resolve(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
