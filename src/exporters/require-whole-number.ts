/** An option that is a whole number. */
export interface NumberOption {
  /** What is made with it, in words: `a memory sink`. */
  readonly of: string
  readonly name: string
  readonly value: number
  readonly minimum: number
}

/** The longest wait that a timer of Node can do, in milliseconds: 24.8 days. */
const LONGEST_TIMER = 2 ** 31 - 1

/**
 * Gives the value of an option back.
 *
 * @throws {RangeError} where it is no whole number or below the minimum
 */
export function requireWholeNumber({ of, name, value, minimum }: NumberOption): number {
  if (Number.isSafeInteger(value) && value >= minimum) return value
  const expected = `${name} to be a whole number from ${minimum}`
  throw new RangeError(`Cannot create ${of}: expected ${expected}, found ${String(value)}`)
}

/**
 * Gives the time of a timer back, in milliseconds.
 *
 * @throws {RangeError} where it is no whole number, below the minimum or longer than a timer can be, as a timer that
 * is too long would end at once
 */
export function requireTimerMillis(option: NumberOption): number {
  const value = requireWholeNumber(option)
  if (value <= LONGEST_TIMER) return value
  const { of, name } = option
  throw new RangeError(`Cannot create ${of}: expected ${name} to be at most ${LONGEST_TIMER}, found ${value}`)
}
