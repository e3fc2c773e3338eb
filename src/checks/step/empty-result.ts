import type { Finding } from '../../findings/finding.ts'
import { createFinding } from '../../findings/create-finding.ts'
import type { Content } from '../../steps/content.ts'
import type { ModelStep, PlainStep, Step, ToolStep } from '../../steps/step.ts'
import { mayHoldParts, readContentParts } from './content-parts.ts'
import { judgeDeclaredOutput } from './declared-output.ts'
import { holdsList, isBlank, isEmptyText, isEmptyValue } from './empty-value.ts'
import { endedBy } from './finish-reasons.ts'
import { readMessageTexts } from './message-texts.ts'
import type { StepCheck } from './step-check.ts'

/** Finish reasons that explain an answer without text. */
const OTHER_ENDS = ['tool_calls', 'length', 'content_filter']

/** A result that was recorded, and holds nothing. A failed step says so by its error alone. */
export const emptyResult: StepCheck = {
  name: 'empty-result',
  check(step) {
    if (step.error !== null) return []
    switch (step.kind) {
      case 'model':
        return isEmptyAnswer(step) ? [finding(step)] : []
      case 'agent':
        return isEmptyOutcome(step) ? [finding(step)] : []
      case 'tool':
        return isEmptyOutput(step) && !isRefusedBySchema(step) ? [finding(step)] : []
      case 'retrieval':
        return isEmptyOutput(step) ? [finding(step)] : []
      default:
        return []
    }
  },
}

/** True where the result of a step was recorded and holds nothing, whatever kind of step it is. */
export function holdsNothing(step: Step): boolean {
  switch (step.kind) {
    case 'model':
      return isEmptyAnswer(step)
    case 'tool':
    case 'retrieval':
      return isEmptyOutput(step)
    default:
      return isEmptyOutcome(step)
  }
}

/**
 * A tool that returns nothing at all is mostly one that has nothing to return (a write, a quiet command). One that
 * returns an empty list was asked for entries and found none, which may be an answer, too.
 */
function finding(step: Step): Finding {
  const { spanId } = step
  if (step.kind !== 'tool') return createFinding({ code: 'empty_result', spanId })
  const { value } = step.output
  const payload = readContentParts(value)?.texts.map(({ text }) => text) ?? [value]
  return createFinding({ code: 'empty_result', spanId, severity: payload.some(holdsList) ? 'warn' : 'info' })
}

function isEmptyAnswer(step: ModelStep): boolean {
  const { state, text, calls, hasOtherParts } = step.readOutput()
  if (state !== 'seen' || text === null || !isBlank(text) || calls.length > 0 || hasOtherParts) return false
  return !OTHER_ENDS.some((reason) => endedBy(step, reason))
}

/** The final text of an agent is blank, too, where it ended with a call that the client is to run. */
function isEmptyOutcome(step: PlainStep): boolean {
  const { output, finishReasons } = step
  if (!output.seen || OTHER_ENDS.some((reason) => finishReasons.includes(reason))) return false
  const messages = readMessageTexts(output.value)
  if (messages === null) return isEmptyValue(output.value)
  return !messages.hasOtherParts && messages.texts.length > 0 && messages.texts.every(isBlank)
}

/** What does not fit its declared schema is told by that. */
function isRefusedBySchema(step: ToolStep): boolean {
  return (judgeDeclaredOutput(step) ?? []).length > 0
}

/**
 * How a text of JSON ends whose last scalar is content: a word or a number at the end of a string, before which no
 * backslash stands (`\n` is white space), or a boolean or an integer that is not 0.
 */
const LAST_SCALAR =
  /(?:[^\\A-Za-z\d\u3040-\uD7FF][A-Za-z\d\u3040-\uD7FF]+"|[:,[\s](?:true|false|-?[1-9]\d*))[\s\]}]*$/u

/** Longer than most last words and all that closes behind them, in UTF-16 code units. */
const LAST_LENGTH = 32

/** True for a short text of JSON that holds something by the look of its end: what stands last is never overwritten. */
function endsWithContent(output: Content): boolean {
  return output.outline !== null && LAST_SCALAR.test(output.text.slice(-LAST_LENGTH)) && !mayHoldParts(output)
}

function isEmptyOutput(step: ToolStep | PlainStep): boolean {
  const { output } = step
  if (!output.seen || output.isLong || endsWithContent(output)) return false
  const { value } = output
  if (typeof value === 'string') return isEmptyText(value)
  const parts = readContentParts(value)
  if (parts === null) return isEmptyValue(value)
  const { texts, hasOtherParts, structured } = parts
  return (
    !hasOtherParts &&
    isEmptyValue(structured) &&
    texts.every(({ text }) => isEmptyText(text) || isEmptyValue(text))
  )
}
