import type { Field, FieldKey } from './field-key.ts'

const V4 = 'ai 4.3.19'
const V5 = 'ai 5.0.277'
const V6 = 'ai 6.0.326'

/**
 * Keys of the Vercel AI SDK, v4 to v6 (and of the legacy exporter of v7). AI SDK 7 itself writes the GenAI
 * conventions. Within a field the first key that a span carries wins.
 */
export const aiSdkKeys: readonly FieldKey[] = (
  [
    ['agent.name', 'ai.telemetry.functionId', V4],
    ['tool.name', 'ai.toolCall.name', V4],
    ['call.id', 'ai.toolCall.id', V4],
    ['call.arguments', 'ai.toolCall.args', V4, true],
    ['call.result', 'ai.toolCall.result', V4, true],
    ['tool.definitions', 'ai.prompt.tools', V4, true],
    ['input', 'ai.prompt.messages', V4, true],
    ['input', 'ai.prompt', V4, true],
    ['input', 'ai.value', V4, true],
    ['input', 'ai.values', V4],
    ['output', 'ai.response.object', V4, true],
    ['output', 'ai.response.text', V4],
    ['output.calls', 'ai.response.toolCalls', V4, true],
    ['output.reasoning', 'ai.response.reasoning', V6],
    ['model.request', 'ai.model.id', V4],
    ['model.response', 'ai.response.model', V4],
    ['provider', 'ai.model.provider', V4],
    ['response.id', 'ai.response.id', V4],
    ['finish.reasons', 'ai.response.finishReason', V4],
    ['session.id', 'ai.telemetry.metadata.sessionId', V4],
    ['tokens.input', 'ai.usage.inputTokens', V5],
    ['tokens.input', 'ai.usage.promptTokens', V4],
    ['tokens.output', 'ai.usage.outputTokens', V5],
    ['tokens.output', 'ai.usage.completionTokens', V4],
    ['tokens.total', 'ai.usage.totalTokens', V5],
    ['tokens.total', 'ai.usage.tokens', V4],
    ['tokens.cache_read', 'ai.usage.inputTokenDetails.cacheReadTokens', V6],
    ['tokens.cache_read', 'ai.usage.cachedInputTokens', V5],
    ['tokens.cache_write', 'ai.usage.inputTokenDetails.cacheWriteTokens', V6],
    ['tokens.reasoning', 'ai.usage.outputTokenDetails.reasoningTokens', V6],
    ['tokens.reasoning', 'ai.usage.reasoningTokens', V5],
    ['first_token.milliseconds', 'ai.response.msToFirstChunk', V4],
  ] as readonly (readonly [Field, string, string, true?])[]
).map(([field, key, version, json]) => ({
  field,
  key,
  dialect: 'ai-sdk',
  version,
  ...(json === undefined ? {} : { json }),
}))

/** The operation of a span, `ai.operationId`. */
export const AI_SDK_OPERATION_ID = 'ai.operationId'

/** Kind of a step by the value of `ai.operationId`. */
export const aiSdkOperationKinds: Readonly<Record<string, string>> = {
  'ai.generateText': 'agent',
  'ai.streamText': 'agent',
  'ai.generateObject': 'agent',
  'ai.streamObject': 'agent',
  'ai.generateText.doGenerate': 'model',
  'ai.streamText.doStream': 'model',
  'ai.generateObject.doGenerate': 'model',
  'ai.streamObject.doStream': 'model',
  'ai.embed': 'workflow',
  'ai.embedMany': 'workflow',
  'ai.embed.doEmbed': 'model',
  'ai.embedMany.doEmbed': 'model',
  'ai.rerank': 'workflow',
  'ai.rerank.doRerank': 'retrieval',
  'ai.generateImage': 'workflow',
  'ai.generateImage.doGenerate': 'model',
  'ai.generateSpeech': 'workflow',
  'ai.transcribe': 'workflow',
  'ai.toolCall': 'tool',
}

/** What the operations of the AI SDK begin with; one that is not listed is a unit of work. */
export const AI_SDK_OPERATION_PREFIX = 'ai.'

/** An answer that is an object, not text. */
export const AI_SDK_RESPONSE_OBJECT = 'ai.response.object'
