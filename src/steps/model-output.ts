import { CONTENT_LIMIT, type ContentState, isRedacted } from './content.ts'
import { toFinishReason } from './finish-reason.ts'

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
  /** The text parts joined, at most {@link CONTENT_LIMIT} long; `null` where none is recorded or can be read. */
  readonly text: string | null
  readonly calls: readonly RequestedCall[]
  /** The output holds something beside text and tool calls (reasoning, an image, an object), or is not seen whole. */
  readonly hasOtherParts: boolean
  /** Finish reasons inside the messages, in one spelling. */
  readonly finishReasons: readonly string[]
}

/** The output of a model of which nothing can be read, for the given reason. */
export function unseenOutput(state: ContentState): ModelOutput {
  const hasOtherParts = state === 'partial' || state === 'truncated'
  return { state, text: null, calls: [], hasOtherParts, finishReasons: [] }
}

/** The parts of an answer, as a dialect collects them. */
export interface OutputParts {
  readonly texts: string[]
  readonly calls: RequestedCall[]
  readonly finishReasons: string[]
  hasOtherParts: boolean
  /** A text was cut by a length limit. */
  cut: boolean
}

/** An answer of which no part is collected yet. */
export function createOutputParts(): OutputParts {
  return { texts: [], calls: [], finishReasons: [], hasOtherParts: false, cut: false }
}

/**
 * Joins the collected parts.
 *
 * @param missing what an answer without any part is: `seen` where it is recorded as empty, else why it is not there
 */
export function joinOutput(parts: OutputParts, missing: ContentState = 'seen'): ModelOutput {
  const { texts, calls, hasOtherParts } = parts
  const redacted = texts.length > 0 && texts.every(isRedacted)
  const text = texts.length === 0 || redacted ? null : texts.join('\n')
  const isEmpty = texts.length === 0 && calls.length === 0 && !hasOtherParts
  return {
    state: redacted ? 'redacted' : isEmpty ? missing : stateOf(text, parts.cut),
    text: text?.slice(0, CONTENT_LIMIT) ?? null,
    calls,
    hasOtherParts,
    finishReasons: parts.finishReasons.map(toFinishReason),
  }
}

function stateOf(text: string | null, cut: boolean): ContentState {
  if (cut) return 'truncated'
  return text !== null && text.length > CONTENT_LIMIT ? 'partial' : 'seen'
}
