import type { Field, FieldKey } from './field-key.ts'

/** `@langfuse/tracing` and `@langfuse/core` in which these keys were read. */
const VERSION = '5.11.1'

const INPUT = 'langfuse.observation.input'
const OUTPUT = 'langfuse.observation.output'
const USAGE = 'langfuse.observation.usage_details'
const COST = 'langfuse.observation.cost_details'

/**
 * Keys of Langfuse. Usage and cost are JSON objects whose members anybody may name: those of its own integrations for
 * OpenAI and LangChain come first, then those of the providers. Within a field the first that a span carries wins.
 */
export const langfuseKeys: readonly FieldKey[] = (
  [
    ['call.arguments', INPUT],
    ['call.result', OUTPUT],
    ['input', INPUT],
    ['output', OUTPUT],
    ['model.request', 'langfuse.observation.model.name'],
    ['session.id', 'langfuse.session.id'],
    ['error.level', 'langfuse.observation.level'],
    ['error.message', 'langfuse.observation.status_message'],
    ['first_token.time', 'langfuse.observation.completion_start_time'],
    ...members('tokens.input', USAGE, [
      'input',
      'promptTokens',
      'input_tokens',
      'prompt_tokens',
      'inputTokens',
    ]),
    ...members('tokens.output', USAGE, [
      'output',
      'completionTokens',
      'output_tokens',
      'completion_tokens',
      'outputTokens',
    ]),
    ...members('tokens.total', USAGE, ['total', 'totalTokens', 'total_tokens']),
    ...members('tokens.cache_read', USAGE, [
      'input_cached_tokens',
      'input_cache_read',
      'cache_read_input_tokens',
      'cached_tokens',
      'cachedInputTokens',
    ]),
    ...members('tokens.cache_write', USAGE, ['input_cache_creation', 'cache_creation_input_tokens']),
    ...members('tokens.reasoning', USAGE, [
      'output_reasoning_tokens',
      'output_reasoning',
      'reasoning_tokens',
      'reasoningTokens',
    ]),
    ...members('cost.total', COST, ['total', '*']),
  ] as readonly (readonly [Field, string, string?])[]
).map(([field, key, member]) => ({
  field,
  key,
  dialect: 'langfuse',
  version: VERSION,
  ...(member !== undefined && { member }),
  // What a tool of LangChain answers with is recorded as it is.
  ...(key === OUTPUT && { langchainMessage: true as const }),
}))

function members(field: Field, key: string, names: readonly string[]): (readonly [Field, string, string])[] {
  return names.map((name) => [field, key, name])
}

/** The level of an observation that failed, in `langfuse.observation.level`. */
export const LANGFUSE_ERROR_LEVEL = 'ERROR'

/** The kind of a span, `langfuse.observation.type`. */
export const LANGFUSE_OBSERVATION_TYPE = 'langfuse.observation.type'

/** Kind of a step by the value of `langfuse.observation.type`. */
export const langfuseObservationKinds: Readonly<Record<string, string>> = {
  span: 'workflow',
  generation: 'model',
  event: 'workflow',
  embedding: 'model',
  agent: 'agent',
  tool: 'tool',
  chain: 'workflow',
  retriever: 'retrieval',
  evaluator: 'evaluation',
  guardrail: 'guardrail',
}

/** Keys that tell the kind of a span of Langfuse whose type is not recorded, the surest first. */
export const langfuseTelltales: readonly (readonly [key: string, kind: string])[] = [
  ['langfuse.observation.model.name', 'model'],
  [USAGE, 'model'],
  [INPUT, 'workflow'],
  [OUTPUT, 'workflow'],
]

/** The member of an input of a model that holds the tools it was offered, as the integration for OpenAI records it. */
export const LANGFUSE_INPUT_TOOLS = 'tools'
