/** The command was called in a way that it does not understand; the message says what was expected and found. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
