import { type CallSketch, MOST_FACTS, MOST_WORDS } from './call-sketch.ts'
import { HashList } from './hash-list.ts'
import { layOut, units } from './text-units.ts'

/** The most that a reader may be asked to read, in UTF-16 code units: 4,096. A word or a fact takes at least one. */
const MOST_READ = 4_096

/** Lent to one reader after the other. */
const words = new HashList(MOST_READ)
const facts = new HashList(MOST_READ)

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
  #bare = SEED
  #white = SEED

  /**
   * There is one reader at a time: what another one has read is gone.
   *
   * @param limit in UTF-16 code units, at most 4,096
   */
  constructor(limit: number) {
    this.#left = Math.min(limit, MOST_READ)
    words.cut(0)
    facts.cut(0)
  }

  get hasRoom(): boolean {
    return this.#left >= 0
  }

  /**
   * Adds a value that is compared as it is.
   *
   * @param text not empty
   * @param place a hash of where it stands
   */
  addFact(text: string, place: number): void {
    this.#left -= text.length
    if (this.#left >= 0) facts.add(hashText(place, text) & MASK)
  }

  /** Adds a text: its words and facts, or itself where it is short. */
  readText(text: string, place: number): void {
    this.#left -= text.length
    if (this.#left < 0 || text === '') return
    const wordsBefore = words.length
    const factsBefore = facts.length
    const lower = text.toLowerCase()
    const parts = this.#split(lower)
    if (parts >= FEWEST_PARTS || lower.trim() === '') return
    words.cut(wordsBefore)
    facts.cut(factsBefore)
    facts.add(hashText(place, lower) & MASK)
  }

  /** `null` where there was more than the limit. */
  take(): CallSketch | null {
    if (this.#left < 0) return null
    const { least: leastWords, count: wordCount } = words.takeLeast(MOST_WORDS)
    const { least: leastFacts, count: factCount } = facts.takeLeast(MOST_FACTS)
    return {
      words: leastWords,
      wordCount,
      facts: leastFacts,
      factCount,
      bare: this.#bare,
      white: this.#white,
    }
  }

  /** All that changes with each character is local to the loop, which is gone through at the end of every call. */
  #split(text: string): number {
    layOut(text)
    let bare = this.#bare
    let white = this.#white
    let part = 0
    let joint = 0
    let isFact = false
    let parts = 0
    let ideograph = 0
    // The 0 behind the text ends its last part.
    for (let at = 0; at <= text.length; at++) {
      let code = units[at] as number
      let kind = kindOf(code)
      if (kind <= DIGIT) {
        if (part === 0) {
          part = SEED
          isFact = false
        } else if (joint !== 0) {
          part = mix(part, joint)
          isFact = true
        }
        joint = 0
        // Most of a text is letters behind letters.
        do {
          if (kind === DIGIT) isFact = true
          bare = mix(bare, code)
          part = mix(part, code)
          code = units[++at] as number
          kind = kindOf(code)
        } while (kind <= DIGIT)
      }
      if (kind !== SPACE) bare = mix(bare, code)
      else if (at < text.length) white = mix(mix(white, bare), code)
      if (kind === JOINT || (kind === BRACKET && part !== 0)) joint = mix(joint, code)
      else if (kind !== BRACKET) {
        parts += addPart(part, joint, isFact)
        if (part !== 0) ideograph = 0
        part = joint = 0
        const next = kind === IDEOGRAPH ? code : 0
        parts += addIdeographs(ideograph, next)
        ideograph = next
      }
    }
    this.#bare = bare
    this.#white = white
    return parts
  }
}

function addPart(part: number, joint: number, isFact: boolean): number {
  if (part !== 0) {
    const list = isFact ? facts : words
    list.add(part & MASK)
    return 1
  }
  if (joint !== 0) facts.add(joint & MASK)
  return 0
}

/**
 * @param before 0 where no ideograph stands before
 * @param code 0 for a sign between ideographs
 */
function addIdeographs(before: number, code: number): number {
  if (before === 0 || code === 0) return 0
  words.add(mix(mix(SEED, before), code) & MASK)
  return 1
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

function kindOf(code: number): number {
  return code < 128 ? (classes[code] as number) : classOf(code)
}

/** Kana and ideographs are written without spaces; Hangul has them. */
function classOf(code: number): number {
  if ((code >= 0x30_41 && code <= 0x30_ff) || (code >= 0x34_00 && code <= 0x9f_ff)) return IDEOGRAPH
  if (code >= 0xff_10 && code <= 0xff_19) return DIGIT
  if ((code >= 0x20_00 && code <= 0x20_6f) || (code >= 0x30_00 && code <= 0x30_3f) || code >= 0xff_00)
    return BREAK
  return code === 0xa0 ? SPACE : LETTER
}
