/** What was thrown, as an error; never throws itself, whatever that was. */
export function toError(reason: unknown): Error {
  if (reason instanceof Error) return reason
  try {
    return new Error(String(reason))
  } catch {
    return new Error('a value that cannot be told was thrown')
  }
}
