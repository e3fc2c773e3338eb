import { describe, expect, it } from 'vitest'
import { createTraceDecoder, decodeTraces } from '../../src/otlp/decode-json.ts'
import type { DecodedSpan } from '../../src/otlp/decoded-span.ts'
import { readStep } from '../../src/steps/read-step.ts'

const TRACE = 'trace_0af7651916cd43dd8448eb211c80319c'
const AGENT = 'span_b7ad6b71692033310123abcd'

const AGENT_SPAN = {
  object: 'trace.span',
  id: AGENT,
  trace_id: TRACE,
  parent_id: null,
  started_at: '2026-11-30T12:00:00.250Z',
  ended_at: '2026-11-30T12:00:02.000Z',
  span_data: { type: 'agent', name: 'support', tools: ['forecast'], handoffs: [], output_type: 'string' },
  error: null,
}

const FUNCTION_SPAN = {
  ...AGENT_SPAN,
  id: 'span_00000000000000010000cdef',
  parent_id: AGENT,
  span_data: { type: 'function', name: 'forecast', input: '{"city":"Paris"}', output: 'rain' },
}

const TRACE_OBJECT = {
  object: 'trace',
  id: TRACE,
  workflow_name: 'Agent workflow',
  group_id: 'thread-7',
  metadata: {},
}

function decodeOne(fields: object): DecodedSpan {
  const { spans } = decodeTraces({ ...AGENT_SPAN, ...fields })
  if (spans[0] === undefined) throw new Error('Expected a span, found none')
  return spans[0]
}

function nameOf(spanData: object): string {
  return decodeOne({ span_data: spanData }).name
}

describe('a span of the OpenAI Agents SDK', () => {
  it('is read with its ids in hex, its times and its name', () => {
    const { signal, spans, rejected } = decodeTraces(AGENT_SPAN)
    expect([signal, rejected]).toEqual(['traces', []])
    expect(spans).toHaveLength(1)
    expect(spans[0]?.spanContext()).toEqual({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
    })
    expect(spans[0]).toMatchObject({
      name: 'support',
      parentSpanContext: undefined,
      startTime: [1_796_040_000, 250_000_000],
      endTime: [1_796_040_002, 0],
      status: { code: 0 },
    })
  })

  it('has the id of its parent as the parent itself has it', () => {
    expect(decodeOne(FUNCTION_SPAN).parentSpanContext?.spanId).toBe('b7ad6b7169203331')
  })

  it('is a step like that of any other instrumentation', () => {
    expect(readStep(decodeOne(FUNCTION_SPAN))).toMatchObject({
      kind: 'tool',
      toolName: 'forecast',
      nodeName: 'forecast',
      callId: null,
    })
    expect(readStep(decodeOne(FUNCTION_SPAN)).input.value).toEqual({ city: 'Paris' })
    expect(readStep(decodeOne({}))).toMatchObject({ kind: 'agent', agentName: 'support' })
  })

  it.each([
    ['an agent by its name', { type: 'agent', name: 'support' }, 'support'],
    ['a call of a model by its type', { type: 'response', response_id: 'resp_1' }, 'response'],
    [
      'a handoff by the tool that asks for it',
      { type: 'handoff', to_agent: 'Refund desk' },
      'transfer_to_Refund_desk',
    ],
    ['a handoff to nobody', { type: 'handoff', to_agent: null }, 'transfer_to_agent'],
    ['a list of tools by its server', { type: 'mcp_tools', server: 'files' }, 'mcp_tools files'],
    ['a turn by its number', { type: 'custom', name: 'turn', data: { turn: 2 } }, 'turn 2'],
    ['a turn as the program has it', { type: 'turn', turn: 2, agent_name: 'support' }, 'turn 2'],
    ['a task as the program has it', { type: 'task', name: 'Agent workflow' }, 'Agent workflow'],
    [
      'a task by the name of the workflow',
      { type: 'custom', name: 'task', data: { sdk_span_type: 'task', name: 'Agent workflow' } },
      'Agent workflow',
    ],
    ['a span of the user by its name', { type: 'custom', name: 'cleanup', data: {} }, 'cleanup'],
    ['anything else as a span', {}, 'span'],
  ])('is called: %s', (_what, spanData, name) => {
    expect(nameOf(spanData)).toBe(name)
  })

  it.each([
    [
      'with microseconds and an offset, as Python writes them',
      '2026-11-30T13:00:00.123456+01:00',
      [1_796_040_000, 123_456_000],
    ],
    ['with nanoseconds', '2026-11-30T12:00:00.123456789Z', [1_796_040_000, 123_456_789]],
    ['without a fraction', '2026-11-30T12:00:00Z', [1_796_040_000, 0]],
    ['without an offset, in UTC', '2026-11-30T12:00:00.5', [1_796_040_000, 500_000_000]],
  ])('has times %s', (_what, text, expected) => {
    expect(decodeOne({ started_at: text }).startTime).toEqual(expected)
  })

  it('has an error that says what failed and why', () => {
    const error = {
      message: 'Error running tool (non-fatal)',
      data: { tool_name: 'forecast', error: 'Error: no such city' },
    }
    expect(decodeOne({ error }).status).toEqual({
      code: 2,
      message: 'Error running tool (non-fatal): Error: no such city',
    })
    expect(decodeOne({ error: { message: 'Error in agent run', data: null } }).status).toEqual({
      code: 2,
      message: 'Error in agent run',
    })
    expect(decodeOne({ error: {} }).status).toEqual({ code: 2, message: undefined })
  })

  it('of a call whose arguments are no JSON is a failed tool without arguments, not one with empty ones', () => {
    const step = readStep(
      decodeOne({
        span_data: { type: 'function', name: 'forecast', input: '', output: '' },
        error: { message: 'Error running tool (non-fatal)', data: { tool_name: 'forecast' } },
      }),
    )
    expect(step).toMatchObject({
      kind: 'tool',
      toolName: 'forecast',
      status: 'error',
      error: { type: null, message: 'Error running tool (non-fatal)' },
    })
    expect([step.input.state, step.output.state]).toEqual(['absent', 'absent'])
  })
})

describe('ids of the OpenAI Agents SDK', () => {
  function idsOf(fields: object): { traceId: string; spanId: string } {
    return decodeOne(fields).spanContext()
  }

  it('that a program chose have ids of their digest, the same each time', () => {
    // printf %s my-trace | sha256sum; printf %s step-1 | sha256sum
    expect(idsOf({ trace_id: 'my-trace', id: 'step-1' })).toEqual({
      traceId: '670c0f140bf357e6d99293ad6cf0d246',
      spanId: 'fec07dd14ac0d78f',
    })
  })

  it('are read in either case, and never as no id', () => {
    expect(idsOf({ trace_id: TRACE.toUpperCase().replace('TRACE_', 'trace_') }).traceId).toBe(
      '0af7651916cd43dd8448eb211c80319c',
    )
    expect(idsOf({ id: 'span_0000000000000000abcdef01' }).spanId).toMatch(/^(?!0{16})[0-9a-f]{16}$/u)
    expect(idsOf({ trace_id: `trace_${'0'.repeat(32)}` }).traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/u)
  })
})

describe('tracing objects', () => {
  it.each([
    ['a list', [TRACE_OBJECT, AGENT_SPAN, null, FUNCTION_SPAN]],
    ['what the exporter of the SDK sends', { data: [TRACE_OBJECT, AGENT_SPAN, FUNCTION_SPAN] }],
  ])('may stand in %s', (_what, body) => {
    const { signal, spans, rejected } = decodeTraces(body)
    expect([signal, spans.length, rejected.length]).toEqual(['traces', 2, 0])
  })

  it('are those with a known object, and nothing else', () => {
    for (const body of [
      { object: 'list', data: [] },
      { object: 'trace.spans' },
      [],
      [1],
      { data: [{}] },
      null,
    ]) {
      expect(decodeTraces(body).signal).toBe('unknown')
    }
  })

  it('of a trace tell the spans behind it which group they belong to', () => {
    const decode = createTraceDecoder()
    expect(decode(TRACE_OBJECT)).toMatchObject({ signal: 'traces', spans: [], rejectedSpans: 0 })
    const [span] = decode(FUNCTION_SPAN).spans
    expect(span === undefined ? null : readStep(span).sessionId).toBe('thread-7')
    expect(readStep(decodeOne(FUNCTION_SPAN)).sessionId).toBeNull()
  })

  it('of a trace tell so of the spans before it, too, in one list', () => {
    const [span] = decodeTraces([FUNCTION_SPAN, TRACE_OBJECT]).spans
    expect(span === undefined ? null : readStep(span).sessionId).toBe('thread-7')
  })

  it('without an id or a time are left out and told, the others are not touched by it', () => {
    const { spans, rejected, rejectedSpans } = decodeTraces({
      data: [
        { ...AGENT_SPAN, ended_at: null },
        AGENT_SPAN,
        { ...AGENT_SPAN, trace_id: 7 },
        { ...AGENT_SPAN, id: '' },
        { ...AGENT_SPAN, started_at: 'yesterday' },
      ],
    })
    expect([spans.length, rejectedSpans]).toEqual([1, 4])
    expect(rejected.map(({ reason, path }) => `${reason} ${path}`)).toEqual([
      'invalid_time data[0].ended_at',
      'invalid_trace_id data[2].trace_id',
      'invalid_span_id data[3].id',
      'invalid_time data[4].started_at',
    ])
  })

  it('of odd shapes are read as far as they can be', () => {
    const { spans } = decodeTraces({ ...AGENT_SPAN, span_data: null, error: 'boom', parent_id: 7 })
    expect(spans[0]).toMatchObject({
      name: 'span',
      parentSpanContext: undefined,
      status: { code: 2, message: 'boom' },
    })
  })
})
