import { describe, expect, it } from 'vitest'
import { agent, model, reportOf, reportsOf, spanId, threw, tool, toSpans } from './trace-script.ts'
import { createSpan } from '../steps/span.ts'

const bad = { error: 'connection lost' }
const good = { order_id: 'A', status: 'shipped' }

describe('fold order', () => {
  it('puts every step after the steps below it, siblings by start', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      { id: 'late', parent: 'run', at: 50, attributes: tool('late', {}, 1) },
      { id: 'sub', parent: 'run', at: 10, ms: 5, attributes: agent('sub') },
      { id: 'inner', parent: 'sub', at: 12, attributes: tool('inner', {}, 1) },
    ])
    expect(report.steps.map((step) => step.node_name)).toEqual(['inner', 'sub', 'late', 'support'])
  })

  it('keeps a parent after a child that ends at the same instant', () => {
    const report = reportOf([
      { id: 'zz', at: 0, ms: 0, attributes: agent('support') },
      { id: 'aa', parent: 'zz', at: 0, ms: 0, attributes: tool('t', {}, 1) },
    ])
    expect(report.steps.map((step) => step.node_name)).toEqual(['t', 'support'])
  })

  it('orders siblings of one millisecond by sequence number, whatever their ends say', () => {
    const attempt = (id: string, sequence: number, ms: number, result: object): object => ({
      id,
      parent: 'run',
      at: 10,
      ms,
      attributes: tool('q', { order_id: 'A' }, result, { 'agent_reach.step.sequence': sequence }),
    })
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      attempt('c', 2, 3, bad),
      attempt('a', 4, 1, good),
      attempt('b', 3, 2, bad),
    ] as Parameters<typeof reportOf>[0])
    expect(report.overall_status).toBe('success')
    expect(report.retry_count).toBe(2)
    expect(report.steps.map((step) => step.span_id)).toEqual(['c', 'b', 'a', 'run'].map(spanId))
    expect(report.findings.map(({ order }) => order)).toEqual(['certain', 'certain'])
  })

  it('without a sequence a finding that hangs on the order says so and is at most a warning', () => {
    const attempt = (id: string, result: object): Parameters<typeof reportOf>[0][number] => ({
      id,
      parent: 'run',
      at: 10,
      attributes: tool('q', { order_id: 'A' }, result),
    })
    for (const results of [
      [bad, bad, good],
      [good, bad, bad],
      [bad, good, bad],
    ]) {
      const report = reportOf([
        { id: 'run', at: 0, ms: 100, attributes: agent('support') },
        ...results.map((result, n) => attempt(`t${n}`, result)),
      ])
      expect(report.findings.map(({ order, severity }) => `${order} ${severity}`)).toEqual([
        'uncertain warn',
        'uncertain warn',
      ])
      expect(report.overall_status).toBe('success')
      expect(report.findings[0]?.message).toContain('(order uncertain)')
    }
  })

  it('orders tool calls of one millisecond by their position in the output of the model', () => {
    const call = (id: string): Parameters<typeof reportOf>[0][number] => ({
      id: `t-${id}`,
      parent: 'run',
      at: 10,
      attributes: tool(`tool_${id}`, {}, 1, { 'gen_ai.tool.call.id': id }),
    })
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      {
        id: 'm',
        parent: 'run',
        at: 1,
        attributes: model(['z', 'b', 'y'].map((id) => ({ id, name: `tool_${id}`, arguments: {} }))),
      },
      call('b'),
      call('y'),
      call('z'),
    ])
    expect(report.steps.map((step) => step.node_name)).toEqual(['m', 'tool_z', 'tool_b', 'tool_y', 'support'])
  })

  it('takes a span whose parent was never exported as a top span, and says that evidence is missing', () => {
    const report = reportOf([{ id: 't', parent: 'gone', at: 0, attributes: tool('q', {}, 1) }])
    expect(report.step_count).toBe(1)
    expect(report.completeness).toBe('partial')
    expect(report.completeness_reason).toBe('missing_parent')
  })

  it('opens a ring of parents and a span that is its own parent', () => {
    const report = reportOf([
      { id: 'a', parent: 'b', at: 1, attributes: tool('a', {}, 1) },
      { id: 'b', parent: 'c', at: 0, attributes: tool('b', {}, 1) },
      { id: 'c', parent: 'a', at: 2, attributes: tool('c', {}, 1) },
      { id: 'd', parent: 'd', at: 3, attributes: tool('d', {}, 1) },
    ])
    expect(report.steps.map((step) => step.node_name).toSorted()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('folds ten thousand nested spans without recursion', () => {
    const script = Array.from({ length: 10_000 }, (_, n) => ({
      ...(n === 0 ? {} : { parent: `s${n - 1}` }),
      id: `s${n}`,
      at: n,
      ms: 20_000 - n,
      attributes: { 'gen_ai.operation.name': 'invoke_workflow' },
    }))
    expect(reportOf(script).step_count).toBe(10_000)
  })
})

describe('copies of a span', () => {
  it('counts a span once; the copy with the later end stays', () => {
    const early = createSpan({ endMs: 1_764_460_800_100, attributes: agent('support') })
    const late = createSpan({ endMs: 1_764_460_800_900, attributes: agent('support') })
    for (const order of [
      [early, late],
      [late, early],
      [late, early, late],
    ]) {
      const [report] = reportsOf(order)
      expect(report?.span_count).toBe(1)
      expect(report?.total_latency_ms).toBe(900)
      expect(report?.dropped.duplicate_spans).toBe(order.length - 1)
    }
  })

  it('of two copies with one end the one with more attributes stays', () => {
    const thin = createSpan({ attributes: tool('q', { a: 1 }) })
    const full = createSpan({ attributes: tool('q', { a: 1 }, { error: 'x' }) })
    expect(reportsOf([thin, full])[0]?.digest).toBe(reportsOf([full, thin])[0]?.digest)
    expect(reportsOf([thin, full])[0]?.findings.map(({ code }) => code)).toEqual(['error_in_result'])
  })
})

describe('cutting a trace into chains', () => {
  it('a span belongs to the chain it names, else to that of its nearest ancestor that names one', () => {
    const spans = toSpans([
      { id: 'web', at: 0, ms: 100, attributes: { 'http.request.method': 'POST' } },
      {
        id: 'run1',
        parent: 'web',
        at: 1,
        ms: 40,
        attributes: agent('one', { 'agent_reach.chain.id': 'first' }),
      },
      { id: 'plain', parent: 'run1', at: 2, ms: 10 },
      { id: 't1', parent: 'plain', at: 3, attributes: tool('a', {}, 1) },
      {
        id: 'run2',
        parent: 'web',
        at: 50,
        ms: 40,
        attributes: agent('two', { 'agent_reach.chain.id': 'second' }),
      },
      { id: 't2', parent: 'run2', at: 52, attributes: tool('b', {}, 1) },
    ])
    const reports = reportsOf(spans)
    expect(reports.map((report) => [report.chain_id, report.steps.map((step) => step.node_name)])).toEqual([
      ['first', ['a', 'one']],
      ['second', ['b', 'two']],
    ])
    expect(new Set(reports.map((report) => report.report_id)).size).toBe(2)
    expect(reports.map((report) => report.span_count)).toEqual([6, 6])
  })

  it('the root of a chain is its topmost agent span, not the server span above it', () => {
    const report = reportOf([
      { id: 'web', at: 0, ms: 500, attributes: { 'http.request.method': 'POST' }, ...threw('Error', 'late') },
      { id: 'run', parent: 'web', at: 100, ms: 40, attributes: agent('support') },
    ])
    expect(report.overall_status).toBe('success')
    expect(report.total_latency_ms).toBe(40)
    expect(report.completeness).toBe('complete')
  })

  it('a trace without any agent step gives a report without steps', () => {
    const report = reportOf([{ id: 'web', at: 0, attributes: { 'http.request.method': 'GET' } }])
    expect(report).toMatchObject({ step_count: 0, span_count: 1, overall_status: 'success' })
  })
})
