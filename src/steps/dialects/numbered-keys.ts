import type { Attributes } from '../span-view.ts'

/** The most entries that are read of one flattened list. */
const LIMIT = 1_000

/**
 * Finds the entries of a list that is flattened into numbered keys (`prefix0.suffix`, `prefix1.suffix`, …): an entry
 * exists where at least one of its `suffixes` is recorded. Reading stops at the first number that has none.
 *
 * @returns for each entry the key up to and with its number
 */
export function readNumbered(
  attributes: Attributes,
  prefix: string,
  suffixes: readonly string[],
): readonly { readonly prefix: string }[] {
  const entries: { readonly prefix: string }[] = []
  for (let n = 0; n < LIMIT; n++) {
    const at = `${prefix}${n}`
    if (!suffixes.some((suffix) => isRecorded(attributes, at + suffix))) break
    entries.push({ prefix: at })
  }
  return entries
}

/** True where a key holds a value. Some processors write `undefined` under the keys that they have no value for. */
export function isRecorded(attributes: Attributes, key: string): boolean {
  const value = attributes[key]
  return value !== undefined && value !== null
}
