import { UsageError } from './usage-error.ts'

const UNITS: ReadonlyMap<string, number> = new Map([
  ['B', 1],
  ['KiB', 2 ** 10],
  ['MiB', 2 ** 20],
  ['GiB', 2 ** 30],
  ['TiB', 2 ** 40],
])

/**
 * Reads `512KiB`, `64MiB` or `1.5GiB` as whole bytes.
 *
 * @param name of the option, for the error
 * @throws {UsageError} where it is no size, or zero
 */
export function readBytes(name: string, text: string): number {
  const { number = '', unit = '' } = /^(?<number>\d+(?:\.\d+)?)(?<unit>B|[KMGT]iB)$/u.exec(text)?.groups ?? {}
  const bytes = Math.round(Number(number) * (UNITS.get(unit) ?? 0))
  if (bytes > 0 && Number.isSafeInteger(bytes)) return bytes
  throw new UsageError(
    `Cannot read --${name}: expected a size such as 512KiB, 64MiB or 20GiB, found '${text}'`,
  )
}
