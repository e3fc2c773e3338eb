/**
 * Sorts a list in place. Steps mostly stand in the order of their times already: to look takes a fraction of the time
 * that sorting takes even then.
 *
 * @returns the list
 */
export function sortUnlessSorted<T>(list: T[], compare: (a: T, b: T) => number): T[] {
  for (let at = 1; at < list.length; at++) {
    if (compare(list[at - 1] as T, list[at] as T) > 0) return list.sort(compare)
  }
  return list
}
