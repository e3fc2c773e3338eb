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
const defaultLiveLimits: Readonly<Required<LiveLimits>> = {
  settleMillis: 500,
  idleMillis: 600_000,
  lateWindowMillis: 30_000,
  openTraces: 10_000,
  spansPerTrace: 10_000,
}

/** The longest time that a timer of Node.js takes; a longer one would be over at once. */
const LONGEST_MILLIS = 2_147_483_647

/**
 * Fills in the defaults.
 *
 * @throws {TypeError} where a limit is unknown
 * @throws {RangeError} where a time is no whole number from 0 to 2147483647, or a count none from 1
 */
export function toLiveLimits(limits: LiveLimits): Required<LiveLimits> {
  const filled = { ...defaultLiveLimits }
  for (const [name, value] of Object.entries(limits) as [keyof LiveLimits, number | undefined][]) {
    if (!Object.hasOwn(defaultLiveLimits, name)) {
      const known = Object.keys(defaultLiveLimits).join(', ')
      throw new TypeError(`Cannot set limits.${name}: expected one of ${known}, found an unknown limit`)
    }
    if (value !== undefined) filled[name] = requireLimit(name, value)
  }
  return filled
}

function requireLimit(name: keyof LiveLimits, value: number): number {
  const [least, most] = name.endsWith('Millis') ? [0, LONGEST_MILLIS] : [1, Number.MAX_SAFE_INTEGER]
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value
  const expected = most === LONGEST_MILLIS ? `a whole number from 0 to ${most}` : 'a whole number from 1'
  throw new RangeError(`Cannot set limits.${name}: expected ${expected}, found ${String(value)}`)
}
