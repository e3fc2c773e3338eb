import type { FieldKey } from './field-key.ts'

/** `@traceloop/node-server-sdk` and the instrumentations of that version, in which these keys were read. */
const VERSION = '0.27.0'

const ENTITY_INPUT = 'traceloop.entity.input'
const ENTITY_OUTPUT = 'traceloop.entity.output'

/**
 * Keys of Traceloop (OpenLLMetry): of what a program wraps, of guards, and of chains and tools of LangChain. Its model
 * calls are spans of the GenAI conventions. Within a field the first key that a span carries wins.
 */
export const traceloopKeys: readonly FieldKey[] = (
  [
    { field: 'entity.name', key: 'traceloop.entity.name' },
    { field: 'call.arguments', key: ENTITY_INPUT, callArguments: true },
    { field: 'call.result', key: ENTITY_OUTPUT, langchainMessage: true },
    // What LangChain hands a tool over by is the name of a class; the message it answers with names tool and call.
    { field: 'tool.name', key: ENTITY_OUTPUT, member: 'kwargs.name', beside: 'gen_ai.operation.name' },
    { field: 'call.id', key: ENTITY_OUTPUT, member: 'kwargs.tool_call_id', beside: 'gen_ai.operation.name' },
    { field: 'input', key: ENTITY_INPUT, callArguments: true },
    { field: 'input', key: 'gen_ai.guardrail.input' },
    { field: 'output', key: ENTITY_OUTPUT, langchainMessage: true },
    { field: 'output', key: 'gen_ai.guardrail.output' },
    { field: 'session.id', key: 'traceloop.association.properties.session_id' },
    { field: 'error.type', key: 'gen_ai.guardrail.error.type' },
    { field: 'error.message', key: 'gen_ai.guardrail.error.message' },
  ] as readonly Omit<FieldKey, 'dialect' | 'version'>[]
).map((row) => ({ ...row, dialect: 'traceloop', version: VERSION }))

/** The kind of a span, `traceloop.span.kind`. */
export const TRACELOOP_SPAN_KIND = 'traceloop.span.kind'

/** Kind of a step by the value of `traceloop.span.kind`. */
export const traceloopSpanKinds: Readonly<Record<string, string>> = {
  workflow: 'workflow',
  task: 'workflow',
  agent: 'agent',
  tool: 'tool',
  session: 'workflow',
  unknown: 'workflow',
}

/** What a span asks for, as it was called before `gen_ai.operation.name`. */
export const TRACELOOP_REQUEST_TYPE = 'llm.request.type'

/** Kind of a step by the value of `llm.request.type`. */
export const traceloopRequestKinds: Readonly<Record<string, string>> = {
  chat: 'model',
  completion: 'model',
  embedding: 'model',
  rerank: 'retrieval',
}
