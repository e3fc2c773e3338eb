import type { FieldKey } from './field-key.ts'

const VERSION = '@microsoft/agents-a365-observability 1.0.0'

/** On every span of the SDK, and on whatever else its processor saw below one: it tells no kind. */
export const A365_TENANT_ID = 'microsoft.tenant.id'

const row = { dialect: 'a365', version: VERSION } as const

/**
 * Keys of the Microsoft Agent 365 SDK. It writes the GenAI conventions, with two differences: arguments and results
 * that are text are wrapped in an object, and a session of its own stands beside the conversation, on agents only.
 */
export const a365Keys: readonly FieldKey[] = [
  {
    ...row,
    field: 'call.arguments',
    key: 'gen_ai.tool.call.arguments',
    wrappedText: 'arguments',
    beside: A365_TENANT_ID,
  },
  {
    ...row,
    field: 'call.result',
    key: 'gen_ai.tool.call.result',
    wrappedText: 'result',
    beside: A365_TENANT_ID,
  },
  { ...row, field: 'session.id', key: 'gen_ai.conversation.id', beside: A365_TENANT_ID },
  { ...row, field: 'session.id', key: 'microsoft.session.id' },
]

/**
 * Kind of a step by operation name, where that is not one of the conventions: what an agent sends to a channel has
 * output messages as the answer of a model has, and the operations of models are spelled as the members of an enum.
 */
export const a365OperationKinds: Readonly<Record<string, string>> = {
  output_messages: 'workflow',
  Chat: 'model',
  TextCompletion: 'model',
  GenerateContent: 'model',
}
