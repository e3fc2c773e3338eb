import { describe, expect, it } from 'vitest'
import { decodeTraces } from '../../../../src/otlp/decode-json.ts'
import { toOpenaiAgentsAttributes } from '../../../../src/steps/dialects/openai-agents.ts'
import { readStep } from '../../../../src/steps/read-step.ts'
import type { Attributes } from '../../../../src/steps/span-view.ts'
import type { Step } from '../../../../src/steps/step.ts'
import { agent, model, reportOf, type ScriptSpan } from '../../../chain/trace-script.ts'
import { type Scripted, startRecording, toApiAttributes } from '../../../processors/record-run.ts'
import { readModel, readTool } from '../../read-span.ts'
import {
  asksForDays,
  codesOf,
  forecastIn,
  forecastRun,
  inEachDialect,
  judgedBy,
  type RecordedTool,
} from './recorded-tools.ts'

const PARIS = '{"city":"Paris"}'

function readRecorded({ tool }: RecordedTool, attributes: Attributes, dropped = 0): Step {
  return readTool({ ...tool, ...attributes }, { name: 'forecast', droppedAttributesCount: dropped })
}

describe('trap 5: JSON stands in JSON, as deep as each instrumentation likes', () => {
  it.each<[string, Attributes, Attributes]>([
    [
      'OpenInference for the AI SDK, which encodes arguments twice',
      { 'openinference.span.kind': 'TOOL', 'tool.name': 'forecast' },
      { 'input.value': '"{\\"days\\":3,\\"city\\":\\"Paris\\"}"' },
    ],
    [
      'OpenInference, parameters encoded twice',
      { 'openinference.span.kind': 'TOOL', 'tool.name': 'forecast' },
      { 'tool.parameters': '"{\\"days\\":3,\\"city\\":\\"Paris\\"}"' },
    ],
    [
      'Traceloop, where LangChain calls the tool',
      { 'gen_ai.operation.name': 'execute_tool', 'traceloop.span.kind': 'task' },
      { 'traceloop.entity.input': '{"args":["{\\"days\\":3,\\"city\\":\\"Paris\\"}"]}' },
    ],
    [
      'Traceloop, a decorated function',
      { 'traceloop.span.kind': 'tool' },
      { 'traceloop.entity.input': '{"args":[],"kwargs":{"days":3,"city":"Paris"}}' },
    ],
    [
      'LangSmith, which wraps the input of a tool of LangChain',
      { 'langsmith.span.kind': 'tool' },
      { 'gen_ai.prompt': '{"input":"{\\"days\\":3,\\"city\\":\\"Paris\\"}"}' },
    ],
    [
      'the AI SDK, white space and all',
      { 'ai.operationId': 'ai.toolCall' },
      { 'ai.toolCall.args': '{ "days": 3,\n "city": "Paris" }' },
    ],
  ])('arguments are one: %s', (_source, tool, recorded) => {
    expect(readTool({ ...tool, ...recorded }).input.identity).toBe('{"city":"Paris","days":3}')
  })

  it.each(inEachDialect)(
    'a call is the one that was asked for, however deep it is encoded, in %s',
    (_, tool) => {
      for (const encoded of [PARIS, '{ "city" : "Paris" }', JSON.stringify(PARIS)]) {
        const report = reportOf(forecastRun(tool, { [tool.args]: encoded, [tool.result]: '{"rain":true}' }))
        expect(report).toMatchObject({ findings: [], tool_calls: 1, model_calls: 1 })
      }
    },
  )

  it.each(inEachDialect)(
    'a call that repeats itself in ever other encodings is a loop, in %s',
    (_, recorded) => {
      const encodings = [
        PARIS,
        JSON.stringify(PARIS),
        JSON.stringify(JSON.stringify(PARIS)),
        '{ "city" : "Paris" }',
      ]
      const script: readonly ScriptSpan[] = [
        { id: 'a', at: 0, ms: 900, attributes: agent('support') },
        ...[...encodings, PARIS].map((input, index) => ({
          id: `t${index}`,
          name: 'forecast',
          parent: 'a',
          at: 10 + index * 10,
          ms: 5,
          attributes: { ...recorded.tool, [recorded.args]: input, [recorded.result]: '{"rain":true}' },
        })),
      ]
      expect(codesOf(reportOf(script))).toContain('loop')
    },
  )

  it('is decoded three levels deep, and no deeper', () => {
    const encode = (times: number): string =>
      Array.from({ length: times }).reduce<string>((text) => JSON.stringify(text), PARIS)
    const read = (text: string): unknown =>
      readTool({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.arguments': text }).input.value
    // The object as JSON text is the first level.
    expect([0, 1, 2].map((times) => read(encode(times)))).toEqual([
      { city: 'Paris' },
      { city: 'Paris' },
      { city: 'Paris' },
    ])
    expect(read(encode(3))).toBe(PARIS)
  })

  it.each([
    ['a text in the list, as generateText of AI SDK 5 has it', '"{\\"city\\":\\"Paris\\"}"'],
    ['an object in the list, as streamText has it', '{"city":"Paris"}'],
  ])('the input of a call that AI SDK 5 asked for is %s', (_shape, input) => {
    const { calls } = readModel({
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.response.toolCalls': `[{"toolCallId":"c1","toolName":"forecast","input":${input}}]`,
    }).readOutput()
    expect(calls).toMatchObject([
      { id: 'c1', name: 'forecast', arguments: { city: 'Paris' }, malformed: false },
    ])
  })

  it('the answer of a tool of LangChain under Traceloop is a message that tells name, id and content', () => {
    const step = readTool({
      'gen_ai.operation.name': 'execute_tool',
      'traceloop.span.kind': 'task',
      'traceloop.entity.name': 'DynamicStructuredTool',
      'traceloop.entity.input': '{"args":["{\\"city\\":\\"Paris\\",\\"days\\":3}"]}',
      'traceloop.entity.output':
        '{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],"kwargs":{"status":"success","content":"{\\"rain\\":true}","tool_call_id":"call_9","name":"forecast"}}',
    })
    expect(step).toMatchObject({ toolName: 'forecast', nodeName: 'forecast', callId: 'call_9' })
    expect(step.input.value).toEqual({ city: 'Paris', days: 3 })
    expect(step.output.value).toEqual({ rain: true })
  })

  it.each<[string, Attributes, readonly string[]]>([
    [
      'a list as JSON text in Mastra',
      { 'mastra.span.type': 'model_inference', 'gen_ai.response.finish_reasons': '["tool-calls","stop"]' },
      ['tool_calls', 'stop'],
    ],
    [
      'joined by commas in LangSmith',
      { 'langsmith.span.kind': 'llm', 'gen_ai.response.finish_reasons': 'stop, length' },
      ['stop', 'length'],
    ],
    [
      'one text in Laminar',
      { 'lmnr.span.type': 'LLM', 'gen_ai.response.finish_reason': 'tool-calls' },
      ['tool_calls'],
    ],
  ])('finish reasons are %s', (_shape, attributes, expected) => {
    expect(readModel(attributes).finishReasons).toEqual(expected)
  })
})

/** A value as OTLP/JSON writes it, maps and lists included. */
function toAnyValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'number') return { intValue: String(value) }
  if (typeof value === 'boolean') return { boolValue: value }
  if (value === null) return {}
  if (Array.isArray(value)) return { arrayValue: { values: value.map(toAnyValue) } }
  return { kvlistValue: { values: toKeyValues(value as object) } }
}

function toKeyValues(fields: object): object[] {
  return Object.entries(fields).map(([key, value]) => ({ key, value: toAnyValue(value) }))
}

/** The step of a span that came by OTLP. */
function readOtlp(attributes: Attributes): Step {
  const span = {
    traceId: '5b8efff798038103d269b633813fc60c',
    spanId: 'eee19b7ec3c1b174',
    name: 'forecast',
    startTimeUnixNano: '1',
    endTimeUnixNano: '2',
    attributes: toKeyValues(attributes),
  }
  const { spans } = decodeTraces({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
  if (spans[0] === undefined) throw new Error('Expected a span, found none')
  return readStep(spans[0])
}

describe('trap 6: one SDK drops maps and mixed lists, another and the Collector carry them', () => {
  it.each(inEachDialect)('a map is what its JSON text is, in %s', (_name, { tool, args, result }) => {
    const value = { city: 'Paris', days: [1, 2] }
    const native = readOtlp({ ...tool, [args]: value, [result]: value })
    const text = readOtlp({ ...tool, [args]: JSON.stringify(value), [result]: JSON.stringify(value) })
    for (const content of [native.input, native.output]) {
      expect(content).toMatchObject({ state: 'seen', identity: '{"city":"Paris","days":[1,2]}' })
    }
    expect(text.input.identity).toBe(native.input.identity)
    expect(text.output.identity).toBe(native.output.identity)
  })

  it.each(inEachDialect)(
    'a list of mixed values is what its JSON text is, in %s',
    (_name, { tool, result }) => {
      const value = ['rain', 3, true, { wind: 'west' }]
      const native = readOtlp({ ...tool, [result]: value }).output
      expect(native).toMatchObject({ state: 'seen', identity: '["rain",3,true,{"wind":"west"}]' })
      expect(readOtlp({ ...tool, [result]: JSON.stringify(value) }).output.identity).toBe(native.identity)
    },
  )

  it.each<[string, Attributes]>([
    [
      'LangSmith',
      { 'langsmith.span.kind': 'llm', 'langsmith.usage_metadata': { input_tokens: 7, output_tokens: 3 } },
    ],
    [
      'Braintrust',
      {
        'braintrust.span_attributes': { type: 'llm' },
        'braintrust.metrics': { prompt_tokens: 7, completion_tokens: 3 },
      },
    ],
    [
      'Langfuse',
      {
        'langfuse.observation.type': 'generation',
        'langfuse.observation.usage_details': { input: 7, output: 3 },
      },
    ],
    [
      'OpenAI Agents',
      toOpenaiAgentsAttributes({ type: 'generation', usage: { input_tokens: 7, output_tokens: 3 } }, {}),
    ],
  ])('a map of counts is what its JSON text is, in %s', (_dialect, attributes) => {
    expect(readOtlp(attributes).usage).toMatchObject({ input: 7, output: 3 })
  })

  it('messages are what their JSON text is', () => {
    const messages = [
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'c1', name: 'forecast', arguments: { city: 'Paris' } }],
      },
    ]
    const read = (value: unknown): unknown =>
      readModel({ 'gen_ai.operation.name': 'chat', 'gen_ai.output.messages': value }).readOutput()
    expect(read(messages)).toEqual(read(JSON.stringify(messages)))
    expect(read(messages)).toMatchObject({ calls: [{ name: 'forecast', arguments: { city: 'Paris' } }] })
  })

  it('what the SDK has dropped is not an empty result', async () => {
    const recorder = startRecording()
    const result = { 'gen_ai.tool.call.result': { days: [] } }
    const [, , tool] = forecastRun(inEachDialect[0]?.[1] as RecordedTool, result)
    recorder.run({ name: 'run', attributes: agent('support'), below: [{ name: 'forecast', ...tool }] })
    expect(recorder.span('forecast').attributes).not.toHaveProperty(['gen_ai.tool.call.result'])
    const report = await recorder.oneReport()
    expect(report).toMatchObject({ overall_status: 'success', findings: [] })
    expect(forecastIn(report)).toMatchObject({ status: 'reached', evidence: 'none' })
  })
})

describe('trap 7: attributes beyond the limit of a span are dropped without a word', () => {
  const FULL = { droppedAttributesCount: 12 }

  it.each(inEachDialect)(
    'content may have been there, and is neither absent nor empty, in %s',
    (_name, recorded) => {
      const tool = readRecorded(recorded, {}, 12)
      expect([tool.input.state, tool.output.state]).toEqual(['dropped', 'dropped'])
      const report = judgedBy(asksForDays, forecastRun(recorded, {}, FULL))
      expect(report).toMatchObject({ overall_status: 'success', findings: [], dropped: { attributes: 12 } })
      expect(forecastIn(report)).toMatchObject({ status: 'reached', evidence: 'none' })
    },
  )

  it('the messages, session and usage of a call of OpenInference may be among them', () => {
    const step = readModel({ 'openinference.span.kind': 'LLM' }, FULL)
    expect(step.readOutput().state).toBe('dropped')
    expect(step).toMatchObject({ sessionId: null, usage: { input: null, output: null } })
    const report = reportOf([
      { id: 'a', at: 0, ms: 9, attributes: { 'openinference.span.kind': 'AGENT' }, ...FULL },
      { id: 'm', parent: 'a', at: 1, attributes: { 'openinference.span.kind': 'LLM' }, ...FULL },
    ])
    expect(report).toMatchObject({ findings: [], dropped: { attributes: 24 } })
  })

  it('as an SDK drops them: of 200 flattened messages the answer, the session and the usage are gone', async () => {
    const flattened = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`llm.input_messages.${n}.message.content`, `line ${n}`]),
    )
    const call: Scripted = {
      name: 'ChatCompletion',
      attributes: {
        'openinference.span.kind': 'LLM',
        ...flattened,
        'llm.output_messages.0.message.content': '',
        'llm.token_count.prompt': 100,
        'session.id': 's-1',
      },
    }
    const recorder = startRecording()
    recorder.run({ name: 'run', attributes: { 'openinference.span.kind': 'AGENT' }, below: [call] })
    const report = await recorder.oneReport()
    // 204 attributes, of which 128 fit.
    expect(report).toMatchObject({
      overall_status: 'success',
      findings: [],
      session_id: null,
      token_count: 0,
      dropped: { attributes: 76 },
    })
  })

  it('a tool that was asked for may have been offered: a list that was dropped makes none unknown', () => {
    const asked = model([{ id: 'c1', name: 'forecast', arguments: {} }])
    expect(codesOf(reportOf([{ id: 'm', at: 0, attributes: asked, ...FULL }]))).not.toContain('unknown_tool')
  })
})

describe('trap 8: a limit on lengths cuts JSON in mid-air', () => {
  const CUT = '{"days":[{"rain":tr'

  it.each(inEachDialect)(
    'what is left is truncated, and no violation of anything, in %s',
    (_name, recorded) => {
      const { output } = readRecorded(recorded, { [recorded.result]: CUT })
      expect(output).toMatchObject({ state: 'truncated', malformed: false, value: undefined, identity: null })
      const script = forecastRun(recorded, { [recorded.args]: PARIS, [recorded.result]: CUT })
      const report = judgedBy(asksForDays, script)
      expect(report).toMatchObject({ overall_status: 'success', findings: [] })
      expect(forecastIn(report)).toMatchObject({ status: 'reached', evidence: 'partial' })
    },
  )

  it.each(inEachDialect)('the whole is judged by the same rules, in %s', (_name, recorded) => {
    const judge = (result: string): readonly string[] =>
      codesOf(
        judgedBy(asksForDays, forecastRun(recorded, { [recorded.args]: PARIS, [recorded.result]: result })),
      )
    expect(judge('{"days":[{"rain":true}]}')).toEqual([])
    expect(judge('{"weeks":1}')).toEqual(['schema_violation'])
  })

  it.each(inEachDialect)(
    'arguments that were cut make a call neither wrong nor another one, in %s',
    (_, recorded) => {
      const script = forecastRun(recorded, {
        [recorded.args]: '{"city":"Par',
        [recorded.result]: '{"rain":true}',
      })
      expect(readRecorded(recorded, { [recorded.args]: '{"city":"Par' }).input.state).toBe('truncated')
      expect(codesOf(reportOf(script))).toEqual([])
    },
  )

  it('as an SDK cuts it: evidence is partial, nothing is found', async () => {
    const recorder = startRecording({ spanLimits: { attributeValueLengthLimit: 16 } })
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'forecast',
      'gen_ai.tool.call.result': '{"days":[{"rain":true}]}',
    }
    recorder.run({ name: 'run', attributes: agent('support'), below: [{ name: 'forecast', attributes }] })
    const report = await recorder.oneReport()
    expect(recorder.span('forecast').attributes['gen_ai.tool.call.result']).toBe('{"days":[{"rain"')
    expect(report.findings).toEqual([])
    expect(forecastIn(report)).toMatchObject({ evidence: 'partial' })
  })
})

describe('trap 9: what was redacted cannot be judged', () => {
  const MASKS = ['__REDACTED__', '[REDACTED]', '***', '<redacted>', '<masked>'] as const

  it.each(inEachDialect)('and is neither right nor wrong, in %s', (_name, recorded) => {
    for (const mask of MASKS) {
      const attributes = { [recorded.args]: mask, [recorded.result]: mask }
      const step = readRecorded(recorded, attributes)
      expect([step.input.state, step.output.state]).toEqual(['redacted', 'redacted'])
      const report = judgedBy(asksForDays, forecastRun(recorded, attributes))
      expect(report).toMatchObject({ overall_status: 'success', findings: [] })
      expect(forecastIn(report)).toMatchObject({ status: 'reached', evidence: 'none' })
    }
  })

  it.each(inEachDialect)('and neither is what capture leaves out, in %s', (_name, recorded) => {
    expect(readRecorded(recorded, {}).output).toMatchObject({ state: 'absent', key: null })
    const report = judgedBy(asksForDays, forecastRun(recorded, {}))
    expect(report.findings).toEqual([])
    expect(forecastIn(report)).toMatchObject({ evidence: 'none' })
  })

  it.each(inEachDialect)(
    'and neither is what a processor wrote undefined or null for, in %s',
    (_, recorded) => {
      for (const nothing of [undefined, null]) {
        const step = readRecorded(recorded, { [recorded.args]: nothing, [recorded.result]: nothing })
        expect([step.input.state, step.output.state]).toEqual(['absent', 'absent'])
      }
    },
  )

  it.each(inEachDialect)('an empty result is one, all the same, in %s', (_name, recorded) => {
    const script = forecastRun(recorded, { [recorded.args]: PARIS, [recorded.result]: '[]' })
    expect(codesOf(reportOf(script))).toEqual(['empty_result'])
  })

  it('equal masks in place of different arguments make no loop', () => {
    const masked = (n: number): ScriptSpan => ({
      id: `t${n}`,
      name: 'forecast',
      parent: 'a',
      at: n * 10,
      ms: 5,
      attributes: {
        'openinference.span.kind': 'TOOL',
        'tool.name': 'forecast',
        'input.value': '__REDACTED__',
      },
    })
    const script = [{ id: 'a', at: 0, ms: 90, attributes: agent('support') }, ...[1, 2, 3, 4, 5].map(masked)]
    expect(codesOf(reportOf(script))).not.toContain('loop')
  })

  it('an answer of a model that was hidden is no empty answer', () => {
    const hidden = {
      'openinference.span.kind': 'LLM',
      'llm.output_messages.0.message.content': '__REDACTED__',
    }
    expect(readModel(hidden).readOutput()).toMatchObject({ state: 'redacted', text: null })
    expect(reportOf([{ id: 'm', at: 0, attributes: toApiAttributes(hidden) }]).findings).toEqual([])
  })
})
