import { CONTENT_LIMIT, type Content } from '../../steps/content.ts'
import type { ModelStep, Step } from '../../steps/step.ts'
import { isRecord, readContentParts } from './content-parts.ts'
import { readMessageTexts } from './message-texts.ts'
import { isWholeJsonText } from './text-state.ts'

/** What a recorded value may be read as. */
export interface Readings {
  /** The most likely first; none where the value is not to be judged. */
  readonly likely: readonly unknown[]
  /** The value as a text or in it, for who expects another type than the likely ones have. */
  readonly texts: readonly unknown[]
}

const NOT_JUDGED: Readings = { likely: [], texts: [] }

/**
 * Reads the result of a step in every way that a schema may speak of: the structured part of what a tool returned or
 * its wrapping, the JSON in the answer of a model or in the last message of an agent, and the texts that these are.
 */
export function readResult(step: Step): Readings {
  if (step.kind === 'model') return readAnswer(step)
  if (!step.output.seen || step.output.turnsOutCut) return NOT_JUDGED
  const output = readOutput(step.output)
  const messages = step.kind === 'tool' ? null : readMessageTexts(step.output.value)
  if (messages === null) return output
  const text = messages.texts.at(-1)
  if (text === undefined || messages.hasOtherParts) return NOT_JUDGED
  const { likely, texts } = readText(text)
  return likely.length === 0 ? NOT_JUDGED : { likely: [...likely, ...output.likely], texts }
}

/** What a model says beside the calls that it asks for is no result. */
function readAnswer(step: ModelStep): Readings {
  const { state, text, calls } = step.readOutput()
  if (state !== 'seen' || text === null || calls.length > 0 || text.length >= CONTENT_LIMIT) return NOT_JUDGED
  return readText(text)
}

function readText(text: string): Readings {
  if (!isWholeJsonText(text)) return NOT_JUDGED
  const [json] = parseJson(text)
  return json === undefined ? { likely: [text], texts: [] } : { likely: [json], texts: [text] }
}

function readOutput({ value, text }: Content): Readings {
  const inner = readParts(value)
  return {
    likely: [...inner.likely, value],
    // `42` and `true` are recorded as texts.
    texts: [...inner.texts, text, ...(text.length > 64 ? [] : parseJson(text))],
  }
}

function readParts(value: unknown): Readings {
  if (isRecord(value) && isRecord(value['structuredContent'])) {
    return { likely: [value['structuredContent']], texts: [] }
  }
  const parts = readContentParts(value)
  const [only, ...others] = parts?.texts ?? []
  if (parts === null || only === undefined || others.length > 0 || parts.hasOtherParts) return NOT_JUDGED
  return { likely: parseJson(only.text), texts: [only.text] }
}

function parseJson(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text) as unknown]
  } catch {
    return []
  }
}
