import { StoreError, type StoreFault } from './report-store.ts'

/** By the primary result codes of SQLite. */
const FAULTS: Readonly<Record<number, StoreFault>> = {
  3: 'read_only',
  5: 'busy',
  6: 'busy',
  8: 'read_only',
  10: 'io',
  11: 'corrupt',
  13: 'full',
  14: 'io',
  23: 'read_only',
  26: 'corrupt',
}

const CODES: Readonly<Record<string, number>> = {
  SQLITE_PERM: 3,
  SQLITE_BUSY: 5,
  SQLITE_LOCKED: 6,
  SQLITE_READONLY: 8,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_AUTH: 23,
  SQLITE_NOTADB: 26,
}

interface SqlError extends Error {
  /** `SQLITE_FULL` and the like of `better-sqlite3`. */
  readonly code?: unknown
  /** The number of `node:sqlite`. */
  readonly errcode?: unknown
}

/** The primary result code of SQLite behind an error of either driver; `undefined` where it is another error. */
export function readResultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, errcode } = error as SqlError
  if (typeof errcode === 'number') return errcode & 0xff
  const name = typeof code === 'string' ? /^SQLITE_[A-Z]+/u.exec(code)?.[0] : undefined
  return name === undefined ? undefined : CODES[name]
}

/**
 * Makes an error of the store of what a driver has thrown.
 *
 * @param action what could not be done, as it goes on after "Cannot"
 * @returns the error itself where it says nothing of the file or the disk: then it is a defect
 */
export function toStoreError(error: unknown, action: string): unknown {
  if (error instanceof StoreError) return error
  const fault = FAULTS[readResultCode(error) ?? 0]
  if (fault === undefined) return error
  return new StoreError(fault, `Cannot ${action}: ${(error as Error).message}`, { cause: error })
}
