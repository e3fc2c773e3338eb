import { describe, expect, it } from 'vitest'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { agent, model, reportOf, type ScriptSpan, tool } from './trace-script.ts'

interface Search {
  readonly query?: unknown
  readonly result?: unknown
}

function runOf(searches: readonly Search[], name = 'policy_search'): ChainReport {
  return reportOf([
    { id: 'run', at: 0, ms: 10_000, attributes: agent('support') },
    ...searches.map(({ query, result }, n): ScriptSpan => ({
      id: `s${n}`,
      parent: 'run',
      at: 10 * (n + 1),
      attributes: tool(name, query === undefined ? undefined : { query }, result),
    })),
  ])
}

const same = (times: number): readonly Search[] =>
  Array.from({ length: times }, () => ({ query: 'refund', result: { passages: ['p1'] } }))
const alerts = (report: ChainReport): readonly string[] =>
  report.alerts.map(({ kind, severity, count, action }) => `${kind} ${severity} ${count} ${action}`)

describe('exact loops', () => {
  it('two equal calls are none, three are a warning, five an error', () => {
    expect(alerts(runOf(same(2)))).toEqual([])
    expect(alerts(runOf(same(3)))).toEqual(['exact warn 3 none'])
    expect(alerts(runOf(same(4)))).toEqual(['exact warn 4 none'])
    expect(alerts(runOf(same(5)))).toEqual(['exact error 5 none'])
    expect(alerts(runOf(same(30)))).toEqual(['exact error 30 none'])
  })

  it('a warning fails nothing; an error makes the chain partial_failed and leaves the node reached', () => {
    expect(runOf(same(3)).overall_status).toBe('success')
    const report = runOf(same(5))
    expect(report).toMatchObject({ overall_status: 'partial_failed', loop_count: 1 })
    expect(report.nodes[0]).toMatchObject({ node_name: 'policy_search', status: 'reached', calls: 5 })
    expect(report.root_cause).toMatchObject({ code: 'loop', node_name: 'policy_search' })
    expect(report.alerts[0]?.message).toBe('loop detected at node policy_search: same signature 5 times')
  })

  it('a new result of the same call is progress: polling is no loop', () => {
    const polls = Array.from({ length: 9 }, (_, n) => ({ query: 'job 7', result: { percent: n * 10 } }))
    expect(alerts(runOf(polls))).toEqual([])
  })

  it('counting starts anew after progress', () => {
    const report = runOf([...same(2), { query: 'refund', result: { passages: ['p2'] } }, ...same(2)])
    expect(alerts(report)).toEqual([])
  })

  it('other calls in between do not hide a loop, and other arguments are none', () => {
    const mixed = same(3).flatMap((search, n) => [search, { query: `other ${n}`, result: { passages: [] } }])
    expect(alerts(runOf(mixed))).toEqual(['exact warn 3 none'])
    const paging = Array.from({ length: 9 }, (_, page) => ({ query: { page }, result: { rows: [1] } }))
    expect(alerts(runOf(paging))).toEqual([])
  })

  it('only the last twenty calls of the node count', () => {
    const others = Array.from({ length: 19 }, (_, n) => ({ query: `other ${n}`, result: 'x' }))
    expect(alerts(runOf([...same(2), ...others, ...same(1)]))).toEqual([])
    expect(alerts(runOf([...same(2), ...others.slice(2), ...same(1)]))).toEqual(['exact warn 3 none'])
  })

  it('calls without recorded arguments equal no other call', () => {
    expect(alerts(runOf(Array.from({ length: 9 }, () => ({ result: 'x' }))))).toEqual([])
  })

  it('white space in arguments is significant', () => {
    const edits = ['a = 1', ' a = 1', '  a = 1'].map((query) => ({ query, result: 'ok' }))
    expect(alerts(runOf(edits))).toEqual([])
  })

  it('a call that is asked for again and again and never runs is a loop as well', () => {
    const asking = (n: number): ScriptSpan => ({
      id: `m${n}`,
      parent: 'run',
      at: 10 * n,
      attributes: model([{ id: `c${n}`, name: 'serch', arguments: { query: 'refund' } }]),
    })
    const report = reportOf([
      { id: 'run', at: 0, ms: 10_000, attributes: agent('support') },
      { id: 't', parent: 'run', at: 5, attributes: tool('clock', {}, 'noon') },
      ...[1, 2, 3].map(asking),
    ])
    expect(alerts(report)).toEqual(['exact warn 3 none'])
    expect(report.alerts[0]?.node_name).toBe('serch')
  })

  it('a loop whose progress cannot be put in order is uncertain and at most a warning', () => {
    const spans = (result: string, count: number, prefix: string): readonly ScriptSpan[] =>
      Array.from({ length: count }, (_, n) => ({
        id: `${prefix}${n}`,
        parent: 'run',
        at: 10,
        attributes: tool('poll', { job: 7 }, result),
      }))
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      ...spans('a', 1, 'a'),
      ...spans('b', 6, 'b'),
    ])
    expect(report.alerts).toMatchObject([{ severity: 'warn', order: 'uncertain' }])
    expect(report.overall_status).toBe('success')
  })
})
