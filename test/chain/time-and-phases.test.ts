import { describe, expect, it } from 'vitest'
import { agent, model, reportOf, tool } from './trace-script.ts'

describe('where the time went', () => {
  it('is measured on leaves: one after another with gaps', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      {
        id: 'm',
        parent: 'run',
        at: 10,
        ms: 20,
        attributes: model('a', { 'gen_ai.response.time_to_first_chunk': 0.005 }),
      },
      { id: 't', parent: 'run', at: 40, ms: 30, attributes: tool('q', {}, 1) },
    ])
    expect(report.time).toEqual({
      model_ms: 20,
      first_token_ms: 5,
      tool_ms: 30,
      between_steps_ms: 50,
      critical_path_ms: 50,
      parallelism: 1,
    })
  })

  it('counts time that two tools share once, and tells how parallel they were', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      { id: 'a', parent: 'run', at: 0, ms: 60, attributes: tool('a', {}, 1) },
      { id: 'b', parent: 'run', at: 20, ms: 60, attributes: tool('b', {}, 1) },
    ])
    expect(report.time).toMatchObject({
      tool_ms: 80,
      between_steps_ms: 20,
      critical_path_ms: 60,
      parallelism: 1.5,
    })
  })

  it('rounds to microseconds', () => {
    const report = reportOf([{ id: 'run', at: 0.0001, ms: 1.2346, attributes: agent('support') }])
    expect(report.total_latency_ms).toBeCloseTo(1.235, 3)
  })
})

describe('phases', () => {
  it('are taken from the span, from a span above it, or from what the step does', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      { id: 'plan', parent: 'run', at: 1, attributes: { 'gen_ai.operation.name': 'plan' } },
      {
        id: 'sub',
        parent: 'run',
        at: 10,
        ms: 20,
        attributes: agent('sub', { 'agent_reach.phase': 'reflecting' }),
      },
      { id: 'inner', parent: 'sub', at: 12, attributes: tool('inner', {}, 1) },
      { id: 't', parent: 'run', at: 40, attributes: tool('t', {}, 1) },
      { id: 'm', parent: 'run', at: 60, attributes: model('the answer') },
    ])
    expect(report.steps.map(({ node_name, phase }) => `${node_name} ${phase}`)).toEqual([
      'plan planning',
      'inner reflecting',
      'sub reflecting',
      't executing',
      'm summarizing',
      'support null',
    ])
  })
})

describe('checkpoints', () => {
  it('are derived where none are written', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      { id: 'm1', parent: 'run', at: 1, attributes: model([{ id: 'c', name: 'q', arguments: {} }]) },
      { id: 't', parent: 'run', at: 10, ms: 5, attributes: tool('q', {}, 1, { 'gen_ai.tool.call.id': 'c' }) },
      { id: 'r', parent: 'run', at: 20, attributes: { 'agent_reach.reflection.status': 'replan' } },
      { id: 'm2', parent: 'run', at: 30, attributes: model('done') },
    ])
    expect(
      report.checkpoints.records.map(({ id, node_name, source }) => `${id} ${node_name} ${source}`),
    ).toEqual([
      'CP-01 m1 derived',
      'CP-02 q derived',
      'CP-03 q derived',
      'CP-04 r derived',
      'CP-05 r derived',
      'CP-06 m2 derived',
    ])
    expect(report.replan_count).toBe(1)
    expect(report.checkpoints.actual).toEqual(['CP-01', 'CP-02', 'CP-03', 'CP-04', 'CP-05', 'CP-06'])
  })

  it('that the agent wrote stand, and a failed one is found', () => {
    const report = reportOf([
      {
        id: 'run',
        at: 0,
        ms: 100,
        attributes: agent('support'),
        events: [
          {
            name: 'agent_reach.checkpoint',
            attributes: {
              'agent_reach.checkpoint.id': 'CP-01',
              'agent_reach.checkpoint.name': 'plan checked',
              'agent_reach.checkpoint.status': 'failed',
              'agent_reach.checkpoint.data': '{"subtasks":0}',
            },
          },
        ],
      },
      { id: 'm1', parent: 'run', at: 1, attributes: model([{ id: 'c', name: 'q', arguments: {} }]) },
    ])
    expect(report.checkpoints.records.filter(({ id }) => id === 'CP-01')).toMatchObject([
      { name: 'plan checked', status: 'failed', source: 'recorded', data: '{"subtasks":0}' },
    ])
    expect(report.checkpoints.passed).toBe(false)
    expect(report.findings.map(({ code }) => code)).toContain('checkpoint_failed')
  })

  it('start and end of labelled subtasks are those of their first and last step', () => {
    const labelled = (id: string): Record<string, unknown> => ({ 'agent_reach.subtask.id': id })
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      { id: 'a', parent: 'run', at: 1, attributes: tool('a', {}, 1, labelled('st-1')) },
      { id: 'b', parent: 'run', at: 10, attributes: tool('b', {}, 1, labelled('st-1')) },
      { id: 'c', parent: 'run', at: 20, attributes: tool('c', {}, 1, labelled('st-2')) },
    ])
    const records = report.checkpoints.records.map(({ id, node_name, data }) => `${id} ${node_name} ${data}`)
    expect(records).toEqual([
      'CP-02 a {"subtask":"st-1"}',
      'CP-03 b {"subtask":"st-1"}',
      'CP-02 c {"subtask":"st-2"}',
      'CP-03 c {"subtask":"st-2"}',
    ])
  })
})
