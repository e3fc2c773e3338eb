import type { Field, FieldKey } from './field-key.ts'

const VERSION = '@openai/agents-core 0.20.0'
const PYTHON = 'openai-agents (Python)'

/**
 * What the attributes of a span that was read from the tracing objects of the OpenAI Agents SDK begin with. The SDK
 * has no attributes: `openai_agents.<type>.<member>` stands for a member of the `span_data` of that type, and
 * `openai_agents.trace.<member>` for one of the trace.
 */
export const OPENAI_AGENTS_PREFIX = 'openai_agents.'

/** The type of a span, `span_data.type`, and what it says of itself where the SDK writes it as `custom`. */
export const OPENAI_AGENTS_TYPE = 'openai_agents.span_data.type'
const OPENAI_AGENTS_CUSTOM_DATA = 'openai_agents.custom.data'
export const OPENAI_AGENTS_CUSTOM_TYPE = 'sdk_span_type'

/** The response of the Responses API. Its own exporter leaves out members that begin with `_`. */
const RESPONSE = 'openai_agents.response._response'
const GENERATION_USAGE = 'openai_agents.generation.usage'

/** Keys of the tracing objects of the OpenAI Agents SDK. Within a field the first key that a span carries wins. */
export const openaiAgentsKeys: readonly FieldKey[] = [
  row('agent.name', 'openai_agents.agent.name'),
  row('tool.name', 'openai_agents.function.name'),
  row('call.arguments', 'openai_agents.function.input'),
  row('call.result', 'openai_agents.function.output'),
  row('input', 'openai_agents.generation.input'),
  row('output', 'openai_agents.generation.output'),
  row('input', 'openai_agents.response._input'),
  row('output', RESPONSE),
  row('output', 'openai_agents.mcp_tools.result'),
  row('input', 'openai_agents.speech.input'),
  row('output', 'openai_agents.transcription.output'),
  row('model.request', 'openai_agents.generation.model'),
  row('model.request', 'openai_agents.transcription.model'),
  row('model.request', 'openai_agents.speech.model'),
  member('model.response', RESPONSE, 'model'),
  member('tool.definitions', RESPONSE, 'tools'),
  row('response.id', 'openai_agents.response.response_id'),
  row('session.id', 'openai_agents.trace.group_id'),
  ...counts(GENERATION_USAGE, ''),
  ...counts(GENERATION_USAGE, 'details.'),
  ...counts(RESPONSE, 'usage.'),
  ...counts('openai_agents.response.usage', '', PYTHON),
  ...counts(OPENAI_AGENTS_CUSTOM_DATA, 'usage.'),
  ...counts('openai_agents.task.usage', ''),
  ...counts('openai_agents.turn.usage', ''),
]

function row(field: Field, key: string, version: string = VERSION): FieldKey {
  return { field, key, dialect: 'openai-agents', version }
}

function member(field: Field, key: string, name: string, version: string = VERSION): FieldKey {
  return { ...row(field, key, version), member: name }
}

/** Counts as the SDK, the Responses API and the chat completions name them. */
function counts(key: string, at: string, version: string = VERSION): readonly FieldKey[] {
  return (
    [
      ['tokens.input', 'input_tokens'],
      ['tokens.input', 'inputTokens'],
      ['tokens.input', 'prompt_tokens'],
      ['tokens.output', 'output_tokens'],
      ['tokens.output', 'outputTokens'],
      ['tokens.output', 'completion_tokens'],
      ['tokens.total', 'total_tokens'],
      ['tokens.total', 'totalTokens'],
      ['tokens.cache_read', 'cached_input_tokens'],
      ['tokens.cache_read', 'input_tokens_details.cached_tokens'],
      ['tokens.cache_read', 'prompt_tokens_details.cached_tokens'],
      ['tokens.cache_write', 'cache_write_input_tokens'],
      ['tokens.cache_write', 'input_tokens_details.cache_write_tokens'],
      ['tokens.reasoning', 'output_tokens_details.reasoning_tokens'],
      ['tokens.reasoning', 'completion_tokens_details.reasoning_tokens'],
    ] as readonly (readonly [Field, string])[]
  ).map(([field, name]) => member(field, key, at + name, version))
}

/**
 * Kind of a step by `span_data.type`. A handoff is what became of a tool call; listing the tools of a server is a
 * unit of work. `task` and `turn`, whose counts are the sum of what their calls of models report, are written as
 * `custom`, or as themselves by a program that writes the data of a span as it is.
 */
export const openaiAgentsKinds: Readonly<Record<string, string>> = {
  agent: 'agent',
  function: 'tool',
  handoff: 'tool',
  generation: 'model',
  response: 'model',
  transcription: 'model',
  speech: 'model',
  speech_group: 'workflow',
  guardrail: 'guardrail',
  mcp_tools: 'workflow',
  custom: 'workflow',
  task: 'workflow',
  turn: 'workflow',
}
