import type { StoreFault } from './report-store.ts'
import type { JudgeSettings, JudgeTask } from './trace-judge.ts'

/** What the thread is given when it starts. */
export interface JudgeThreadData {
  /** The file of the store. */
  readonly store: string
  readonly settings: JudgeSettings
}

/** What is asked of the thread. */
export type JudgeQuestion = { readonly number: number } & (
  | { readonly task: JudgeTask }
  | { readonly preview: string }
)

/** What failed in the thread; an error does not come across with its class. */
export interface JudgeFailure {
  readonly message: string
  readonly stack: string
  /** What the store said, if it was the store. */
  readonly fault: StoreFault | null
}

/** What the thread answers. */
export type JudgeReply = { readonly number: number } & (
  | { readonly result: unknown }
  | { readonly failure: JudgeFailure }
)
