/** How grave a line of the log is. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Facts beside the message: plain values, no content of spans. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>

/** Takes what the service has to say of itself. Must not throw. */
export type ServiceLog = (level: LogLevel, message: string, fields?: LogFields) => void

const RANKS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/** The longest text of one field, in UTF-16 code units. */
const LONGEST = 2_000

/**
 * Makes a log of one JSON object a line: `time`, `level`, `message` and the fields.
 *
 * @param least lines of lower levels are left out
 * @param write gets each line with its line feed
 */
export function createJsonLog(least: LogLevel, write: (line: string) => void, now: () => number): ServiceLog {
  return (level, message, fields = {}) => {
    if (RANKS[level] < RANKS[least]) return
    const line = { time: new Date(now()).toISOString(), level, message, ...fields }
    write(
      `${JSON.stringify(line, (_key, value: unknown) => (typeof value === 'string' ? cut(value) : value))}\n`,
    )
  }
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** What an error says, in one line. */
export function describeForLog(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return text.split('\n', 1).join('')
}
