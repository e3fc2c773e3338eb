import type { Field, FieldKey } from './field-key.ts'

/** `@lmnr-ai/lmnr` in which these keys were read. */
const VERSION = '0.8.46'

const INPUT = 'lmnr.span.input'
const OUTPUT = 'lmnr.span.output'

/**
 * Keys of Laminar beside those of the GenAI conventions and of the AI SDK, under which it records model and tool calls.
 * Within a field the first key that a span carries wins.
 */
export const laminarKeys: readonly FieldKey[] = (
  [
    ['agent.name', 'ai.functionId'],
    ['call.arguments', INPUT],
    ['call.result', OUTPUT],
    ['input', INPUT],
    ['output', OUTPUT],
    ['session.id', 'lmnr.association.properties.session_id'],
    ['sequence', 'ai.step.number'],
    ['error.message', 'ai.toolCall.error'],
    ['usage.origin', 'lmnr.span.type'],
  ] as readonly (readonly [Field, string])[]
).map(([field, key]) => ({ field, key, dialect: 'laminar', version: VERSION }))

/** The kind of a span, `lmnr.span.type`. */
export const LAMINAR_SPAN_TYPE = 'lmnr.span.type'

/** Kind of a step by the value of `lmnr.span.type`. */
export const laminarSpanKinds: Readonly<Record<string, string>> = {
  DEFAULT: 'workflow',
  LLM: 'model',
  TOOL: 'tool',
  EXECUTOR: 'workflow',
  EVALUATOR: 'evaluation',
  HUMAN_EVALUATOR: 'evaluation',
  EVALUATION: 'evaluation',
}

/** The value of `lmnr.span.type` where the answer of an earlier run was replayed: what it used was used then. */
export const LAMINAR_CACHED = 'CACHED'

/** What a span whose answer was replayed is otherwise; without it, the call of a model. */
export const LAMINAR_ORIGINAL_TYPE = 'lmnr.span.original_type'

/** What a span of type `DEFAULT` stands for in the AI SDK 7: a value of its operations. */
export const LAMINAR_AI_SDK_OPERATION = 'ai.operation'

/** What a span of type `DEFAULT` stands for in Mastra: a value of its span types. */
export const LAMINAR_MASTRA_SPAN_TYPE = 'lmnr.internal.mastra.span_type'

/** Keys of a function that the program wraps without saying of what type it is. */
export const laminarTelltales: readonly string[] = [INPUT, OUTPUT]
