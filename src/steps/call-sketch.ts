/**
 * What a call is compared by where it may be near-equal to another: hashes alone, at most 64 of them. Facts are what
 * cannot be put in other words (numbers, names, paths, short values), words are the rest.
 */
export interface CallSketch {
  /** In ascending order, the least 44 where there are more. */
  readonly words: readonly number[]
  readonly wordCount: number
  /** In ascending order, the least 18 where there are more. */
  readonly facts: readonly number[]
  readonly factCount: number
  /** Of the texts without their white space. */
  readonly bare: number
  /** Of their white space and where it stands. */
  readonly white: number
}

/** Hashes of facts that are kept at most: 18. */
export const MOST_FACTS = 18

/** Hashes of words that are kept at most: 44. */
export const MOST_WORDS = 44
