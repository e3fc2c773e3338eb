/** What was found instead of a folder that can be written to, by the code of the error. */
const FOUND: Readonly<Record<string, string>> = {
  ENOENT: 'a place where no folder can be made',
  EEXIST: 'a file where a folder must be',
  ENOTDIR: 'a file where a folder must be',
  EISDIR: 'a folder where the file must be',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'a read-only file system',
  ENOSPC: 'no space left',
  EDQUOT: 'a quota that is used up',
  EMFILE: 'too many open files',
}

/** Says why a file cannot be written. */
export function toWriteError(path: string, cause: unknown): Error {
  const found = FOUND[codeOf(cause) ?? ''] ?? (cause instanceof Error ? cause.message : String(cause))
  return new Error(`Cannot write ${path}: expected a folder that can be written to, found ${found}`, {
    cause,
  })
}

/** The code of an error of the file system, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
