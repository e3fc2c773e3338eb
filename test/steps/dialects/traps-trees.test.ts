import { describe, expect, it } from 'vitest'
import { decodeTraces } from '../../../src/otlp/decode-json.ts'
import { readStep } from '../../../src/steps/read-step.ts'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { agent, model, reportOf, reportsOf, toSpans } from '../../chain/trace-script.ts'

describe('totals above the calls that they are the sum of', () => {
  it('of a run of LangSmith whose output holds the messages: counted once', () => {
    const run = (type: string, input: number, output: number): Attributes => ({
      'langsmith.span.kind': type,
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
      'gen_ai.usage.total_tokens': input + output,
    })
    const report = reportOf([
      { id: 'c', at: 0, ms: 90, attributes: run('chain', 300, 30) },
      {
        id: 'p',
        parent: 'c',
        at: 1,
        ms: 1,
        attributes: { 'langsmith.span.kind': 'prompt', 'gen_ai.operation.name': 'chat' },
      },
      { id: 'a', parent: 'c', at: 3, attributes: run('llm', 100, 10) },
      { id: 'b', parent: 'c', at: 9, attributes: run('llm', 200, 20) },
    ])
    expect(report.tokens).toMatchObject({ input: 300, output: 30 })
    expect([report.token_count, report.model_calls]).toEqual([330, 2])
    expect(report.usage_check.consistent).toBe(true)
  })

  it('of a root of AI SDK 4 or 5, which are those of its last step: the steps count', () => {
    const call = (id: string, input: number, output: number): Attributes => ({
      'ai.operationId': id,
      'ai.usage.promptTokens': input,
      'ai.usage.completionTokens': output,
    })
    const report = reportOf([
      { id: 'r', at: 0, ms: 90, attributes: call('ai.generateText', 200, 20) },
      { id: 'a', parent: 'r', at: 1, attributes: call('ai.generateText.doGenerate', 100, 10) },
      { id: 'b', parent: 'r', at: 9, attributes: call('ai.generateText.doGenerate', 200, 20) },
    ])
    expect(report.tokens).toMatchObject({ input: 300, output: 30 })
    expect(report.usage_check.consistent).toBe(false)
  })

  it('of turns and a task of OpenAI Agents above responses: counted once', () => {
    const usage = (input: number, output: number): object => ({ input_tokens: input, output_tokens: output })
    const turn = (id: string, number: number, counts: object): object => ({
      id,
      parent_id: 'span_agent',
      span_data: {
        type: 'custom',
        name: 'turn',
        data: { sdk_span_type: 'turn', turn: number, agent_name: 'support', usage: counts },
      },
    })
    const response = (id: string, parent: string, counts: object): object => ({
      id,
      parent_id: parent,
      span_data: { type: 'response', response_id: `resp_${id}`, _response: { usage: counts } },
    })
    const total = { ...usage(300, 30), total_tokens: 330, requests: 2 }
    const objects = [
      {
        id: 'span_task',
        parent_id: null,
        span_data: {
          type: 'custom',
          name: 'task',
          data: { sdk_span_type: 'task', name: 'Agent workflow', usage: total },
        },
      },
      { id: 'span_agent', parent_id: 'span_task', span_data: { type: 'agent', name: 'support' } },
      turn('span_t1', 1, usage(100, 10)),
      response('span_r1', 'span_t1', usage(100, 10)),
      turn('span_t2', 2, usage(200, 20)),
      response('span_r2', 'span_t2', usage(200, 20)),
    ]
    const reportWith = (data: readonly object[]) => {
      const body = data.map((object) => ({
        object: 'trace.span',
        trace_id: 'trace_0af7651916cd43dd8448eb211c80319c',
        started_at: '2026-11-30T12:00:00Z',
        ended_at: '2026-11-30T12:00:01Z',
        ...object,
      }))
      return reportsOf(decodeTraces({ data: body }).spans)[0]
    }
    const expected = { token_count: 330, agent_name: 'support', usage_check: { consistent: true } }
    expect(reportWith(objects)).toMatchObject(expected)
    // As the exporter of the SDK sends it: the responses have lost their counts.
    const sent = objects.map((object) => {
      const { span_data: data } = object as { span_data: object }
      return { ...object, span_data: { ...data, _response: undefined } }
    })
    expect(reportWith(sent)).toMatchObject(expected)
  })
})

describe('one call that two instrumentations recorded', () => {
  it.each([
    ['gen_ai.response.id', 'gen_ai.response.id'],
    ['ai.response.id', 'ai.response.id'],
  ])('is counted once where both have one response id, %s', (_key, key) => {
    const counts = { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 10 }
    const report = reportOf([
      { id: 'a', at: 0, ms: 90, attributes: agent('support') },
      {
        id: 's',
        parent: 'a',
        at: 1,
        ms: 20,
        attributes: { 'ai.operationId': 'ai.generateText.doGenerate', [key]: 'resp_1', ...counts },
      },
      {
        id: 'p',
        parent: 'a',
        at: 2,
        ms: 10,
        attributes: model('Hi', { 'gen_ai.response.id': 'resp_1', ...counts }),
      },
    ])
    expect(report.token_count).toBe(110)
  })
})

describe('the root of a run', () => {
  it('is the first agent span below a span of the server, whose time is not that of the run', () => {
    const report = reportOf([
      { id: 'http', at: 0, ms: 500, attributes: { 'http.request.method': 'POST' } },
      { id: 'a', parent: 'http', at: 100, ms: 90, attributes: agent('support') },
      { id: 'm', parent: 'a', at: 110, ms: 10, attributes: model('Hello') },
    ])
    expect([report.agent_name, report.total_latency_ms, report.step_count]).toEqual(['support', 90, 2])
  })

  it('is the same where its parent is in another process and never seen', () => {
    const report = reportOf([
      { id: 'a', parent: 'away', at: 100, ms: 90, attributes: agent('support') },
      { id: 'm', parent: 'a', at: 110, ms: 10, attributes: model('Hello') },
    ])
    expect([report.agent_name, report.total_latency_ms]).toEqual(['support', 90])
  })

  it('is found by the parent of SDK 1.x, too', () => {
    const spans = toSpans([
      { id: 'a', at: 0, ms: 90, attributes: agent('support') },
      { id: 'm', parent: 'a', at: 1, ms: 10, attributes: model('Hello') },
    ]).map(({ parentSpanContext, ...span }) => ({ ...span, parentSpanId: parentSpanContext?.spanId }))
    const [report] = reportsOf(spans)
    expect(report).toMatchObject({ agent_name: 'support', step_count: 2, total_latency_ms: 90 })
  })

  it('has its scope under the name that OTLP had for it before 1.0, too', () => {
    const span = {
      traceId: '5b8efff798038103d269b633813fc60c',
      spanId: 'eee19b7ec3c1b174',
      startTimeUnixNano: '1',
      endTimeUnixNano: '2',
    }
    const body = {
      resourceSpans: [
        { instrumentationLibrarySpans: [{ instrumentationLibrary: { name: 'ai' }, spans: [span] }] },
      ],
    }
    const [decoded] = decodeTraces(body).spans
    expect(decoded === undefined ? null : readStep(decoded).scopeName).toBe('ai')
  })
})

describe('a call whose arguments did not pass', () => {
  it('has a span in OpenAI Agents, and is a failed call', () => {
    const at = { started_at: '2026-11-30T12:00:00Z', ended_at: '2026-11-30T12:00:01Z' }
    const base = { object: 'trace.span', trace_id: 'trace_0af7651916cd43dd8448eb211c80319c', ...at }
    const { spans } = decodeTraces([
      { ...base, id: 'span_a', span_data: { type: 'agent', name: 'support' } },
      {
        ...base,
        id: 'span_f',
        parent_id: 'span_a',
        span_data: { type: 'function', name: 'forecast', input: '', output: '' },
        error: { message: 'Error running tool (non-fatal)', data: { tool_name: 'forecast' } },
      },
    ])
    const [report] = reportsOf(spans)
    expect(report?.tool_calls).toBe(1)
    expect(report?.findings.map(({ code }) => code)).toContain('exception')
    expect(report?.findings.map(({ code }) => code)).not.toContain('empty_result')
  })

  it('has none in the AI SDK, and never ran', () => {
    const asked = [
      { toolCallId: 'c1', toolName: 'forecast', input: '{"town":1}' },
      { toolCallId: 'c2', toolName: 'current_time', input: '{}' },
    ]
    const report = reportOf([
      { id: 'r', at: 0, ms: 90, attributes: { 'ai.operationId': 'ai.generateText' } },
      {
        id: 'a',
        parent: 'r',
        at: 1,
        attributes: {
          'ai.operationId': 'ai.generateText.doGenerate',
          'ai.response.toolCalls': JSON.stringify(asked),
        },
      },
      {
        id: 't',
        parent: 'r',
        at: 3,
        attributes: {
          'ai.operationId': 'ai.toolCall',
          'ai.toolCall.name': 'current_time',
          'ai.toolCall.id': 'c2',
          'ai.toolCall.args': '{}',
          'ai.toolCall.result': '"noon"',
        },
      },
    ])
    expect(report.findings.map(({ code, message }) => [code, message.includes('forecast')])).toContainEqual([
      'call_never_executed',
      true,
    ])
  })
})
