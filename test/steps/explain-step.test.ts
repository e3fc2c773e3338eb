import { describe, expect, it } from 'vitest'
import { explainStep } from '../../src/steps/read-step.ts'
import type { Attributes } from '../../src/steps/span-view.ts'
import { createSpan } from './span.ts'

/** Which key of which dialect each field came from: `field: key (dialect)`. */
function explain(attributes: Attributes): readonly string[] {
  const { sources } = explainStep(createSpan({ attributes }))
  return sources.map(({ field, key, dialect }) => `${field}: ${key} (${dialect})`).toSorted()
}

describe('explainStep tells for each field the key and the dialect that gave it', () => {
  it('of a tool span of the GenAI conventions', () => {
    expect(
      explain({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'forecast',
        'gen_ai.tool.call.id': 'call_1',
        'gen_ai.tool.call.arguments': '{}',
        'gen_ai.tool.call.result': '{}',
        'gen_ai.tool.definitions': '[]',
        'gen_ai.conversation.id': 'c-1',
        'server.address': 'not a field',
      }),
    ).toEqual([
      'call.arguments: gen_ai.tool.call.arguments (gen-ai)',
      'call.id: gen_ai.tool.call.id (gen-ai)',
      'call.result: gen_ai.tool.call.result (gen-ai)',
      'kind: gen_ai.operation.name (gen-ai)',
      'session.id: gen_ai.conversation.id (gen-ai)',
      'tool.definitions: gen_ai.tool.definitions (gen-ai)',
      'tool.name: gen_ai.tool.name (gen-ai)',
    ])
  })

  it('of a model span with keys of three dialects and of our own', () => {
    expect(
      explain({
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.model.id': 'm-1',
        'gen_ai.request.model': 'm-2',
        'gen_ai.usage.input_tokens': 12,
        'llm.token_count.completion': 3,
        'llm.token_count.prompt': 99,
        'llm.cost.total': 0.5,
        'ai.response.text': '',
        'ai.response.toolCalls': '[]',
        'ai.prompt.tools': [],
        'agent_reach.phase': 'planning',
        subtask_id: 'T1',
      }),
    ).toEqual([
      'cost.total: llm.cost.total (openinference)',
      'kind: ai.operationId (ai-sdk)',
      'model.request: ai.model.id (ai-sdk)',
      'output.calls: ai.response.toolCalls (ai-sdk)',
      'output: ai.response.text (ai-sdk)',
      'phase: agent_reach.phase (agent-reach)',
      'subtask.id: subtask_id (agent-reach)',
      'tokens.input: gen_ai.usage.input_tokens (gen-ai)',
      'tokens.output: llm.token_count.completion (openinference)',
      'tool.definitions: ai.prompt.tools (ai-sdk)',
    ])
  })

  it('of flattened lists by the pattern of their keys', () => {
    expect(
      explain({
        'openinference.span.kind': 'LLM',
        'llm.output_messages.0.message.content': 'Hello',
        'output.value': '{}',
        'llm.tools.0.tool.json_schema': '{"name":"forecast"}',
      }),
    ).toEqual([
      'kind: openinference.span.kind (openinference)',
      'output: llm.output_messages.N.message.* (openinference)',
      'tool.definitions: llm.tools.N.tool.json_schema (openinference)',
    ])
    expect(explain({ 'gen_ai.completion.0.content': 'Hello' })).toEqual([
      'kind: gen_ai.completion.0.content (gen-ai)',
      'output: gen_ai.completion.N.* (gen-ai)',
    ])
    expect(
      explain({ 'openinference.span.kind': 'RETRIEVER', 'retrieval.documents.0.document.id': 'd1' }),
    ).toEqual([
      'kind: openinference.span.kind (openinference)',
      'retrieval.documents: retrieval.documents.N.document.* (openinference)',
    ])
  })

  it('with each field once', () => {
    const fields = explainStep(
      createSpan({
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': 'support',
          reflection_status: 'done',
          phase: 'planning',
        },
      }),
    ).sources.map(({ field }) => field)
    expect(fields).toEqual([...new Set(fields)])
  })

  it('with the version in which the key was read', () => {
    const { sources } = explainStep(
      createSpan({ attributes: { 'gen_ai.system': 'openai', 'gen_ai.operation.name': 'chat' } }),
    )
    expect(sources).toContainEqual({
      field: 'provider',
      key: 'gen_ai.system',
      dialect: 'gen-ai',
      version: 'semconv 1.27',
    })
  })

  it('with nothing for a span of no dialect', () => {
    expect(explain({ 'http.request.method': 'GET' })).toEqual([])
  })

  it('and reads the same step as without telling', () => {
    const { step } = explainStep(createSpan({ attributes: { 'gen_ai.operation.name': 'chat' } }))
    expect(step).toMatchObject({ kind: 'model', nodeName: 'step' })
  })
})
