import type { Field, FieldKey } from './field-key.ts'

const VERSION = 'pydantic-ai, 2025-06 to 2025-12'

/** The two that stand on the span of an agent's run, and on no other span of Pydantic AI. */
export const PYDANTIC_AI_AGENT_NAME = 'agent_name'
export const PYDANTIC_AI_MODEL_NAME = 'model_name'

/** The text of a span for people, which Pydantic AI writes on each of its own spans that no convention describes. */
export const PYDANTIC_AI_MESSAGE = 'logfire.msg'

/** The names of the tools that a step runs. */
export const PYDANTIC_AI_TOOLS = 'tools'

/** All messages of a call of a model, the answer among them, in versions that do not write messages attributes. */
export const PYDANTIC_AI_EVENTS = 'events'

const PARAMETERS = 'model_request_parameters'
const TOOL_NAME = 'gen_ai.tool.name'

/**
 * Keys of Pydantic AI beside those of the GenAI conventions. They have no prefix, so they count only beside a key that
 * shows whose they are. Within a field the first key that a span carries wins.
 */
export const pydanticAiKeys: readonly FieldKey[] = [
  row('agent.name', PYDANTIC_AI_AGENT_NAME, PYDANTIC_AI_MODEL_NAME),
  row('model.request', PYDANTIC_AI_MODEL_NAME, PYDANTIC_AI_AGENT_NAME),
  row('call.arguments', 'tool_arguments', TOOL_NAME),
  row('call.result', 'tool_response', TOOL_NAME),
  row('input', 'pydantic_ai.all_messages', PYDANTIC_AI_AGENT_NAME),
  row('input', 'all_messages_events', PYDANTIC_AI_AGENT_NAME),
  row('input', PYDANTIC_AI_EVENTS, PARAMETERS),
  row('output', 'final_result', PYDANTIC_AI_AGENT_NAME),
  row('output', PYDANTIC_AI_EVENTS, PARAMETERS),
  { ...row('tool.definitions', PARAMETERS, 'gen_ai.operation.name'), member: 'function_tools' },
]

function row(field: Field, key: string, beside: string): FieldKey {
  return { field, key, beside, dialect: 'pydantic-ai', version: VERSION }
}
