import type { Field, FieldKey } from './field-key.ts'

const SDK = 'braintrust 3.35.0'
const INGEST = 'OpenTelemetry ingest of 2026-11'

/** The attributes of a span that are no content: JSON objects, or a key for each of their members. */
const METADATA = 'braintrust.metadata'
const METRICS = 'braintrust.metrics'

/** What a span is, by `type`, and what it is called, by `name`. */
export const BRAINTRUST_SPAN_ATTRIBUTES = 'braintrust.span_attributes'

/** Where the type of a span stands: the member of the attributes, or a key of its own. */
export const BRAINTRUST_TYPE = 'type'
export const BRAINTRUST_SPAN_TYPE = 'braintrust.span_attributes.type'

/**
 * Keys by which Braintrust takes the fields of its own spans. Its processor adds none of them, only where a span
 * belongs: they are written by hand, or by SDKs of Braintrust in other languages. Content under keys that end in
 * `_json` must parse. Within a field the first key that a span carries wins.
 */
export const braintrustKeys: readonly FieldKey[] = [
  ...content('call.arguments', 'braintrust.input'),
  ...content('call.result', 'braintrust.output'),
  ...content('input', 'braintrust.input'),
  ...content('output', 'braintrust.output'),
  ...rows('node.name', BRAINTRUST_SPAN_ATTRIBUTES, 'name'),
  ...rows('model.request', METADATA, 'model'),
  ...rows('provider', METADATA, 'provider'),
  ...rows('tool.definitions', METADATA, 'tools'),
  ...rows('session.id', METADATA, 'session_id', INGEST),
  ...rows('session.id', METADATA, 'conversation_id', INGEST),
  ...rows('session.id', METADATA, 'thread_id', INGEST),
  ...rows('tokens.input', METRICS, 'prompt_tokens'),
  ...rows('tokens.output', METRICS, 'completion_tokens'),
  ...rows('tokens.total', METRICS, 'tokens'),
  ...rows('tokens.cache_read', METRICS, 'prompt_cached_tokens'),
  ...rows('tokens.cache_write', METRICS, 'prompt_cache_creation_tokens'),
  ...rows('tokens.reasoning', METRICS, 'completion_reasoning_tokens'),
  ...rows('cost.total', METRICS, 'estimated_cost', INGEST),
  ...rows('first_token.seconds', METRICS, 'time_to_first_token'),
]

function rows(field: Field, key: string, member: string, version: string = SDK): readonly FieldKey[] {
  const row = { field, dialect: 'braintrust', version } as const
  return [
    { ...row, key: `${key}.${member}` },
    { ...row, key, member },
  ]
}

function content(field: Field, key: string): readonly FieldKey[] {
  const row = { field, dialect: 'braintrust', version: INGEST } as const
  return [
    { ...row, key: `${key}_json`, json: true },
    { ...row, key },
  ]
}

/** Kind of a step by the type of a span. An `eval` holds the run of a case, a `score` is what judges it. */
export const braintrustSpanKinds: Readonly<Record<string, string>> = {
  llm: 'model',
  tool: 'tool',
  function: 'workflow',
  task: 'workflow',
  eval: 'workflow',
  automation: 'workflow',
  preprocessor: 'workflow',
  facet: 'evaluation',
  score: 'evaluation',
  classifier: 'evaluation',
  review: 'evaluation',
}

/**
 * Keys that tell the kind of a span whose type is not recorded. Where a span belongs (`braintrust.parent`,
 * `braintrust.context_json`) is written on every span of the program, and tells nothing.
 */
export const braintrustTelltales: readonly (readonly [key: string, kind: string])[] = [
  ['braintrust.scores', 'evaluation'],
  ['braintrust.input_json', 'workflow'],
  ['braintrust.output_json', 'workflow'],
  ['braintrust.input', 'workflow'],
  ['braintrust.output', 'workflow'],
]
