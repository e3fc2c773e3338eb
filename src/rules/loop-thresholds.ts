/** When equal calls are a loop. */
export interface LoopThresholds {
  /** So many equal calls of a node are a warning. */
  readonly repeats: number
  /** So many are an error. */
  readonly stopAt: number
  /** Only the last so many calls of the node count. */
  readonly window: number
}

/** Warn at 3 equal calls, error at 5, among the last 20 calls of the node. */
export const defaultLoopThresholds: LoopThresholds = { repeats: 3, stopAt: 5, window: 20 }
