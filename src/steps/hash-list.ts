/** Up to so many hashes each is put in its place among those before it. */
const FEW = 24

/**
 * Beyond so many the engine sorts: below, not many hashes can share a group, even of a text that was written to have them
 * do so.
 */
const MOST_GROUPED = 512

/** How many groups a list is parted into, by the upper bits of its hashes. */
const GROUPS = 256
const GROUP_SHIFT = 22

/** Where the next hash of each group goes; lent to one list after the other. */
const places = new Int32Array(GROUPS + 1)
const grouped = new Int32Array(MOST_GROUPED)

/** What is kept of a list of hashes. */
export interface LeastHashes {
  /** In ascending order, each once. */
  readonly least: readonly number[]
  /** How many different ones there were. */
  readonly count: number
}

/** A list of hashes of 30 bits in memory that is taken once, for one text after the other. */
export class HashList {
  #length = 0
  readonly #hashes: Int32Array

  /** @param room how many hashes are added at most, between two times that the list is cut to nothing */
  constructor(room: number) {
    this.#hashes = new Int32Array(room)
  }

  get length(): number {
    return this.#length
  }

  add(hash: number): void {
    this.#hashes[this.#length++] = hash
  }

  /** Leaves out what was added behind a place. */
  cut(length: number): void {
    this.#length = length
  }

  /** Gives the least of the different hashes, at most so many. The list is sorted by that. */
  takeLeast(most: number): LeastHashes {
    const sorted = sort(this.#hashes, this.#length)
    let count = 0
    for (let at = 0; at < this.#length; at++) {
      if (at === 0 || sorted[at] !== sorted[count - 1]) sorted[count++] = sorted[at] as number
    }
    const least: number[] = []
    for (let at = 0; at < count && at < most; at++) least.push(sorted[at] as number)
    // A list that has grown has room for more; a copy has none.
    return { least: least.slice(), count }
  }
}

/** Sorts the first hashes of a list, there or in memory that is lent. */
function sort(hashes: Int32Array, length: number): Int32Array {
  if (length <= FEW) return insertEach(hashes, length)
  if (length > MOST_GROUPED) return hashes.subarray(0, length).sort()
  // Hashes are spread evenly: parted into groups they are nearly sorted, in a third of the time that sorting takes.
  places.fill(0)
  for (let at = 0; at < length; at++) (places[groupOf(hashes[at] as number) + 1] as number) += 1
  for (let group = 1; group < GROUPS; group++) (places[group] as number) += places[group - 1] as number
  for (let at = 0; at < length; at++) {
    const hash = hashes[at] as number
    const group = groupOf(hash)
    const place = places[group] as number
    grouped[place] = hash
    places[group] = place + 1
  }
  return insertEach(grouped, length)
}

function groupOf(hash: number): number {
  return hash >>> GROUP_SHIFT
}

function insertEach(hashes: Int32Array, length: number): Int32Array {
  for (let at = 1; at < length; at++) {
    const hash = hashes[at] as number
    let to = at
    while (to > 0 && (hashes[to - 1] as number) > hash) hashes[to] = hashes[--to] as number
    hashes[to] = hash
  }
  return hashes
}
