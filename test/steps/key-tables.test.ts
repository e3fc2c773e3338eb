import { describe, expect, it } from 'vitest'
import { a365Keys, a365OperationKinds } from '../../src/semconv/a365-keys.ts'
import { inputAliases, inputKeys, outputKeys } from '../../src/semconv/agent-reach.ts'
import { agentReachKeys } from '../../src/semconv/agent-reach-keys.ts'
import { aiSdkKeys, aiSdkOperationKinds } from '../../src/semconv/ai-sdk-keys.ts'
import { anyAgentKeys, anyAgentTelltales } from '../../src/semconv/any-agent-keys.ts'
import {
  braintrustKeys,
  braintrustSpanKinds,
  braintrustTelltales,
} from '../../src/semconv/braintrust-keys.ts'
import type { Field, FieldKey } from '../../src/semconv/field-key.ts'
import { frameworkKeys } from '../../src/semconv/framework-keys.ts'
import { genAiKeys, genAiOperationKinds } from '../../src/semconv/gen-ai-keys.ts'
import { fieldsByKey, keyTable } from '../../src/semconv/key-table.ts'
import { laminarKeys, laminarSpanKinds } from '../../src/semconv/laminar-keys.ts'
import { langfuseKeys, langfuseObservationKinds, langfuseTelltales } from '../../src/semconv/langfuse-keys.ts'
import { langsmithKeys, langsmithRunKinds } from '../../src/semconv/langsmith-keys.ts'
import { logfireKeys } from '../../src/semconv/logfire-keys.ts'
import { mastraKeys, mastraSpanKinds } from '../../src/semconv/mastra-keys.ts'
import { openaiAgentsKeys, openaiAgentsKinds } from '../../src/semconv/openai-agents-keys.ts'
import { openinferenceKeys, openinferenceSpanKinds } from '../../src/semconv/openinference-keys.ts'
import { pydanticAiKeys } from '../../src/semconv/pydantic-ai-keys.ts'
import { traceloopKeys, traceloopRequestKinds, traceloopSpanKinds } from '../../src/semconv/traceloop-keys.ts'
import type { StepKind } from '../../src/steps/step.ts'

/** Every member of the union, so that a new field fails the types here until it has keys. */
const fields: Readonly<Record<Field, true>> = {
  'agent.members': true,
  'agent.name': true,
  'agent.tools': true,
  'call.arguments': true,
  'call.id': true,
  'call.result': true,
  'chain.id': true,
  'checkpoint.id': true,
  'cost.input': true,
  'cost.output': true,
  'cost.total': true,
  'digest.arguments': true,
  'digest.result': true,
  'digest.retry_key': true,
  'entity.name': true,
  'error.level': true,
  'error.message': true,
  'error.type': true,
  'finish.reasons': true,
  'first_token.milliseconds': true,
  'first_token.seconds': true,
  'first_token.time': true,
  input: true,
  'input.mime_type': true,
  'marks.evidence': true,
  'marks.findings': true,
  'model.request': true,
  'model.response': true,
  'node.attempt': true,
  'node.name': true,
  'node.requires': true,
  'node.skipped_reason': true,
  output: true,
  'output.calls': true,
  'output.mime_type': true,
  'output.reasoning': true,
  'output.type': true,
  phase: true,
  provider: true,
  'reflection.status': true,
  'response.id': true,
  'retrieval.documents': true,
  'retrieval.query': true,
  sequence: true,
  'session.id': true,
  'status.set': true,
  'stop.action': true,
  'subtask.id': true,
  'subtask.status': true,
  'task.id': true,
  'tokens.cache_read': true,
  'tokens.cache_write': true,
  'tokens.cache_write_1h': true,
  'tokens.cache_write_5m': true,
  'tokens.input': true,
  'tokens.output': true,
  'tokens.reasoning': true,
  'tokens.total': true,
  'tool.definitions': true,
  'tool.name': true,
  'usage.origin': true,
}

const tables = [
  ['agent-reach', agentReachKeys],
  ['ai-sdk', aiSdkKeys],
  ['mastra', mastraKeys],
  ['langsmith', langsmithKeys],
  ['a365', a365Keys],
  ['openai-agents', openaiAgentsKeys],
  ['gen-ai', genAiKeys],
  ['logfire', logfireKeys],
  ['any-agent', anyAgentKeys],
  ['openinference', openinferenceKeys],
  ['traceloop', traceloopKeys],
  ['langfuse', langfuseKeys],
  ['laminar', laminarKeys],
  ['braintrust', braintrustKeys],
  ['pydantic-ai', pydanticAiKeys],
  ['framework', frameworkKeys],
] as const

describe.each(tables)('the key table of %s', (dialect, rows) => {
  it('has no row twice', () => {
    const pairs = rows.map(({ field, key, member = '' }) => `${field} ${key} ${member}`)
    expect(pairs).toEqual([...new Set(pairs)])
  })

  it('names dialect and version in each row', () => {
    for (const row of rows) {
      expect(row.dialect).toBe(dialect)
      expect(row.version).toMatch(/\S/u)
      expect(row.key).toMatch(/^[\w.]+$/u)
      expect(fields).toHaveProperty([row.field])
    }
  })
})

function toLine({ field, key, member = '', dialect, version }: FieldKey): string {
  return `${field} ${key} ${member} ${dialect} ${version}`
}

describe('the key tables together', () => {
  it.each(Object.keys(fields) as Field[])('have a key for %s', (field) => {
    expect(keyTable.get(field)?.length ?? 0).toBeGreaterThan(0)
  })

  it('hold every row by its field and by its key', () => {
    const rows = tables.flatMap(([, table]) => table.map(toLine))
    expect([...keyTable.values()].flat().map(toLine).toSorted()).toEqual(rows.toSorted())
    expect([...fieldsByKey.values()].flat().map(toLine).toSorted()).toEqual(rows.toSorted())
    for (const [field, group] of keyTable) expect(group.every((row) => row.field === field)).toBe(true)
    for (const [key, group] of fieldsByKey) expect(group.every((row) => row.key === key)).toBe(true)
  })

  it('rank our own keys first, then the keys of a host, the GenAI conventions, and those of vendors', () => {
    const order = tables.map(([dialect]) => dialect)
    for (const group of keyTable.values()) {
      const places = group.map(({ dialect }) => order.indexOf(dialect))
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      const ranks = group.map(({ rank }) => rank)
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
    }
  })

  const retrievals = ['retrieval.query', 'retrieval.documents']

  it('never let one key stand for two counts, names or ids', () => {
    for (const [key, rows] of fieldsByKey) {
      for (const member of new Set(rows.map((row) => row.member))) {
        const group = rows.filter((row) => row.member === member)
        const distinct = new Set(group.map(({ field }) => field))
        const contents = ['input', 'output', 'call.arguments', 'call.result', ...retrievals]
        const isShared = [...distinct].every((field) => contents.includes(field))
        if (!isShared) expect([key, ...distinct]).toHaveLength(2)
      }
    }
  })
})

describe('our own keys', () => {
  it('are read where they are inputs', () => {
    expect(inputKeys.filter((key) => !fieldsByKey.has(key))).toEqual([])
  })

  it('are read under every alias', () => {
    expect(Object.keys(inputAliases).filter((key) => !fieldsByKey.has(key))).toEqual([])
  })

  it('are not read where they are outputs, but for the three that say how others are to be read', () => {
    expect(outputKeys.filter((key) => fieldsByKey.has(key)).toSorted()).toEqual([
      'agent_reach.node.evidence',
      'agent_reach.node.findings',
      'agent_reach.status.set',
    ])
  })
})

describe('the tables of operations', () => {
  const kinds: Readonly<Record<StepKind, true>> = {
    agent: true,
    model: true,
    tool: true,
    retrieval: true,
    plan: true,
    reflection: true,
    guardrail: true,
    evaluation: true,
    workflow: true,
    other: true,
  }

  it.each([
    ['AI SDK', aiSdkOperationKinds],
    ['GenAI conventions', genAiOperationKinds],
    ['OpenInference', openinferenceSpanKinds],
    ['Traceloop', { ...traceloopSpanKinds, ...traceloopRequestKinds }],
    ['Langfuse', { ...langfuseObservationKinds, ...Object.fromEntries(langfuseTelltales) }],
    ['Mastra', mastraSpanKinds],
    ['Laminar', laminarSpanKinds],
    ['LangSmith', langsmithRunKinds],
    ['Agent 365', a365OperationKinds],
    ['any-agent', Object.fromEntries(anyAgentTelltales)],
    ['Braintrust', { ...braintrustSpanKinds, ...Object.fromEntries(braintrustTelltales) }],
    ['the OpenAI Agents SDK', openaiAgentsKinds],
  ])('of %s name kinds of steps only', (_name, table) => {
    expect(Object.values(table).filter((kind) => !Object.hasOwn(kinds, kind))).toEqual([])
  })
})
