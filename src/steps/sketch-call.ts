import { type CallSketch, MOST_FACTS, MOST_WORDS } from './call-sketch.ts'
import { hashText, mix, WordReader } from './word-reader.ts'

/** The most arguments that are looked at, in UTF-16 code units: 1,024. Longer ones are mostly files to be written. */
const ARGUMENTS_LIMIT = 1_024

/** The longest code that is looked at, in UTF-16 code units: 4,096. */
const CODE_LIMIT = 4_096

/** Texts with fewer words say too little to be the same in other words. */
const FEWEST_WORDS = 5

/**
 * Sketches the arguments of a call.
 *
 * @param value decoded
 * @param ignored names of arguments that are passed over, at any depth
 * @returns `null` for what is larger than is looked at
 */
export function sketchArguments(value: unknown, ignored: readonly string[] = []): CallSketch | null {
  const reader = new WordReader(ARGUMENTS_LIMIT)
  readValue(reader, value, { place: ROOT, ignored, depth: 0 })
  return reader.take()
}

/** Sketches code that a model wrote; `null` for what is larger than is looked at. */
export function sketchCode(code: string): CallSketch | null {
  const reader = new WordReader(CODE_LIMIT)
  reader.readText(code, ROOT)
  return reader.take()
}

const ROOT = 0x1505

interface Place {
  /** A hash of the keys and positions that lead there: a list in which a state moves on says something else. */
  readonly place: number
  readonly ignored: readonly string[]
  readonly depth: number
}

const MAX_DEPTH = 16

function readValue(reader: WordReader, value: unknown, { place, ignored, depth }: Place): void {
  if (typeof value === 'string') reader.readText(value, place)
  else if (typeof value === 'number' || typeof value === 'boolean') reader.addFact(String(value), place)
  else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH && reader.hasRoom) {
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) {
        readValue(reader, item, { place: mix(place, at + 1), ignored, depth: depth + 1 })
      }
    } else {
      const fields = value as Readonly<Record<string, unknown>>
      for (const name of Object.keys(fields).sort()) {
        if (ignored.includes(name)) continue
        readValue(reader, fields[name], { place: hashText(place, name), ignored, depth: depth + 1 })
      }
    }
  }
}

/**
 * How alike two calls are, from 0 to 1: the share of words that both have. It is 0 where they ask for different
 * things: where each has a fact that the other lacks, where as many words were put in as taken out (a template filled
 * with another value), where only white space differs, and where too few words are there to tell.
 */
export function compareSketches(a: CallSketch, b: CallSketch): number {
  if (a.bare === b.bare && a.white !== b.white) return 0
  if (!areNested(a.facts, b.facts)) return 0
  const share = shareOf(a.words, b.words)
  if (share === 1 && a.wordCount === b.wordCount && a.factCount === b.factCount) return 1
  if (Math.min(a.wordCount, b.wordCount) < FEWEST_WORDS) return 0
  return share < 1 && a.wordCount === b.wordCount && a.wordCount === a.words.length ? 0 : share
}

/** True for a call that says nothing in words: what it asks for is in its facts alone. */
export function isWordless({ wordCount }: CallSketch): boolean {
  return wordCount === 0
}

/** True unless each list has something that the other lacks, as far as both lists go. */
function areNested(a: readonly number[], b: readonly number[]): boolean {
  let onlyA = false
  let onlyB = false
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const left = a[i] as number
    const right = b[j] as number
    if (left === right) {
      i++
      j++
    } else if (left < right) {
      onlyA = true
      i++
    } else {
      onlyB = true
      j++
    }
  }
  // What one list has left may be what the other had no room for.
  if (b.length < MOST_FACTS && i < a.length) onlyA = true
  if (a.length < MOST_FACTS && j < b.length) onlyB = true
  return !(onlyA && onlyB)
}

/** The Jaccard index; an estimate by the least hashes of both where not all are kept. */
function shareOf(a: readonly number[], b: readonly number[]): number {
  const isWhole = a.length < MOST_WORDS && b.length < MOST_WORDS
  const most = isWhole ? Infinity : MOST_WORDS
  let both = 0
  let seen = 0
  let i = 0
  let j = 0
  while ((i < a.length || j < b.length) && seen < most) {
    const left = a[i] ?? Infinity
    const right = b[j] ?? Infinity
    if (left === right) both++
    if (left <= right) i++
    if (right <= left) j++
    seen++
  }
  return seen === 0 ? 1 : both / seen
}
