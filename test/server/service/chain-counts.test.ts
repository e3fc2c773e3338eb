import { describe, expect, it } from 'vitest'
import { loadRules } from '../../../src/rules/load-rules.ts'
import { writeMetrics } from '../../../src/server/api/prometheus-text.ts'
import { ChainCounts, type CountedChain } from '../../../src/server/chain-counts.ts'

const failed: CountedChain = {
  status: 'failed',
  durationSeconds: 4,
  tokens: 300,
  costUsd: 0.25,
  nodes: [
    { name: 'order_query', status: 'reached_invalid' },
    { name: 'id-4711', status: 'reached' },
    { name: 'id-4712', status: 'reached' },
  ],
  alerts: ['loop', 'loop', 'budget'],
}

describe('what became of the chains', () => {
  it('begins at 0, so that whoever watches it grow sees the first failure', () => {
    const counts = new ChainCounts(loadRules({ version: 1, nodes: { order_query: { timeout: '5s' } } }))
    const text = writeMetrics(counts.metrics())
    expect(text).toContain('agent_reach_chain_duration_seconds_count{chain_status="failed"} 0\n')
    expect(text).toContain('agent_reach_nodes_total{node_status="unreachable"} 0\n')
    expect(text).toContain(
      'agent_reach_nodes_total{node_name="order_query",node_status="reached_invalid"} 0\n',
    )
    expect(text).toContain('agent_reach_alerts_total{alert_type="loop"} 0\n')
    expect(text).not.toMatch(/ [1-9]\d*$/mu)
  })

  it('is counted by status, and by the nodes that the rules name', () => {
    const counts = new ChainCounts(loadRules({ version: 1, nodes: { order_query: { timeout: '5s' } } }))
    counts.add(failed)
    counts.add({ ...failed, status: 'success', durationSeconds: 4_000, costUsd: null, nodes: [], alerts: [] })
    counts.add({ ...failed, durationSeconds: 0.5, nodes: failed.nodes.slice(0, 1), alerts: [] })
    const text = writeMetrics(counts.metrics())
    expect(text.split('\n').filter((line) => !/_bucket|^#|^$| 0$/u.test(line))).toEqual([
      'agent_reach_chains_total 3',
      'agent_reach_chain_duration_seconds_sum{chain_status="success"} 4000',
      'agent_reach_chain_duration_seconds_count{chain_status="success"} 1',
      'agent_reach_chain_duration_seconds_sum{chain_status="failed"} 4.5',
      'agent_reach_chain_duration_seconds_count{chain_status="failed"} 2',
      'agent_reach_nodes_total{node_status="reached"} 2',
      'agent_reach_nodes_total{node_name="order_query",node_status="reached_invalid"} 2',
      'agent_reach_alerts_total{alert_type="loop"} 2',
      'agent_reach_alerts_total{alert_type="budget"} 1',
      'agent_reach_chain_tokens_total 900',
      'agent_reach_chain_cost_usd_total 0.5',
    ])
    expect(text).toContain('# TYPE agent_reach_chain_duration_seconds histogram\n')
    const buckets = [...text.matchAll(/_bucket\{chain_status="failed",le="([^"]+)"\} (\d+)/gu)]
    expect(buckets.map(([, le, count]) => [le, count])).toEqual([
      ['0.5', '1'],
      ['1', '1'],
      ['2.5', '1'],
      ['5', '2'],
      ...['10', '30', '60', '120', '300', '600', '1800', '3600', '+Inf'].map((le) => [le, '2']),
    ])
    expect(text).toContain('_bucket{chain_status="success",le="3600"} 0\n')
    expect(text).toContain('_bucket{chain_status="success",le="+Inf"} 1\n')
  })
})
