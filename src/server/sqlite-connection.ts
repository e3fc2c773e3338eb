import { StoreError } from './report-store.ts'
import type { SqlDatabase, SqlStatement } from './sqlite-driver.ts'
import { toStoreError } from './sqlite-fault.ts'

/** An open database with its prepared statements; what its driver throws becomes a `StoreError` here. */
export class SqliteConnection {
  readonly #database: SqlDatabase
  readonly #readOnly: boolean
  readonly #statements = new Map<string, SqlStatement>()
  #isClosed = false

  constructor(database: SqlDatabase, readOnly: boolean) {
    this.#database = database
    this.#readOnly = readOnly
  }

  /** A statement that is kept for the next time: its text must come from a bounded set. */
  statement(sql: string): SqlStatement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) this.#statements.set(sql, (statement = this.#database.prepare(sql)))
    return statement
  }

  /** A statement that is used once. */
  prepare(sql: string): SqlStatement {
    return this.#database.prepare(sql)
  }

  /** Runs statements without values. */
  exec(sql: string): void {
    this.#database.exec(sql)
  }

  /** The first value of the first row of a statement that always has one, as a number. */
  count(sql: string): number {
    const [value] = Object.values(this.statement(sql).get() ?? {})
    return Number(value ?? 0)
  }

  /**
   * @param action what is done, as it goes on after "Cannot"
   * @throws {StoreError} for whatever is the matter with the file
   */
  read<T>(action: string, work: () => T): T {
    if (this.#isClosed) throw new StoreError('closed', `Cannot ${action}: the store is closed`)
    try {
      return work()
    } catch (error) {
      throw toStoreError(error, action)
    }
  }

  /** Does all of the work or, where it throws, nothing of it. Durable when it returns. */
  write<T>(action: string, work: () => T): T {
    if (this.#readOnly)
      throw new StoreError('read_only', `Cannot ${action}: the store is open for reading only`)
    return this.read(action, () => {
      this.#database.exec('BEGIN IMMEDIATE')
      try {
        const result = work()
        this.#database.exec('COMMIT')
        return result
      } catch (error) {
        this.#rollBack()
        throw error
      }
    })
  }

  /** For what is done outside of a transaction. */
  maintain(action: string, work: () => void): void {
    if (this.#readOnly)
      throw new StoreError('read_only', `Cannot ${action}: the store is open for reading only`)
    this.read(action, work)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#statements.clear()
    this.#database.close()
  }

  /** SQLite has rolled back itself where the disk was full or failed. */
  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK')
    } catch {
      // There is no transaction any more, which is what was wanted.
    }
  }
}
