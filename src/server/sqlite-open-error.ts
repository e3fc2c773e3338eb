/**
 * Why a store could not be opened: nothing to open it with, no such file, a file that is something else, one of a newer
 * version, or one that another process has opened for writing.
 */
export type SqliteOpenReason = 'no_driver' | 'missing' | 'foreign' | 'newer' | 'in_use'

/** A store that cannot be opened as it is; somebody has to do something about it. */
export class SqliteOpenError extends Error {
  override readonly name = 'SqliteOpenError'
  readonly reason: SqliteOpenReason

  constructor(reason: SqliteOpenReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
