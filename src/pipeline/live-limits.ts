/** How long a trace is waited for and how much is held of what is open. Times are in milliseconds. */
export interface LiveLimits {
  /**
   * After the last root of a chain has ended and nothing below it is open, its report waits so long for more.
   *
   * @default 500
   */
  readonly settleMillis?: number
  /**
   * A trace of which nothing starts or ends for so long is reported as partial, and forgotten.
   *
   * @default 600000
   */
  readonly idleMillis?: number
  /**
   * A span that comes so long after the report amends it; a later one is counted only.
   *
   * @default 30000
   */
  readonly lateWindowMillis?: number
  /**
   * Traces that are held at a time; beyond them the oldest one is reported as partial.
   *
   * @default 10000
   */
  readonly openTraces?: number
  /**
   * Spans that are held of one trace; further ones are left out, and its reports are partial.
   *
   * @default 10000
   */
  readonly spansPerTrace?: number
}

/** The limits that hold where none are given. */
export const defaultLiveLimits: Required<LiveLimits> = {
  settleMillis: 500,
  idleMillis: 600_000,
  lateWindowMillis: 30_000,
  openTraces: 10_000,
  spansPerTrace: 10_000,
}

/**
 * Fills in the defaults.
 *
 * @throws {RangeError} where a limit is no whole number from 0, or from 1 for the counts
 */
export function toLiveLimits(limits: LiveLimits): Required<LiveLimits> {
  const filled = { ...defaultLiveLimits, ...limits }
  for (const [name, value] of Object.entries(filled)) {
    const least = name.endsWith('Millis') ? 0 : 1
    if (Number.isSafeInteger(value) && value >= least) continue
    throw new RangeError(`Cannot set limits.${name}: expected a whole number from ${least}, found ${value}`)
  }
  return filled
}
