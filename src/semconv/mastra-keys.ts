import type { FieldKey } from './field-key.ts'

/** `@mastra/otel-exporter` in which these keys were read; `@mastra/otel-bridge` 1.5.4 writes the same. */
const VERSION = '1.4.0'

/** The kind of a span, `mastra.span.type`. */
export const MASTRA_SPAN_TYPE = 'mastra.span.type'

/**
 * Kind of a step by the value of `mastra.span.type` (`@mastra/core` 1.71.0). `model_generation` is not here: it is the
 * call of a model in older pairs of packages and the loop around the calls in newer ones, which its operation tells. A
 * chunk of a stream is no step.
 */
export const mastraSpanKinds: Readonly<Record<string, string>> = {
  agent_run: 'agent',
  scorer_run: 'evaluation',
  scorer_step: 'workflow',
  classifier_evaluation: 'evaluation',
  generic: 'workflow',
  model_step: 'workflow',
  model_inference: 'model',
  model_chunk: 'other',
  tool_call: 'tool',
  mcp_tool_call: 'tool',
  client_tool_call: 'tool',
  provider_tool_call: 'tool',
  mcp_server_request: 'workflow',
  processor_run: 'workflow',
  workflow_run: 'workflow',
  workflow_step: 'workflow',
  workflow_conditional: 'workflow',
  workflow_conditional_eval: 'workflow',
  workflow_parallel: 'workflow',
  workflow_loop: 'workflow',
  workflow_sleep: 'workflow',
  workflow_wait_event: 'workflow',
  memory_operation: 'workflow',
  workspace_action: 'workflow',
  rag_ingestion: 'workflow',
  rag_embedding: 'model',
  rag_vector_operation: 'workflow',
  rag_action: 'workflow',
  graph_action: 'workflow',
  mapping: 'workflow',
  skill_resolution: 'workflow',
  skill_action: 'workflow',
  agent_signal: 'workflow',
}

/** The loop around the calls of a model, or the call itself. */
const MASTRA_MODEL_GENERATION = 'model_generation'

/** Types whose input and output stand under keys of the GenAI conventions. */
const CONVENTIONAL: ReadonlySet<string> = new Set([
  'model_inference',
  'tool_call',
  'mcp_tool_call',
  'provider_tool_call',
])

/**
 * Keys of Mastra beside those of the GenAI conventions, which it writes for model and tool calls. Input and output of
 * all else stand under a key of their type. Within a field the first key that a span carries wins.
 */
export const mastraKeys: readonly FieldKey[] = (
  [
    { field: 'entity.name', key: 'mastra.workflow_step.step_id' },
    { field: 'sequence', key: 'mastra.model_step.step_index' },
    { field: 'first_token.time', key: 'mastra.completion_start_time' },
    { field: 'call.arguments', key: 'mastra.client_tool_call.input' },
    { field: 'call.result', key: 'mastra.client_tool_call.output' },
    ...[...Object.keys(mastraSpanKinds), MASTRA_MODEL_GENERATION]
      .filter((type) => !CONVENTIONAL.has(type))
      .flatMap((type) => [
        { field: 'input', key: `mastra.${type}.input` },
        { field: 'output', key: `mastra.${type}.output` },
      ]),
  ] as readonly Omit<FieldKey, 'dialect' | 'version'>[]
).map((row) => ({ ...row, dialect: 'mastra', version: VERSION }))
