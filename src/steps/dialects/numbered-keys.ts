import type { Attributes } from '../span-view.ts'

/** The most entries that are read of one flattened list. */
const LIMIT = 1_000

/** Of how many entries of a list the keys are kept: to make a key costs many times what it costs to look for it. */
const KEPT = 16

/** What is looked for under the number of an entry of a flattened list (`prefix0.suffix`, `prefix1.suffix`, …). */
export interface EntryKeys {
  /** An entry exists where at least one of these keys is recorded. */
  readonly signs: readonly string[]
}

/** Gives the keys of the entry with a number. */
export type NumberedKeys<T extends EntryKeys> = (number: number) => T

/**
 * The keys of a flattened list.
 *
 * @param toKeys makes the keys of an entry from what they begin with: the prefix and its number
 */
export function numbered<T extends EntryKeys>(prefix: string, toKeys: (at: string) => T): NumberedKeys<T> {
  const kept: T[] = []
  return (number) => {
    const known = kept[number]
    if (known !== undefined) return known
    const keys = toKeys(`${prefix}${number}`)
    // Asked for in turn, so that there are no gaps.
    if (number === kept.length && number < KEPT) kept.push(keys)
    return keys
  }
}

/** Finds the keys of the entries of a flattened list. Reading stops at the first number that has none. */
export function readNumbered<T extends EntryKeys>(
  attributes: Attributes,
  keysOf: NumberedKeys<T>,
): readonly T[] {
  const entries: T[] = []
  for (let number = 0; number < LIMIT; number++) {
    const keys = keysOf(number)
    if (!keys.signs.some((key) => isRecorded(attributes, key))) break
    entries.push(keys)
  }
  return entries
}

/** True where a key holds a value. Some processors write `undefined` under the keys that they have no value for. */
export function isRecorded(attributes: Attributes, key: string): boolean {
  const value = attributes[key]
  return value !== undefined && value !== null
}
