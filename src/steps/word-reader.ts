import { type CallSketch, MOST_FACTS, MOST_WORDS } from './call-sketch.ts'

/** Parts of a text that has fewer are a value, and not said in words. */
const FEWEST_PARTS = 3

const SPACE = 0
const LETTER = 1
const DIGIT = 2
const JOINT = 3
const BREAK = 4
const IDEOGRAPH = 5
const BRACKET = 6

/** Of ASCII: what a character does to the part of a text that it stands in. */
const classes: readonly number[] = Array.from({ length: 128 }, (_, code) => {
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
 * it (`src/a.ts`, `is_open`, `f(x)`) is a fact. Where no spaces stand between words, each two neighbours are one.
 */
export class WordReader {
  #left: number
  readonly #words: number[] = []
  readonly #facts: number[] = []
  #bare = SEED
  #white = SEED
  #signs = 0
  #part = 0
  #isPart = false
  #isFact = false
  #joint = 0
  #ideograph = 0
  #parts = 0

  /** @param limit in UTF-16 code units */
  constructor(limit: number) {
    this.#left = limit
  }

  get hasRoom(): boolean {
    return this.#left >= 0
  }

  /** Adds a value that is compared as it is. */
  addFact(text: string, key: string): void {
    this.#left -= text.length
    this.#facts.push(mixText(mixText(SEED, key), text) & MASK)
  }

  readText(text: string, key: string): void {
    this.#left -= text.length
    if (this.#left < 0 || text === '') return
    const wordsBefore = this.#words.length
    const factsBefore = this.#facts.length
    this.#parts = 0
    const lower = text.toLowerCase()
    for (let at = 0; at < lower.length; at++) this.#step(lower.charCodeAt(at))
    this.#endPart()
    this.#ideograph = 0
    if (this.#parts >= FEWEST_PARTS || lower.trim() === '') return
    this.#words.length = wordsBefore
    this.#facts.length = factsBefore
    this.#facts.push(mixText(mixText(SEED, key), lower) & MASK)
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

  #step(code: number): void {
    const kind = code < 128 ? (classes[code] as number) : classOf(code)
    if (kind === SPACE) {
      this.#white = mix(mix(this.#white, this.#signs), code)
    } else {
      this.#signs++
      this.#bare = mix(this.#bare, code)
    }
    if (kind !== IDEOGRAPH) this.#ideograph = 0
    if (kind === LETTER || kind === DIGIT) this.#extend(code, kind === DIGIT)
    else if (kind === JOINT) this.#joint = mix(this.#joint, code)
    else if (kind === BRACKET) this.#joint = this.#isPart ? mix(this.#joint, code) : this.#joint
    else {
      this.#endPart()
      if (kind === IDEOGRAPH) this.#addIdeograph(code)
    }
  }

  #extend(code: number, isDigit: boolean): void {
    if (!this.#isPart) {
      this.#isPart = true
      this.#part = SEED
      this.#isFact = false
      this.#joint = 0
    } else if (this.#joint !== 0) {
      this.#part = mix(this.#part, this.#joint)
      this.#isFact = true
      this.#joint = 0
    }
    if (isDigit) this.#isFact = true
    this.#part = mix(this.#part, code)
  }

  /** Signs that stand alone (`>=`, `&&`) are a fact, those at the ends of a part are nothing. */
  #endPart(): void {
    if (this.#isPart) {
      const parts = this.#isFact ? this.#facts : this.#words
      parts.push(this.#part & MASK)
      this.#parts++
    } else if (this.#joint !== 0) {
      this.#facts.push(this.#joint & MASK)
    }
    this.#isPart = false
    this.#joint = 0
  }

  #addIdeograph(code: number): void {
    if (this.#ideograph !== 0) {
      this.#words.push(mix(mix(SEED, this.#ideograph), code) & MASK)
      this.#parts++
    }
    this.#ideograph = code
  }
}

/** So that a hash is a small integer of the engine, which takes no memory of its own. */
const MASK = 0x3fffffff

function mix(hash: number, code: number): number {
  return Math.imul(hash ^ code, PRIME) ^ (hash >>> 15)
}

function mixText(hash: number, text: string): number {
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
  if (values.length > 24) values = Array.from(Int32Array.from(values).sort())
  else insertionSort(values)
  let kept = 0
  for (let at = 0; at < values.length; at++) {
    if (at === 0 || values[at] !== values[kept - 1]) values[kept++] = values[at] as number
  }
  values.length = kept
  return values
}

function insertionSort(values: number[]): void {
  for (let at = 1; at < values.length; at++) {
    const value = values[at] as number
    let to = at
    while (to > 0 && (values[to - 1] as number) > value) values[to] = values[--to] as number
    values[to] = value
  }
}
