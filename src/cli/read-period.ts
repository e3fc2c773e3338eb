import { UsageError } from './usage-error.ts'

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/** The longest period, in milliseconds: 100 years. */
const LONGEST_MS = 3_155_760_000_000

/**
 * Reads `250ms`, `5s`, `1.5h` or `30d` as whole milliseconds.
 *
 * @param name of the option, for the error
 * @throws {UsageError} where it is no period, zero, or above 100 years
 */
export function readPeriod(name: string, text: string): number {
  const { number = '', unit = '' } = /^(?<number>\d+(?:\.\d+)?)(?<unit>ms|s|m|h|d)$/u.exec(text)?.groups ?? {}
  const milliseconds = Math.round(Number(number) * (UNITS.get(unit) ?? 0))
  if (milliseconds > 0 && milliseconds <= LONGEST_MS) return milliseconds
  throw new UsageError(
    `Cannot read --${name}: expected a time such as 500ms, 5s, 10m, 2h or 30d, found '${text}'`,
  )
}
