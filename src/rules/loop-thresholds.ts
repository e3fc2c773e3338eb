/** When equal calls are a loop. */
export interface LoopThresholds {
  /** So many equal calls of a node are a warning. */
  readonly repeats: number
  /** So many are an error. */
  readonly stopAt: number
  /** Only the last so many calls of the node count. */
  readonly window: number
  /** The share of words that near-equal calls have in common, from 0 to 1; `null` where these are not looked for. */
  readonly similar: number | null
  /** The most calls that one round of a cycle may have; 0 or 1 where these are not looked for. */
  readonly cycles: number
}

/** Warn at 3 equal calls, error at 5, among the last 20 calls of the node; near-equal from 0.6, rounds of up to 5 calls. */
export const defaultLoopThresholds: LoopThresholds = {
  repeats: 3,
  stopAt: 5,
  window: 20,
  similar: 0.6,
  cycles: 5,
}
