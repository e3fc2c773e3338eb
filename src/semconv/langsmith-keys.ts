import type { Field, FieldKey } from './field-key.ts'

const VERSION = 'langsmith 0.12.0'
const LANGCHAIN = 'langchain 1.5.14'

/** The type of a run, `langsmith.span.kind`. */
export const LANGSMITH_SPAN_KIND = 'langsmith.span.kind'

/** The counts and the cost of a run: a JSON object. */
const USAGE = 'langsmith.usage_metadata'

/** Its details where a run's output has no `usage_metadata` of its own name: JSON objects. */
const INPUT_DETAILS = 'gen_ai.usage.input_token_details'
const OUTPUT_DETAILS = 'gen_ai.usage.output_token_details'

/** The inputs and outputs of a run: JSON objects, whatever the run is. */
const INPUTS = 'gen_ai.prompt'
const OUTPUTS = 'gen_ai.completion'

/** A run that failed has no outputs. */
export const LANGSMITH_OUTPUTS: string = OUTPUTS

/** The type of the exception event by which LangSmith tells of an error, whatever was thrown. */
export const LANGSMITH_EXCEPTION_TYPE = 'Error'

/**
 * Keys of LangSmith in OpenTelemetry mode. It fills the older GenAI keys with the inputs and outputs of runs, which
 * is told by its own kind on the same span; the other GenAI keys it fills as the conventions say. `session_id` of the
 * metadata is a conversation, the `session_id` of the trace is the project. Within a field the first key that a span
 * carries wins.
 */
export const langsmithKeys: readonly FieldKey[] = [
  row('node.name', 'langsmith.trace.name'),
  run('call.arguments', INPUTS, ['input']),
  run('call.result', OUTPUTS, ['output.kwargs.content', 'output', 'outputs']),
  run('input', INPUTS, ['input']),
  run('output', OUTPUTS, ['output', 'outputs']),
  run('retrieval.query', INPUTS, ['query', 'input']),
  run('retrieval.documents', OUTPUTS, ['documents', 'output', 'outputs']),
  row('provider', 'langsmith.metadata.ls_provider', LANGCHAIN),
  row('model.request', 'langsmith.metadata.ls_model_name', LANGCHAIN),
  row('session.id', 'langsmith.metadata.session_id'),
  row('session.id', 'langsmith.metadata.thread_id'),
  row('session.id', 'langsmith.metadata.conversation_id'),
  member('tokens.cache_read', INPUT_DETAILS, 'cache_read'),
  member('tokens.cache_write', INPUT_DETAILS, 'cache_creation'),
  member('tokens.reasoning', OUTPUT_DETAILS, 'reasoning'),
  member('tokens.input', USAGE, 'input_tokens'),
  member('tokens.output', USAGE, 'output_tokens'),
  member('tokens.total', USAGE, 'total_tokens'),
  member('tokens.cache_read', USAGE, 'input_token_details.cache_read'),
  member('tokens.cache_write', USAGE, 'input_token_details.cache_creation'),
  member('tokens.reasoning', USAGE, 'output_token_details.reasoning'),
  member('cost.total', USAGE, 'total_cost'),
  member('cost.input', USAGE, 'input_cost'),
  member('cost.output', USAGE, 'output_cost'),
]

function row(field: Field, key: string, version: string = VERSION): FieldKey {
  return { field, key, dialect: 'langsmith', version }
}

function run(field: Field, key: string, wrappers: readonly string[]): FieldKey {
  return { ...row(field, key), wrappers, beside: LANGSMITH_SPAN_KIND }
}

function member(field: Field, key: string, name: string): FieldKey {
  return { ...row(field, key), member: name }
}

/**
 * Kind of a step by the type of a run. The recorded operation is no help: it is `embeddings` for a retriever and
 * `chat` for a prompt, which only fills in a template.
 */
export const langsmithRunKinds: Readonly<Record<string, string>> = {
  llm: 'model',
  embedding: 'model',
  tool: 'tool',
  retriever: 'retrieval',
  chain: 'workflow',
  prompt: 'workflow',
  parser: 'workflow',
}

/** Keys of spans that are runs, whatever they are. Names of projects and metadata may stand on any span. */
export const langsmithTelltales: readonly string[] = ['langsmith.span.id', 'langsmith.traceable']
