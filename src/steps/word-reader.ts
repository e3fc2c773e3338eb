import { type CallSketch, MOST_FACTS, MOST_WORDS } from './call-sketch.ts'

/** Parts of a text that has fewer are a value, and not said in words. */
const FEWEST_PARTS = 3

const LETTER = 0
const DIGIT = 1
const SPACE = 2
const JOINT = 3
const BRACKET = 4
const BREAK = 5
const IDEOGRAPH = 6

/** Of ASCII: what a character does to the part of a text that it stands in. */
const classes = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code)
  if (code <= 32) return SPACE
  if (/[a-z]/iu.test(sign)) return LETTER
  if (/\d/u.test(sign)) return DIGIT
  if (/[()[\]{}]/u.test(sign)) return BRACKET
  return /["'`,;!?-]/u.test(sign) ? BREAK : JOINT
})

const SEED = 0x1505
const PRIME = 0x01000193

/**
 * Splits texts into words and facts, and hashes them. A part of letters is a word; one with a digit or with a sign in
 * it (`src/a.ts`, `is_open`, `f(x)`) is a fact, and so are signs that stand alone (`>=`). Where no spaces stand between
 * words, each two neighbours are one.
 */
export class WordReader {
  #left: number
  readonly #words: number[] = []
  readonly #facts: number[] = []
  #bare = SEED
  #white = SEED
  #ideograph = 0

  /** @param limit in UTF-16 code units */
  constructor(limit: number) {
    this.#left = limit
  }

  get hasRoom(): boolean {
    return this.#left >= 0
  }

  /**
   * Adds a value that is compared as it is.
   *
   * @param place a hash of where it stands
   */
  addFact(text: string, place: number): void {
    this.#left -= text.length
    this.#facts.push(hashText(place, text) & MASK)
  }

  /** Adds a text: its words and facts, or itself where it is short. */
  readText(text: string, place: number): void {
    this.#left -= text.length
    if (this.#left < 0 || text === '') return
    const wordsBefore = this.#words.length
    const factsBefore = this.#facts.length
    const lower = text.toLowerCase()
    const parts = this.#split(lower)
    if (parts >= FEWEST_PARTS || lower.trim() === '') return
    this.#words.length = wordsBefore
    this.#facts.length = factsBefore
    this.#facts.push(hashText(place, lower) & MASK)
  }

  /** `null` where there was more than the limit. */
  take(): CallSketch | null {
    if (this.#left < 0) return null
    const words = sortedSet(this.#words)
    const facts = sortedSet(this.#facts)
    return {
      words: words.length > MOST_WORDS ? words.slice(0, MOST_WORDS) : words,
      wordCount: words.length,
      facts: facts.length > MOST_FACTS ? facts.slice(0, MOST_FACTS) : facts,
      factCount: facts.length,
      bare: this.#bare,
      white: this.#white,
    }
  }

  /** All that changes with each character is local to the loop, which is gone through at the end of every call. */
  #split(text: string): number {
    let bare = this.#bare
    let part = 0
    let joint = 0
    let isFact = false
    let parts = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      const kind = code < 128 ? (classes[code] as number) : classOf(code)
      if (kind === SPACE) this.#white = mix(mix(this.#white, bare), code)
      else bare = mix(bare, code)
      if (kind <= DIGIT) {
        if (part === 0) {
          part = SEED
          isFact = false
        } else if (joint !== 0) {
          part = mix(part, joint)
          isFact = true
        }
        joint = 0
        if (kind === DIGIT) isFact = true
        part = mix(part, code)
      } else if (kind === JOINT || (kind === BRACKET && part !== 0)) {
        joint = mix(joint, code)
      } else if (kind !== BRACKET) {
        parts += this.#add(part, joint, isFact)
        part = joint = 0
        parts += this.#addIdeograph(kind === IDEOGRAPH ? code : 0)
      }
    }
    this.#bare = bare
    parts += this.#add(part, joint, isFact)
    this.#ideograph = 0
    return parts
  }

  #add(part: number, joint: number, isFact: boolean): number {
    if (part !== 0) {
      this.#ideograph = 0
      if (isFact) this.#facts.push(part & MASK)
      else this.#words.push(part & MASK)
      return 1
    }
    if (joint !== 0) this.#facts.push(joint & MASK)
    return 0
  }

  /** @param code 0 for a sign between ideographs */
  #addIdeograph(code: number): number {
    const before = this.#ideograph
    this.#ideograph = code
    if (before === 0 || code === 0) return 0
    this.#words.push(mix(mix(SEED, before), code) & MASK)
    return 1
  }
}

/** So that a hash is a small integer of the engine, which takes no memory of its own. */
const MASK = 0x3fffffff

/** Goes on with a hash by one number. */
export function mix(hash: number, code: number): number {
  return Math.imul(hash ^ code, PRIME) ^ (hash >>> 15)
}

/** Goes on with a hash by a text. */
export function hashText(hash: number, text: string): number {
  let mixed = hash
  for (let at = 0; at < text.length; at++) mixed = mix(mixed, text.charCodeAt(at))
  return mix(mixed, 0)
}

/** Kana and ideographs are written without spaces; Hangul has them. */
function classOf(code: number): number {
  if ((code >= 0x30_41 && code <= 0x30_ff) || (code >= 0x34_00 && code <= 0x9f_ff)) return IDEOGRAPH
  if (code >= 0xff_10 && code <= 0xff_19) return DIGIT
  if ((code >= 0x20_00 && code <= 0x20_6f) || (code >= 0x30_00 && code <= 0x30_3f) || code >= 0xff_00)
    return BREAK
  return code === 0xa0 ? SPACE : LETTER
}

/** Sorts in place, each value once. Most lists are short. */
function sortedSet(values: number[]): number[] {
  if (values.length > 24) sortLong(values)
  else sortShort(values)
  let kept = 0
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number
    if (at === 0 || value !== values[kept - 1]) values[kept++] = value
  }
  values.length = kept
  return values
}

function sortLong(values: number[]): void {
  const sorted = new Int32Array(values).sort()
  for (let at = 0; at < sorted.length; at++) values[at] = sorted[at] as number
}

function sortShort(values: number[]): void {
  for (let at = 1; at < values.length; at++) {
    const value = values[at] as number
    let to = at
    while (to > 0 && (values[to - 1] as number) > value) values[to] = values[--to] as number
    values[to] = value
  }
}
