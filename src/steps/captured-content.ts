import { canonicalJson } from './canonical-json.ts'
import { Content, CONTENT_LIMIT } from './content.ts'
import { type ModelOutput, unseenOutput } from './model-output.ts'
import type { Step } from './step.ts'

/** Content that the program hands to the checks and that no span records. What is `undefined` was not handed over. */
export interface CapturedContent {
  /** Arguments of a tool, query of a retrieval, messages of a model, input of anything else. */
  readonly input?: unknown
  /** Result of a tool, documents of a retrieval, answer of a model, output of anything else. */
  readonly output?: unknown
}

/** Stands for an attribute key where a content was captured. */
export const CAPTURED_KEY = 'captured'

const SOURCE = { key: CAPTURED_KEY, dialect: 'agent-reach', version: '1' } as const

/**
 * A step whose content is completed by what was captured of it. Content that the span records itself stands, so that
 * every reader of the span judges the same. `captured` is true where something was added.
 */
export function withCaptured(step: Step, { input, output }: CapturedContent): Step {
  const addsInput = input !== undefined && step.input.key === null
  const addsOutput = output !== undefined && step.output.key === null && !hasOutput(step)
  if (!addsInput && !addsOutput) return step
  const captured = {
    captured: true,
    marks: [],
    digests: null,
    ...(addsInput && { input: toContent(input, 'input') }),
    ...(addsOutput && { output: toContent(output, 'output') }),
  }
  if (step.kind !== 'model' || !addsOutput) return { ...step, ...captured }
  const answer = toModelOutput(toContent(output, 'output'))
  return { ...step, ...captured, readOutput: () => answer }
}

function hasOutput(step: Step): boolean {
  return step.kind === 'model' && step.readOutput().state !== 'absent'
}

/** As text, the way an instrumentation would have recorded it; a large value is cut and then seen in part. */
function toContent(value: unknown, field: 'input' | 'output'): Content {
  return Content.recorded(typeof value === 'string' ? value : toJsonText(value), { field, ...SOURCE })
}

function toJsonText(value: unknown): string {
  const bounded = canonicalJson(value, CONTENT_LIMIT)
  if (bounded.length > CONTENT_LIMIT) return bounded
  try {
    return JSON.stringify(value) ?? bounded
  } catch {
    return bounded
  }
}

function toModelOutput(content: Content): ModelOutput {
  return content.seen ? { ...unseenOutput('seen'), text: content.text } : unseenOutput(content.state)
}
