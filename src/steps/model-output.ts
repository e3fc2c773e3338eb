import type { ContentState } from './content.ts'

/** A tool call that a model asked for in its output. */
export interface RequestedCall {
  readonly id: string | null
  readonly name: string
  /** Decoded arguments; the text itself where it is not JSON; `undefined` where none are recorded. */
  readonly arguments: unknown
  /** The arguments are text that is not JSON, and not merely cut. */
  readonly malformed: boolean
  /** The arguments were cut by a length limit or redacted: nothing can be said of them. */
  readonly unseen: boolean
  /** The provider itself runs the call: no span of it can be expected. */
  readonly providerExecuted: boolean
}

/** The answer of a model, whichever way it was recorded. */
export interface ModelOutput {
  readonly state: ContentState
  /** The text parts joined, or `null` where no text part is recorded. */
  readonly text: string | null
  readonly calls: readonly RequestedCall[]
  /** The output holds something beside text and tool calls (reasoning, an image, an object). */
  readonly hasOtherParts: boolean
  /** Finish reasons inside the messages. */
  readonly finishReasons: readonly string[]
}

/** The output of a model of which nothing is seen, for the given reason. */
export function unseenOutput(state: ContentState): ModelOutput {
  return { state, text: null, calls: [], hasOtherParts: false, finishReasons: [] }
}
