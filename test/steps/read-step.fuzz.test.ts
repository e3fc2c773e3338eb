import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { condenseStep } from '../../src/chain/condense-step.ts'
import type { StepRecord } from '../../src/chain/step-record.ts'
import { inputKeys, outputKeys } from '../../src/semconv/agent-reach.ts'
import { AI_SDK_OPERATION_ID, aiSdkOperationKinds } from '../../src/semconv/ai-sdk-keys.ts'
import type { Field } from '../../src/semconv/field-key.ts'
import { GEN_AI_OPERATION_NAME, genAiOperationKinds } from '../../src/semconv/gen-ai-keys.ts'
import { fieldsByKey } from '../../src/semconv/key-table.ts'
import { LAMINAR_CACHED, LAMINAR_SPAN_TYPE, laminarSpanKinds } from '../../src/semconv/laminar-keys.ts'
import { LANGFUSE_OBSERVATION_TYPE, langfuseObservationKinds } from '../../src/semconv/langfuse-keys.ts'
import { MASTRA_SPAN_TYPE, mastraSpanKinds } from '../../src/semconv/mastra-keys.ts'
import { OPENINFERENCE_SPAN_KIND, openinferenceSpanKinds } from '../../src/semconv/openinference-keys.ts'
import { TRACELOOP_SPAN_KIND, traceloopSpanKinds } from '../../src/semconv/traceloop-keys.ts'
import { canonicalJson } from '../../src/steps/canonical-json.ts'
import { type Content, CONTENT_LIMIT, decodeNested } from '../../src/steps/content.ts'
import { dialects } from '../../src/steps/dialects/catalog.ts'
import { explainStep, readStep } from '../../src/steps/read-step.ts'
import type { Attributes, HrTime, SpanView } from '../../src/steps/span-view.ts'
import type { Step } from '../../src/steps/step.ts'

const NAME_LIMIT = 1_024
const MESSAGE_LIMIT = 4_096

/** Reads all that a step can be asked for. */
function readAll(span: SpanView): { readonly step: Step; readonly record: StepRecord } {
  const { step } = explainStep(span)
  for (const content of [step.input, step.output]) readContent(content)
  if (step.kind === 'model') checkAnswer(step.readOutput())
  if (step.kind === 'model' || step.kind === 'tool') {
    for (const tool of step.readTools()) expect(typeof tool.name).toBe('string')
  }
  return { step, record: condenseStep(readStep(span), []) }
}

function readContent(content: Content): void {
  const { state, value, text, identity, exactText, malformed, seen, isLong } = content
  expect(text.length).toBeLessThanOrEqual(CONTENT_LIMIT)
  expect(seen).toBe(state === 'seen')
  expect([typeof malformed, typeof isLong]).toEqual(['boolean', 'boolean'])
  if (!seen) expect(value).toBeUndefined()
  expect(identity === null).toBe(state !== 'seen' && state !== 'partial')
  expect(exactText === null).toBe(identity === null)
}

function checkAnswer(answer: ReturnType<Extract<Step, { kind: 'model' }>['readOutput']>): void {
  expect(answer.text?.length ?? 0).toBeLessThanOrEqual(CONTENT_LIMIT)
  for (const call of answer.calls) {
    expect(call.name.length).toBeGreaterThan(0)
    if (call.unseen) expect(call.arguments).toBeUndefined()
    if (call.malformed) expect(typeof call.arguments).toBe('string')
  }
}

/** Names and messages stay short, counts are counts, and nothing in a record is ill-formed. */
function checkBounds({ step, record }: ReturnType<typeof readAll>): void {
  const names = [
    step.spanName,
    step.nodeName,
    step.agentName,
    step.chainId,
    step.taskId,
    step.sessionId,
    step.subtaskId,
    step.skippedReason,
    step.outputMimeType,
    step.error?.type,
    record.toolName,
    record.callId,
    record.model,
    record.provider,
    record.responseId,
    ...step.requires,
    ...step.marks,
    ...step.checkpoints.flatMap(({ id, name }) => [id, name]),
    ...step.openSpans.map(({ name }) => name),
  ].filter((name) => name !== null && name !== undefined)
  for (const name of names) {
    if (name.length > NAME_LIMIT || !name.isWellFormed()) expect.fail(`a name of ${name.length} characters`)
  }
  expect(step.requires.length).toBeLessThanOrEqual(1_000)
  for (const message of [step.error?.message, ...step.checkpoints.map(({ data }) => data)]) {
    expect(message?.length ?? 0).toBeLessThanOrEqual(MESSAGE_LIMIT)
  }
  const { cacheWasBeside, reasoningWasBeside, replayed = true, ...counts } = step.usage
  for (const count of [
    ...Object.values(counts),
    step.recordedCost,
    step.sequence,
    step.attempt,
    record.firstTokenMs,
  ]) {
    if (count !== null) expect(count).toBeGreaterThanOrEqual(0)
  }
  expect([typeof cacheWasBeside, typeof reasoningWasBeside, replayed]).toEqual(['boolean', 'boolean', true])
  expect(record.endNs).toBeGreaterThanOrEqual(record.startNs)
  expect(record.startNs).toBeGreaterThanOrEqual(0n)
}

const WORDS = [
  '',
  ' ',
  'a',
  'null',
  'true',
  '42',
  '-1',
  '1e400',
  'captured',
  'failed',
  '__proto__',
  'constructor',
  'toString',
  '__REDACTED__',
  '[truncated]',
  '\ud800',
  'a\udc00b',
  '\u0000',
  '{"a":',
  '[1,',
  '"',
  '{"__proto__":{"a":1},"constructor":null}',
  '[{"role":"assistant","parts":[{"type":"tool_call","name":"f","arguments":"{"}]}]',
  '[{"toolName":"constructor","input":"\\"{}\\""}]',
  '["stop",null,7]',
]

const HUGE = [
  'x'.repeat(70_000),
  `"${'\\u00e9'.repeat(12_000)}"`,
  `[${'1,'.repeat(40_000)}1]`,
  '['.repeat(50_000),
  '['.repeat(50_000) + ']'.repeat(50_000),
  '{"a":'.repeat(20_000),
  ' '.repeat(70_000),
  '1'.repeat(70_000),
  ','.repeat(70_000),
]

const deepNative = nest(10_000)

function nest(levels: number): unknown {
  let value: unknown = 'end'
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

const loop: Record<string, unknown> = {}
loop['self'] = loop
loop['list'] = [loop, loop]

const texts = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 2, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.json().map((text) => JSON.stringify(JSON.stringify(text))) },
  { weight: 1, arbitrary: fc.json().chain((text) => fc.nat(text.length).map((end) => text.slice(0, end))) },
  { weight: 1, arbitrary: fc.constantFrom(...HUGE) },
)

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withObjectString: true,
  withTypedArray: true,
  withSparseArray: true,
  withUnicodeString: true,
} as fc.ObjectConstraints)

const values = fc.oneof(
  { weight: 6, arbitrary: texts },
  { weight: 2, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.bigInt() },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.uint8Array() },
  { weight: 1, arbitrary: fc.constantFrom(null, undefined, Number.NaN, deepNative, loop, [], {}, [null]) },
  { weight: 2, arbitrary: fc.array(texts, { maxLength: 4 }) },
  { weight: 2, arbitrary: anything },
)

const NUMBERED = [
  'role',
  'content',
  'finish_reason',
  'tool_calls.0.id',
  'tool_calls.0.name',
  'tool_calls.0.arguments',
  'tool_calls.1.name',
].map((suffix) => `gen_ai.completion.N.${suffix}`)

const MESSAGE = [
  'role',
  'content',
  'contents.0.message_content.type',
  'contents.0.message_content.text',
  'tool_calls.0.tool_call.id',
  'tool_calls.0.tool_call.function.name',
  'tool_calls.0.tool_call.function.arguments',
].map((suffix) => `llm.output_messages.N.message.${suffix}`)

const OTHERS = ['tool.json_schema', 'tool.name'].map((suffix) => `llm.tools.N.${suffix}`)
const DOCUMENTS = ['id', 'content', 'score'].map((suffix) => `retrieval.documents.N.document.${suffix}`)

const keys = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...fieldsByKey.keys()) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...NUMBERED, ...MESSAGE, ...OTHERS, ...DOCUMENTS), fc.nat(2))
      .map(([key, n]) => key.replace('N', String(n))),
  },
  { weight: 1, arbitrary: fc.constantFrom(...inputKeys, ...outputKeys) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('__proto__', 'constructor', 'hasOwnProperty', 'toString', '', 'gen_ai'),
  },
  { weight: 1, arbitrary: fc.string() },
)

/** The attribute that says what kind of span it is, mostly one that is known. */
const operations = fc.oneof(
  ...(
    [
      [AI_SDK_OPERATION_ID, Object.keys(aiSdkOperationKinds)],
      [GEN_AI_OPERATION_NAME, Object.keys(genAiOperationKinds)],
      [OPENINFERENCE_SPAN_KIND, Object.keys(openinferenceSpanKinds)],
      [TRACELOOP_SPAN_KIND, Object.keys(traceloopSpanKinds)],
      [LANGFUSE_OBSERVATION_TYPE, Object.keys(langfuseObservationKinds)],
      [MASTRA_SPAN_TYPE, Object.keys(mastraSpanKinds)],
      [LAMINAR_SPAN_TYPE, [...Object.keys(laminarSpanKinds), LAMINAR_CACHED]],
    ] as const
  ).map(([key, known]) => fc.tuple(fc.constant(key), fc.constantFrom(...known))),
  fc.tuple(fc.constantFrom(...dialects.flatMap(({ kindKeys }) => kindKeys)), values),
)

const attributeMaps = fc
  .tuple(operations, fc.array(fc.tuple(keys, values), { maxLength: 24 }), fc.boolean())
  .map(([operation, entries, hasPrototype]): Attributes => {
    // Defines `__proto__` as an ordinary key, as a decoder does.
    const attributes = Object.fromEntries([operation, ...entries])
    return hasPrototype ? attributes : Object.assign(Object.create(null) as Attributes, attributes)
  })

const times = fc.oneof(
  fc.tuple(fc.nat(2_000_000_000), fc.nat(999_999_999)),
  fc.tuple(fc.double(), fc.double()),
  fc.constantFrom<[number, number]>([0, 0], [Number.NaN, Infinity], [-1, -1], [Number.MAX_VALUE, 0]),
) as fc.Arbitrary<HrTime>

const EVENT_KEYS = [
  'exception.type',
  'exception.message',
  ...['id', 'name', 'status', 'data'].map((key) => `agent_reach.checkpoint.${key}`),
  ...['id', 'parent_id', 'name', 'start_time'].map((key) => `agent_reach.open_span.${key}`),
]

const events = fc.record(
  {
    name: fc.oneof(
      fc.constantFrom('exception', 'agent_reach.checkpoint', 'agent_reach.open_span', 'ai.stream.firstChunk'),
      fc.string(),
    ),
    time: times,
    attributes: fc
      .array(fc.tuple(fc.constantFrom(...EVENT_KEYS), values))
      .map((list) => Object.fromEntries(list) as Attributes),
  },
  { requiredKeys: ['name', 'time'] },
)

const ids = fc.oneof(fc.constantFrom('', '0'.repeat(16), 'AABBCCDDEEFF0011', '__proto__'), fc.string())

const spans: fc.Arbitrary<SpanView> = fc
  .record({
    name: fc.oneof(texts, fc.string()),
    traceId: ids,
    spanId: ids,
    parent: fc.option(ids),
    sdk: fc.constantFrom(1, 2),
    startTime: times,
    endTime: times,
    status: fc.record({
      code: fc.oneof(fc.constantFrom(0, 1, 2), fc.double()),
      message: fc.option(texts, { nil: undefined }),
    }),
    attributes: attributeMaps,
    events: fc.array(events, { maxLength: 4 }),
    droppedAttributesCount: fc.constantFrom(0, 3, undefined),
  })
  .map(({ traceId, spanId, parent, sdk, ...rest }) => ({
    ...rest,
    spanContext: () => ({ traceId, spanId }),
    ...(parent === null
      ? {}
      : sdk === 1
        ? { parentSpanId: parent }
        : { parentSpanContext: { spanId: parent } }),
    resource: { attributes: {} },
  }))

describe('any span at all', () => {
  it('is read, explained and condensed without a throw, in little time, within bounds', () => {
    fc.assert(
      fc.property(spans, (span) => {
        const started = performance.now()
        checkBounds(readAll(span))
        expect(performance.now() - started).toBeLessThan(5_000)
      }),
      { numRuns: 3_000 },
    )
  })

  it('is read the same each time, and with its keys in any order', () => {
    fc.assert(
      fc.property(attributeMaps, (attributes) => {
        const reversed = Object.fromEntries(Object.entries(attributes).toReversed())
        expect(condensed(attributes)).toBe(condensed(attributes))
        expect(condensed(reversed)).toBe(condensed(attributes))
      }),
      { numRuns: 500 },
    )
  })
})

function spanOf(attributes: Attributes): SpanView {
  return {
    name: 'span',
    spanContext: () => ({ traceId: '1'.repeat(32), spanId: '2'.repeat(16) }),
    startTime: [1, 0],
    endTime: [2, 0],
    status: { code: 0 },
    attributes,
    events: [],
    resource: { attributes: {} },
  }
}

function condensed(attributes: Attributes): string {
  return canonicalJson(condenseStep(readStep(spanOf(attributes)), []))
}

/** Which dialect reads which fields under a key, and in what way. */
function waysOf(key: string): string {
  return JSON.stringify(fieldsByKey.get(key)?.map((row) => ({ ...row, key: '', rank: 0 })))
}

describe('nesting that no reader should follow', () => {
  const deepText = '['.repeat(50_000) + ']'.repeat(50_000)
  const deep: readonly (readonly [string, unknown])[] = [
    ['50,000 levels of lists as text', deepText],
    ['50,000 levels of lists as text that stops', '['.repeat(50_000)],
    ['50,000 levels of lists as text encoded twice', JSON.stringify(deepText)],
    ['10,000 levels of objects as text', '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000)],
    ['a list of parsed JSON of 50,000 levels', [JSON.parse(deepText)]],
    ['10,000 levels of native lists and maps', deepNative],
    ['a map that holds itself', loop],
  ]
  const kinds: readonly Attributes[] = [
    { [GEN_AI_OPERATION_NAME]: 'chat' },
    { [GEN_AI_OPERATION_NAME]: 'execute_tool' },
    { [GEN_AI_OPERATION_NAME]: 'invoke_agent' },
    { [OPENINFERENCE_SPAN_KIND]: 'LLM' },
    { [OPENINFERENCE_SPAN_KIND]: 'RETRIEVER' },
    { [AI_SDK_OPERATION_ID]: 'ai.generateText.doGenerate' },
  ]
  const listed: ReadonlySet<Field> = new Set<Field>([
    'input',
    'output',
    'output.calls',
    'call.arguments',
    'call.result',
    'tool.definitions',
    'retrieval.documents',
    'finish.reasons',
    'node.requires',
    'session.id',
    'tokens.input',
  ])
  const contentKeys = [...fieldsByKey].flatMap(([key, rows]) =>
    rows.some(({ field }) => listed.has(field)) ? [key] : [],
  )
  const flattened = [
    'llm.output_messages.0.message.content',
    'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments',
    'llm.tools.0.tool.json_schema',
    'retrieval.documents.0.document.content',
    'gen_ai.completion.0.content',
    'gen_ai.completion.0.tool_calls.0.arguments',
  ]
  /** Some dialects have a key for the same of each of their types: one of those stands for all. */
  const distinct = [...new Map(contentKeys.map((key) => [waysOf(key), key])).values()]

  it.each(deep)('does not overflow the stack or take long under any key of content: %s', (_what, value) => {
    const started = performance.now()
    // Writing down as much as is compared of a map without end takes its time.
    const places = [...(value === loop ? distinct : contentKeys), ...flattened]
    for (const kind of value === loop ? kinds.slice(0, 2) : kinds) {
      for (const key of places) readAll(spanOf({ ...kind, ...named(key), [key]: value }))
    }
    expect(performance.now() - started).toBeLessThan(60_000)
  })

  it.each(deep)('does not overflow the stack where it is decoded or written: %s', (_what, value) => {
    // What holds itself never comes so far: it is longer than any content that is decoded.
    if (value !== loop) expect(() => decodeNested(value, 3)).not.toThrow()
    expect(canonicalJson(value, CONTENT_LIMIT).length).toBeLessThan(2 * CONTENT_LIMIT)
  })
})

/** A tool call needs a name beside its arguments. */
function named(key: string): Attributes {
  return key.endsWith('.arguments') ? { [key.replace(/\.arguments$/u, '.name')]: 'f' } : {}
}
