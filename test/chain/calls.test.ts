import { describe, expect, it } from 'vitest'
import type { ChainReport, ReportNode } from '../../src/report/chain-report.ts'
import type { SpanView } from '../../src/steps/span-view.ts'
import { agent, model, reportOf, reportsOf, type ScriptSpan, threw, tool, toSpans } from './trace-script.ts'

const failure = { error: 'connection lost' }
const order = (id: string): object => ({ order_id: id, status: 'shipped' })

function nodeOf(report: ChainReport, name: string): ReportNode {
  const node = report.nodes.find(({ node_name }) => node_name === name)
  if (node === undefined) throw new Error(`no node ${name}`)
  return node
}

describe('calls and attempts', () => {
  it('two orders of which one query fails are two calls, and the chain is partial_failed', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      { id: 'q1', parent: 'run', at: 10, attributes: tool('order_query', { order_id: 'A' }, order('A')) },
      { id: 'q2', parent: 'run', at: 20, attributes: tool('order_query', { order_id: 'B' }, failure) },
    ])
    expect(report.overall_status).toBe('partial_failed')
    expect(nodeOf(report, 'order_query')).toMatchObject({
      calls: 2,
      attempts: 2,
      retry_count: 0,
      status: 'reached_invalid',
    })
  })

  it('the same order queried again after a failure is one call with a retry, and the chain is success', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      { id: 'q1', parent: 'run', at: 10, attributes: tool('order_query', { order_id: 'A' }, failure) },
      { id: 'q2', parent: 'run', at: 20, attributes: tool('order_query', { order_id: 'A' }, order('A')) },
    ])
    expect(report.overall_status).toBe('success')
    expect(report.retry_count).toBe(1)
    expect(nodeOf(report, 'order_query')).toMatchObject({ calls: 1, attempts: 2, status: 'reached' })
    expect(report.findings).toMatchObject([{ code: 'error_in_result', severity: 'warn', recovered: true }])
    expect(report.steps.map((step) => [step.attempt, step.status])).toEqual([
      [1, 'reached_invalid'],
      [2, 'reached'],
      [1, 'reached'],
    ])
  })

  it('a further call with the same identifying argument is a retry even where other arguments differ', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      { id: 'q1', parent: 'run', at: 10, attributes: tool('q', { order_id: 'A', full: true }, failure) },
      { id: 'q2', parent: 'run', at: 20, attributes: tool('q', { order_id: 'A', full: false }, order('A')) },
    ])
    expect(report.overall_status).toBe('success')
    expect(report.retry_count).toBe(1)
  })

  it('a search with other words after a failed one is a new call: nothing identifies what it is about', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      { id: 's1', parent: 'run', at: 10, attributes: tool('search', { query: 'refunds' }, failure) },
      { id: 's2', parent: 'run', at: 20, attributes: tool('search', { query: 'returns' }, { hits: ['a'] }) },
    ])
    expect(report.overall_status).toBe('partial_failed')
    expect(nodeOf(report, 'search')).toMatchObject({ calls: 2, attempts: 2 })
  })

  it('what the runtime numbers as an attempt is one, whatever its arguments', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      { id: 's1', parent: 'run', at: 10, attributes: tool('search', { query: 'a' }, failure) },
      {
        id: 's2',
        parent: 'run',
        at: 20,
        attributes: tool('search', { query: 'b' }, { hits: ['x'] }, { 'agent_reach.node.attempt': 2 }),
      },
    ])
    expect(report.overall_status).toBe('success')
    expect(report.retry_count).toBe(1)
  })

  it('a call that keeps failing stays failed, and its attempts are counted', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      ...[10, 20, 30].map((at): ScriptSpan => ({
        id: `q${at}`,
        parent: 'run',
        at,
        attributes: tool('order_query', { order_id: 'A' }, failure),
      })),
    ])
    expect(nodeOf(report, 'order_query')).toMatchObject({ calls: 1, attempts: 3, retry_count: 2 })
    expect(report.overall_status).toBe('partial_failed')
    expect(report.summary).toContain('order_query returned an invalid result after 2 retries')
  })

  it('thirteen calls of one model are thirteen calls', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 1_000, attributes: agent('support') },
      ...Array.from({ length: 13 }, (_, n): ScriptSpan => ({
        id: `m${n}`,
        name: 'chat gpt-4o',
        parent: 'run',
        at: 10 * (n + 1),
        attributes: model(`answer ${n}`),
      })),
    ])
    expect(report.model_calls).toBe(13)
    expect(nodeOf(report, 'chat gpt-4o')).toMatchObject({ calls: 13, attempts: 13, retry_count: 0 })
  })

  it('a model call that threw and was made again with the same prompt is a retry', () => {
    const prompt = { 'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"hi"}]}]' }
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      {
        id: 'm1',
        name: 'chat gpt-4o',
        parent: 'run',
        at: 10,
        attributes: { 'gen_ai.operation.name': 'chat', ...prompt },
        ...threw('RateLimitError', '429 too many requests'),
      },
      { id: 'm2', name: 'chat gpt-4o', parent: 'run', at: 20, attributes: model('hello', prompt) },
    ])
    expect(report.overall_status).toBe('success')
    expect(report.retry_count).toBe(1)
    expect(report.findings).toMatchObject([{ code: 'rate_limited', severity: 'warn', recovered: true }])
  })

  it('a retry in the next turn of an agent loop is still a retry', () => {
    const turn = (n: number, result: object): readonly ScriptSpan[] => [
      {
        id: `step${n}`,
        parent: 'run',
        at: n * 100,
        ms: 50,
        attributes: { 'gen_ai.operation.name': 'agent_step' },
      },
      {
        id: `chat${n}`,
        parent: `step${n}`,
        at: n * 100 + 1,
        attributes: model([{ id: `c${n}`, name: 'order_query', arguments: { order_id: 'A' } }]),
      },
      {
        id: `tool${n}`,
        parent: `step${n}`,
        at: n * 100 + 5,
        attributes: tool('order_query', { order_id: 'A' }, result, { 'gen_ai.tool.call.id': `c${n}` }),
      },
    ]
    const report = reportOf([
      { id: 'run', at: 0, ms: 400, attributes: agent('support') },
      ...turn(1, failure),
      ...turn(2, order('A')),
    ])
    expect(report.overall_status).toBe('success')
    expect(nodeOf(report, 'order_query')).toMatchObject({ calls: 1, attempts: 2 })
  })

  it('calls under two sub-agents are two calls even where they are equal', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('lead') },
      { id: 'a1', parent: 'run', at: 10, ms: 20, attributes: agent('first') },
      { id: 'q1', parent: 'a1', at: 11, attributes: tool('q', { order_id: 'A' }, failure) },
      { id: 'a2', parent: 'run', at: 40, ms: 20, attributes: agent('second') },
      { id: 'q2', parent: 'a2', at: 41, attributes: tool('q', { order_id: 'A' }, order('A')) },
    ])
    expect(nodeOf(report, 'q')).toMatchObject({ calls: 2, attempts: 2, status: 'reached_invalid' })
  })

  it('model calls that carry the name of their agent are part of its call', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      { id: 'm1', parent: 'run', at: 1, attributes: model('a', { 'gen_ai.agent.name': 'support' }) },
      { id: 'm2', parent: 'run', at: 5, attributes: model('b', { 'gen_ai.agent.name': 'support' }) },
    ])
    expect(report.nodes).toHaveLength(1)
    expect(report.nodes[0]).toMatchObject({ node_name: 'support', kind: 'agent', calls: 1, latency_ms: 100 })
    expect(report.model_calls).toBe(2)
  })
})

describe('wrong calls', () => {
  const definitions = JSON.stringify([
    {
      type: 'function',
      name: 'order_query',
      parameters: { type: 'object', required: ['order_id'], properties: { order_id: { type: 'string' } } },
    },
  ])

  const asking = (args: unknown): Record<string, unknown> =>
    model([{ id: 'c1', name: 'order_query', arguments: args }], { 'gen_ai.tool.definitions': definitions })

  it('a call with wrong arguments that never ran fails its node', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      { id: 'm1', parent: 'run', at: 1, attributes: asking({ id: 7 }) },
      { id: 't0', parent: 'run', at: 5, attributes: tool('clock', {}, { now: 'noon' }) },
      { id: 'm2', parent: 'run', at: 9, attributes: model('done') },
    ])
    expect(report.findings.map(({ code, severity }) => `${code}:${severity}`)).toEqual([
      'invalid_arguments:error',
      'call_never_executed:warn',
    ])
    expect(report.root_cause).toMatchObject({ code: 'invalid_arguments', span_id: expect.any(String) })
    expect(report.overall_status).toBe('partial_failed')
  })

  it('a wrong call that the model corrects is a warning', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      { id: 'm1', parent: 'run', at: 1, attributes: asking({ id: 7 }) },
      {
        id: 'm2',
        parent: 'run',
        at: 5,
        attributes: model([{ id: 'c2', name: 'order_query', arguments: { order_id: 'A' } }]),
      },
      {
        id: 't2',
        parent: 'run',
        at: 8,
        attributes: tool('order_query', { order_id: 'A' }, order('A'), { 'gen_ai.tool.call.id': 'c2' }),
      },
      { id: 'm3', parent: 'run', at: 12, attributes: model('done') },
    ])
    expect(report.overall_status).toBe('success')
    expect(report.findings.every(({ severity }) => severity === 'warn')).toBe(true)
  })
})

describe('one call recorded twice', () => {
  const call = { 'gen_ai.tool.call.id': 'c1' }
  const twice = (first: string, second: string): ChainReport => {
    const [run, a, b] = toSpans([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      { id: 'q1', parent: 'run', at: 10, ms: 9, attributes: tool('q', { order_id: 'A' }, failure, call) },
      { id: 'q2', parent: 'run', at: 11, ms: 7, attributes: tool('q', { order_id: 'A' }, order('A'), call) },
    ])
    const scoped = [
      { ...a, instrumentationScope: { name: first } },
      { ...b, instrumentationScope: { name: second } },
    ]
    return reportsOf([...scoped, run] as SpanView[])[0] as ChainReport
  }

  it('by two instrumentations is one tool call', () => {
    const report = twice('framework', 'provider')
    expect(report).toMatchObject({ tool_calls: 1, retry_count: 0 })
    expect(nodeOf(report, 'q')).toMatchObject({ calls: 1, attempts: 1, latency_ms: 9 })
  })

  it('by a wrapper around the tool is one tool call, that of the tool', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      { id: 'q1', parent: 'run', at: 10, ms: 9, attributes: tool('q', { order_id: 'A' }, order('A'), call) },
      { id: 'q2', parent: 'q1', at: 11, ms: 7, attributes: tool('q', { order_id: 'A' }, order('A'), call) },
    ])
    expect(report).toMatchObject({ tool_calls: 1, retry_count: 0 })
    expect(nodeOf(report, 'q')).toMatchObject({ calls: 1, attempts: 1, latency_ms: 7 })
  })

  it('by one instrumentation is a call that was run again', () => {
    expect(twice('framework', 'framework')).toMatchObject({ tool_calls: 2, retry_count: 1 })
  })
})
