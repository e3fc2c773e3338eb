const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
])

/** The longest duration that can be written, in milliseconds: 1,000 hours. */
const LONGEST_MS = 3_600_000_000

/** Reads `250ms`, `5s`, `1.5s`, `2m` or `1h` as milliseconds; `null` where it is none, zero, or above 1,000 hours. */
export function readDuration(text: string): number | null {
  const { number = '', unit = '' } = /^(?<number>\d+(?:\.\d+)?)(?<unit>ms|s|m|h)$/u.exec(text)?.groups ?? {}
  const milliseconds = Math.round(Number(number) * (UNITS.get(unit) ?? 0) * 1_000) / 1_000
  return milliseconds > 0 && milliseconds <= LONGEST_MS ? milliseconds : null
}
