import type { Field, FieldKey } from './field-key.ts'

/** `@arizeai/openinference-semantic-conventions` in which these keys were read. */
export const OPENINFERENCE_VERSION = '2.12.0'

/** Keys of OpenInference. Within a field the first key that a span carries wins. */
export const openinferenceKeys: readonly FieldKey[] = (
  [
    ['agent.name', 'agent.name'],
    ['agent.name', 'graph.node.name'],
    ['tool.name', 'tool.name'],
    ['call.id', 'tool.id'],
    ['call.id', 'tool_call.id'],
    ['call.arguments', 'input.value'],
    ['call.arguments', 'tool.parameters'],
    ['call.result', 'output.value'],
    ['input', 'input.value'],
    ['input.mime_type', 'input.mime_type'],
    ['output', 'output.value'],
    ['output.mime_type', 'output.mime_type'],
    ['tool.definitions', 'tool.json_schema'],
    ['model.request', 'llm.request.model_name'],
    ['model.request', 'llm.model_name'],
    ['model.request', 'embedding.model_name'],
    ['model.request', 'reranker.model_name'],
    ['model.response', 'llm.response.model_name'],
    ['provider', 'llm.provider'],
    ['provider', 'llm.system'],
    ['finish.reasons', 'llm.finish_reason'],
    ['session.id', 'session.id'],
    ['tokens.input', 'llm.token_count.prompt'],
    ['tokens.output', 'llm.token_count.completion'],
    ['tokens.total', 'llm.token_count.total'],
    ['tokens.cache_read', 'llm.token_count.prompt_details.cache_read'],
    ['tokens.cache_read', 'llm.token_count.prompt_details.cache_input'],
    ['tokens.cache_write', 'llm.token_count.prompt_details.cache_write'],
    ['tokens.reasoning', 'llm.token_count.completion_details.reasoning'],
    ['cost.total', 'llm.cost.total'],
    ['cost.input', 'llm.cost.prompt'],
    ['cost.output', 'llm.cost.completion'],
  ] as readonly (readonly [Field, string])[]
).map(([field, key]) => ({
  field,
  key,
  dialect: 'openinference',
  version: OPENINFERENCE_VERSION,
  // As the instrumentation of smolagents hands them on, from Python.
  ...(field === 'call.arguments' ? { callArguments: true } : {}),
}))

/** The kind of a span, `openinference.span.kind`. */
export const OPENINFERENCE_SPAN_KIND = 'openinference.span.kind'

/** Kind of a step by the value of `openinference.span.kind`. */
export const openinferenceSpanKinds: Readonly<Record<string, string>> = {
  LLM: 'model',
  EMBEDDING: 'model',
  CHAIN: 'workflow',
  PROMPT: 'workflow',
  UNKNOWN: 'workflow',
  TOOL: 'tool',
  RETRIEVER: 'retrieval',
  RERANKER: 'retrieval',
  AGENT: 'agent',
  GUARDRAIL: 'guardrail',
  EVALUATOR: 'evaluation',
}

/** Lists that are flattened into numbered keys, and where the parts of an entry stand below its number. */
export const openinferenceLists: FlattenedLists = {
  messages: {
    list: 'llm.output_messages.',
    role: '.message.role',
    content: '.message.content',
    parts: '.message.contents.',
    partType: '.message_content.type',
    partText: '.message_content.text',
    calls: '.message.tool_calls.',
    callId: '.tool_call.id',
    callName: '.tool_call.function.name',
    callArguments: '.tool_call.function.arguments',
  },
  tools: { list: 'llm.tools.', schema: '.tool.json_schema', name: '.tool.name' },
  documents: {
    list: 'retrieval.documents.',
    id: '.document.id',
    content: '.document.content',
    score: '.document.score',
  },
}

interface FlattenedLists {
  readonly messages: Readonly<
    Record<
      | 'list'
      | 'role'
      | 'content'
      | 'parts'
      | 'partType'
      | 'partText'
      | 'calls'
      | 'callId'
      | 'callName'
      | 'callArguments',
      string
    >
  >
  readonly tools: Readonly<Record<'list' | 'schema' | 'name', string>>
  readonly documents: Readonly<Record<'list' | 'id' | 'content' | 'score', string>>
}
