import { describe, expect, it } from 'vitest'
import { canonicalReport } from '../../../src/report/report-digest.ts'
import type { Attributes } from '../../../src/steps/span-view.ts'
import {
  agent,
  model,
  reportOf,
  reportsOf,
  type ScriptSpan,
  tokens,
  tool,
  toSpans,
} from '../../chain/trace-script.ts'
import { readSpan, readTool } from '../read-span.ts'

const statusOf = (script: readonly ScriptSpan[], node: string): string | undefined =>
  reportOf(script).nodes.find(({ node_name }) => node_name === node)?.status

function observation(type: string, more: Attributes = {}): Attributes {
  return { 'langfuse.observation.type': type, ...more }
}

describe('a status that is unset is not one that is OK', () => {
  const failed = {
    'langfuse.observation.level': 'ERROR',
    'langfuse.observation.status_message': 'no such order',
  }

  it('a function that threw under observe() of Langfuse has failed, and so has what calls it', () => {
    const script: readonly ScriptSpan[] = [
      { id: 'support', at: 0, ms: 90, attributes: observation('agent', failed) },
      { id: 'order_query', parent: 'support', at: 10, ms: 5, attributes: observation('tool', failed) },
    ]
    const report = reportOf(script)
    expect(report.overall_status).toBe('failed')
    expect(report.root_cause).toMatchObject({ node_name: 'order_query', code: 'exception' })
    expect(statusOf(script, 'order_query')).toBe('unreachable')
    expect(report.findings.map(({ code, node_name }) => `${node_name} ${code}`)).toEqual([
      'order_query exception',
      'support failed_below',
    ])
  })

  it('a warning of Langfuse fails nothing', () => {
    const script: readonly ScriptSpan[] = [
      {
        id: 'support',
        at: 0,
        ms: 90,
        attributes: observation('agent', { 'langfuse.observation.level': 'WARNING' }),
      },
    ]
    expect(reportOf(script)).toMatchObject({ overall_status: 'success', findings: [] })
  })

  it.each<[string, Attributes]>([
    [
      'Traceloop',
      {
        'gen_ai.operation.name': 'execute_tool',
        'traceloop.span.kind': 'task',
        'traceloop.entity.name': 't',
      },
    ],
    ['Mastra', { 'mastra.span.type': 'tool_call', 'gen_ai.tool.name': 't' }],
    ['Laminar', { 'lmnr.span.type': 'TOOL', 'ai.toolCall.name': 't' }],
  ])('OK of %s is no proof that a result is usable', (_name, attributes) => {
    const key = 'gen_ai.tool.call.result'
    const script = (result: string): readonly ScriptSpan[] => [
      { id: 'a', at: 0, ms: 90, attributes: agent('support'), status: { code: 1 } },
      {
        id: 't',
        parent: 'a',
        at: 10,
        ms: 5,
        attributes: { ...attributes, [key]: result },
        status: { code: 1 },
      },
    ]
    expect(statusOf(script('{"error":"no such order"}'), 't')).toBe('reached_invalid')
    expect(statusOf(script('{"order":1}'), 't')).toBe('reached')
  })
})

describe('what is called a session', () => {
  it.each<[string, Attributes]>([
    ['the conversation of Traceloop', { 'traceloop.span.kind': 'agent', 'gen_ai.conversation.id': 's-1' }],
    ['the session of Langfuse', observation('agent', { 'session.id': 's-1' })],
    ['the thread of Mastra', { 'mastra.span.type': 'agent_run', 'gen_ai.conversation.id': 's-1' }],
    [
      'the association of Laminar',
      { 'lmnr.span.type': 'DEFAULT', 'lmnr.association.properties.session_id': 's-1' },
    ],
  ])('is the conversation: %s', (_name, attributes) => {
    expect(reportOf([{ id: 'a', at: 0, attributes }]).session_id).toBe('s-1')
  })

  it.each<[string, Attributes]>([
    ['a run of Mastra', { 'mastra.span.type': 'agent_run', 'mastra.metadata.runId': 'r-1' }],
    ['a trace of Langfuse', observation('agent', { 'langfuse.trace.name': 't-1', 'user.id': 'u-1' })],
    ['a path of Laminar', { 'lmnr.span.type': 'DEFAULT', 'lmnr.span.ids_path': ['1', '2'] }],
  ])('is none: %s', (_name, attributes) => {
    expect(reportOf([{ id: 'a', at: 0, attributes }]).session_id).toBeNull()
  })
})

describe('what a parent hands down to all below it', () => {
  it('names the caller of a tool or task of Traceloop, not the node', () => {
    const inherited = {
      'gen_ai.agent.name': 'planner',
      'gen_ai.conversation.id': 'c-9',
      'traceloop.workflow.name': 'planner',
    }
    const script: readonly ScriptSpan[] = [
      {
        id: 'a',
        name: 'planner.agent',
        at: 0,
        ms: 90,
        attributes: { ...inherited, 'traceloop.span.kind': 'agent', 'traceloop.entity.name': 'planner' },
      },
      {
        id: 't',
        name: 'calc.tool',
        parent: 'a',
        at: 10,
        ms: 5,
        attributes: { ...inherited, 'traceloop.span.kind': 'tool', 'traceloop.entity.name': 'calc' },
      },
      {
        id: 'k',
        name: 'gather.task',
        parent: 'a',
        at: 20,
        ms: 5,
        attributes: { ...inherited, 'traceloop.span.kind': 'task', 'traceloop.entity.name': 'gather' },
      },
      {
        id: 'h',
        name: 'GET',
        parent: 'a',
        at: 30,
        ms: 5,
        attributes: { ...inherited, 'http.request.method': 'GET' },
      },
    ]
    const report = reportOf(script)
    expect(report.nodes.map(({ node_name }) => node_name).toSorted()).toEqual(['calc', 'gather', 'planner'])
    expect(report).toMatchObject({ step_count: 3, span_count: 4, agent_name: 'planner', session_id: 'c-9' })
    expect(
      readTool({ ...inherited, 'traceloop.span.kind': 'tool', 'traceloop.entity.name': 'calc' }),
    ).toMatchObject({
      agentName: 'planner',
      nodeName: 'calc',
    })
  })

  it('makes no step of a plain span of Langfuse or Laminar', () => {
    expect(readSpan({ 'session.id': 's-1', 'user.id': 'u-1' }).kind).toBe('other')
    const laminar = {
      'lmnr.association.properties.session_id': 's-1',
      'lmnr.association.properties.user_id': 'u-1',
      'lmnr.span.path': ['run', 'GET'],
      'lmnr.span.instrumentation_source': 'javascript',
    }
    expect(readSpan(laminar).kind).toBe('other')
  })
})

describe('a pending span of Logfire', () => {
  const pending = (id: string, of: string, at: number, attributes: Attributes): ScriptSpan => ({
    id,
    name: of,
    parent: of,
    at,
    ms: 0,
    attributes: { ...attributes, 'logfire.span_type': 'pending_span', 'logfire.pending_parent_id': '0' },
  })
  const span = { 'logfire.span_type': 'span' }
  const run = agent('joker', { ...span, ...tokens(300, 30) })
  const chat = model('A joke.', { ...span, ...tokens(300, 30), 'operation.cost': 0.25 })
  const joke = tool('joke', { topic: 'rain' }, 'Drip.', span)
  const real: readonly ScriptSpan[] = [
    { id: 'run', at: 0, ms: 90, attributes: run },
    { id: 'chat', parent: 'run', at: 10, ms: 5, attributes: chat },
    { id: 'joke', parent: 'run', at: 20, ms: 5, attributes: joke },
  ]
  const announced: readonly ScriptSpan[] = [
    pending('p1', 'run', 0, run),
    pending('p2', 'chat', 10, chat),
    pending('p3', 'joke', 20, joke),
  ]

  it('changes nothing of a report, whenever it comes', () => {
    const expected = canonicalReport(reportOf(real))
    expect(canonicalReport(reportOf([...announced, ...real]))).toBe(expected)
    expect(canonicalReport(reportOf([...real, ...announced]))).toBe(expected)
    expect(reportOf([...announced, ...real])).toMatchObject({
      span_count: 3,
      step_count: 3,
      token_count: 330,
      estimated_cost_usd: 0.25,
      model_calls: 1,
      tool_calls: 1,
      findings: [],
    })
  })

  it('is all there is of a run that never ended, and makes no step of it', () => {
    const [report] = reportsOf(toSpans(announced))
    expect(report?.step_count ?? 0).toBe(0)
  })
})
