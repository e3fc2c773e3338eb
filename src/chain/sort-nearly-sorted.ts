/** How often, on average, an item may move by one place before the list is sorted in the common way. */
const MOVES = 2

/**
 * Sorts a list in place, equal items in the order they have. Steps mostly stand in the order of their times already, or
 * two neighbours are the wrong way round: by insertion that takes a fraction of the time of a common sort.
 *
 * @returns the list
 */
export function sortNearlySorted<T>(list: T[], compare: (a: T, b: T) => number): T[] {
  let moves = MOVES * list.length
  for (let at = 1; at < list.length; at++) {
    const item = list[at] as T
    let to = at
    for (; to > 0 && compare(list[to - 1] as T, item) > 0 && moves > 0; moves--) {
      list[to] = list[to - 1] as T
      to--
    }
    if (to < at) list[to] = item
    if (moves === 0) return list.sort(compare)
  }
  return list
}
