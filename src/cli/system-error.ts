/** An error of the operating system, as of the file system. */
export interface SystemError extends Error {
  /** Such as `ENOENT`. */
  readonly code: string
  readonly syscall: string
  readonly path?: string
}

/** True for errors of the operating system; false for those of a program. */
export function isSystemError(value: unknown): value is SystemError {
  return value instanceof Error && 'code' in value && 'syscall' in value
}

/** What a system error says, in words where the code is a common one. */
export function describeSystemError(error: SystemError): string {
  return WORDS.get(error.code) ?? `${error.code} (${error.message})`
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file'],
  ['ENOTDIR', 'no such file (a part of the path is no directory)'],
  ['EISDIR', 'a directory'],
  ['EACCES', 'a file that may not be read or written (permission denied)'],
  ['EPERM', 'a file that may not be read or written (operation not permitted)'],
  ['ENOSPC', 'a full disk'],
  ['EROFS', 'a read-only file system'],
  ['EEXIST', 'a file of that name'],
  ['ELOOP', 'symbolic links in a circle'],
  ['ENAMETOOLONG', 'a name that is too long'],
])
