import type { Field, FieldKey } from './field-key.ts'

const NOW = 'v0.1.0'
const CORE = 'semconv 1.41'
const OLD = 'semconv 1.27'
const VENDOR = 'not in a release'

/**
 * Keys of the OpenTelemetry GenAI conventions (open-telemetry/semantic-conventions-genai v0.1.0), the names they
 * had in the core conventions before the move, and the spellings of theirs that are in use without a release.
 * Within a field the first key that a span carries wins.
 */
export const genAiKeys: readonly FieldKey[] = rows([
  ['agent.name', 'gen_ai.agent.name', NOW],
  ['agent.name', 'gen_ai.workflow.name', CORE],
  ['tool.name', 'gen_ai.tool.name', NOW],
  ['call.id', 'gen_ai.tool.call.id', NOW],
  ['call.arguments', 'gen_ai.tool.call.arguments', NOW],
  ['call.result', 'gen_ai.tool.call.result', NOW],
  ['tool.definitions', 'gen_ai.tool.definitions', NOW],
  ['input', 'gen_ai.input.messages', NOW],
  ['input', 'gen_ai.prompt', OLD],
  ['output', 'gen_ai.output.messages', NOW],
  ['output', 'gen_ai.completion', OLD],
  ['output.type', 'gen_ai.output.type', NOW],
  ['model.request', 'gen_ai.request.model', NOW],
  ['model.response', 'gen_ai.response.model', NOW],
  ['provider', 'gen_ai.provider.name', NOW],
  ['provider', 'gen_ai.system', OLD],
  ['response.id', 'gen_ai.response.id', NOW],
  ['finish.reasons', 'gen_ai.response.finish_reasons', NOW],
  ['finish.reasons', 'gen_ai.response.finish_reason', VENDOR],
  ['session.id', 'gen_ai.conversation.id', NOW],
  ['session.id', 'session.id', CORE],
  ['tokens.input', 'gen_ai.usage.input_tokens', NOW],
  ['tokens.input', 'gen_ai.usage.prompt_tokens', OLD],
  ['tokens.input', 'llm.usage.prompt_tokens', VENDOR],
  ['tokens.output', 'gen_ai.usage.output_tokens', NOW],
  ['tokens.output', 'gen_ai.usage.completion_tokens', OLD],
  ['tokens.output', 'llm.usage.completion_tokens', VENDOR],
  ['tokens.total', 'gen_ai.usage.total_tokens', VENDOR],
  ['tokens.total', 'llm.usage.total_tokens', VENDOR],
  ['tokens.cache_read', 'gen_ai.usage.cache_read.input_tokens', NOW],
  ['tokens.cache_read', 'gen_ai.usage.cache_read_input_tokens', VENDOR],
  ['tokens.cache_read', 'gen_ai.usage.cached_input_tokens', VENDOR],
  ['tokens.cache_write', 'gen_ai.usage.cache_write.input_tokens', NOW],
  ['tokens.cache_write', 'gen_ai.usage.cache_creation.input_tokens', CORE],
  ['tokens.cache_write', 'gen_ai.usage.cache_creation_input_tokens', VENDOR],
  ['tokens.cache_write_5m', 'gen_ai.usage.cache_creation.5m_input_tokens', VENDOR],
  ['tokens.cache_write_1h', 'gen_ai.usage.cache_creation.1h_input_tokens', VENDOR],
  ['tokens.reasoning', 'gen_ai.usage.reasoning.output_tokens', NOW],
  ['tokens.reasoning', 'gen_ai.usage.reasoning_tokens', VENDOR],
  ['tokens.reasoning', 'gen_ai.usage.reasoning_output_tokens', VENDOR],
  ['cost.total', 'gen_ai.usage.cost', VENDOR],
  ['cost.input', 'gen_ai.usage.input_cost', VENDOR],
  ['cost.output', 'gen_ai.usage.output_cost', VENDOR],
  ['first_token.seconds', 'gen_ai.response.time_to_first_chunk', NOW],
  ['retrieval.query', 'gen_ai.retrieval.query.text', NOW],
  ['retrieval.documents', 'gen_ai.retrieval.documents', NOW],
  ['error.type', 'error.type', 'semconv 1.45'],
  ['error.message', 'error.message', 'semconv 1.45'],
])

function rows(list: readonly (readonly [Field, string, string])[]): FieldKey[] {
  return list.map(([field, key, version]) => ({ field, key, dialect: 'gen-ai', version }))
}

/** The operation of a span, `gen_ai.operation.name`. */
export const GEN_AI_OPERATION_NAME = 'gen_ai.operation.name'

/**
 * Kind of a step by operation name: the values of GenAI conventions v0.1.0, the `agent_step` of AI SDK 7, and the
 * operations that other emitters of these conventions add. Operations that only keep a store or an agent
 * definition in order are units of work, not calls of a tool or a model.
 */
export const genAiOperationKinds: Readonly<Record<string, string>> = {
  chat: 'model',
  text_completion: 'model',
  call_llm: 'model',
  generate_content: 'model',
  embeddings: 'model',
  fetch_response: 'workflow',
  retrieval: 'retrieval',
  rerank: 'retrieval',
  search_memory: 'retrieval',
  execute_tool: 'tool',
  invoke_agent: 'agent',
  create_agent: 'workflow',
  invoke_workflow: 'workflow',
  agent_step: 'workflow',
  create_memory: 'workflow',
  update_memory: 'workflow',
  upsert_memory: 'workflow',
  delete_memory: 'workflow',
  create_memory_store: 'workflow',
  delete_memory_store: 'workflow',
  plan: 'plan',
  guard: 'guardrail',
  run_guardrail: 'guardrail',
}

/** Keys that tell the kind of a span whose operation is not recorded or not known, the surest first. */
export const genAiTelltales: readonly (readonly [key: string, kind: string])[] = [
  ['gen_ai.tool.name', 'tool'],
  ['gen_ai.tool.call.id', 'tool'],
  ['gen_ai.guardrail.name', 'guardrail'],
  ['gen_ai.request.model', 'model'],
  ['gen_ai.response.model', 'model'],
  ['gen_ai.usage.input_tokens', 'model'],
  ['gen_ai.usage.prompt_tokens', 'model'],
  ['gen_ai.output.messages', 'model'],
  ['gen_ai.completion.0.content', 'model'],
  ['gen_ai.completion.0.role', 'model'],
]

/** The output messages; other keys of the output hold an answer of any shape. */
export const GEN_AI_OUTPUT_MESSAGES = 'gen_ai.output.messages'

/** The form that answers had before the messages attributes, flattened into numbered keys. */
export const genAiCompletions: FlattenedCompletions = {
  list: 'gen_ai.completion.',
  version: OLD,
  role: '.role',
  content: '.content',
  finishReason: '.finish_reason',
  calls: '.tool_calls.',
  callId: '.id',
  callName: '.name',
  callArguments: '.arguments',
}

/** Where the parts of an answer stand below its numbered key, and those of a tool call below its own. */
interface FlattenedCompletions {
  readonly list: string
  readonly version: string
  readonly role: string
  readonly content: string
  readonly finishReason: string
  readonly calls: string
  readonly callId: string
  readonly callName: string
  readonly callArguments: string
}
