import { describe, expect, it } from 'vitest'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { agent, model, reportOf, type ScriptSpan, spanId, threw, tool } from './trace-script.ts'

const codes = (report: ChainReport): readonly string[] =>
  report.findings.map(({ code, severity, node_name }) => `${node_name} ${code} ${severity}`)
const statusOf = (report: ChainReport, node: string): string | undefined =>
  report.nodes.find(({ node_name }) => node_name === node)?.status

describe('states', () => {
  it('a step that threw is unreachable, a bad result reached_invalid, a timeout timed_out, a skipped one skipped', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      {
        id: 'a',
        parent: 'run',
        at: 1,
        attributes: tool('threw', {}),
        ...threw('TypeError', 'x is not a function'),
      },
      { id: 'b', parent: 'run', at: 2, attributes: tool('invalid', {}, { error: 'no such order' }) },
      { id: 'c', parent: 'run', at: 3, attributes: tool('slow', {}), ...threw('TimeoutError', 'timed out') },
      {
        id: 'd',
        parent: 'run',
        at: 4,
        attributes: {
          'agent_reach.node.name': 'skipped',
          'agent_reach.node.skipped_reason': 'upstream invalid',
        },
      },
      { id: 'e', parent: 'run', at: 5, attributes: tool('fine', {}, { ok: 1 }) },
    ])
    expect(report.nodes.map(({ node_name, status }) => `${node_name} ${status}`)).toEqual([
      'threw unreachable',
      'invalid reached_invalid',
      'slow timed_out',
      'skipped skipped',
      'fine reached',
      'support reached',
    ])
    expect(report.nodes[3]?.reason).toBe('upstream invalid')
    expect(report.overall_status).toBe('partial_failed')
  })

  it('a status that our own processor raised reads as unset', () => {
    const report = reportOf([
      {
        id: 'a',
        at: 0,
        attributes: tool('t', {}, 'fine', { 'agent_reach.status.set': true }),
        status: { code: 2 },
      },
    ])
    expect(report.overall_status).toBe('success')
  })

  it('our own output keys are no evidence', () => {
    const marks = { 'agent_reach.node.status': 'unreachable', 'agent_reach.node.findings': ['exception'] }
    const report = reportOf([{ id: 'a', at: 0, attributes: tool('t', {}, 'fine', marks) }])
    expect(report).toMatchObject({ overall_status: 'success', findings: [] })
  })

  it('codes recorded in process stand where the content was captured and not recorded', () => {
    const marks = {
      'agent_reach.node.evidence': 'captured',
      'agent_reach.node.findings': ['schema_violation'],
    }
    const report = reportOf([
      { id: 'run', at: 0, ms: 9, attributes: agent('support') },
      { id: 'a', parent: 'run', at: 1, attributes: tool('t', {}, undefined, marks) },
    ])
    expect(report.findings).toMatchObject([{ code: 'schema_violation', source: 'mark', severity: 'error' }])
    expect(report.nodes[0]).toMatchObject({ status: 'reached_invalid', evidence: 'captured' })
  })

  it('a span that was still open when its root ended never ended, unless it comes after all', () => {
    const root: ScriptSpan = {
      id: 'run',
      at: 0,
      ms: 100,
      attributes: agent('support'),
      events: [
        {
          name: 'agent_reach.open_span',
          attributes: {
            'agent_reach.open_span.id': spanId('slow'),
            'agent_reach.open_span.parent_id': spanId('run'),
            'agent_reach.open_span.name': 'slow_search',
            'agent_reach.open_span.start_time': '1764460800010000000',
          },
        },
      ],
    }
    const open = reportOf([root])
    expect(codes(open)).toEqual(['slow_search never_ended error'])
    expect(open.nodes[0]).toMatchObject({ node_name: 'slow_search', status: 'timed_out', latency_ms: 90 })
    expect(open.overall_status).toBe('partial_failed')
    expect(open.span_count).toBe(1)

    const late = reportOf([root, { id: 'slow', parent: 'run', at: 10, ms: 95, attributes: tool('s', {}, 1) }])
    expect(late.overall_status).toBe('success')
  })
})

describe('a failure is told where it broke', () => {
  it('an agent that fails with the error of its tool keeps its state and points below; the chain still failed', () => {
    const error = threw('OrderError', 'order store is down')
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support'), ...error },
      {
        id: 'm',
        parent: 'run',
        at: 1,
        attributes: model([{ id: 'c', name: 'q', arguments: { order_id: 'A' } }]),
      },
      {
        id: 't',
        parent: 'run',
        at: 5,
        attributes: tool('q', { order_id: 'A' }, undefined, { 'gen_ai.tool.call.id': 'c' }),
        ...error,
      },
    ])
    expect(codes(report)).toEqual(['q exception error', 'support failed_below info'])
    expect(statusOf(report, 'support')).toBe('reached')
    expect(report.overall_status).toBe('failed')
    expect(report.root_cause).toMatchObject({
      node_name: 'q',
      span_id: spanId('t'),
      blamed_span_id: spanId('m'),
      status: 'unreachable',
      code: 'exception',
    })
    expect(report.findings[1]?.blamed_span_id).toBe(spanId('t'))
  })

  it('an error with other words is explained where exactly one child failed, and through several levels', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support'), ...threw('AgentError', 'step failed') },
      { id: 'sub', parent: 'run', at: 1, ms: 50, attributes: agent('sub'), ...threw('ToolError', 'gave up') },
      { id: 't', parent: 'sub', at: 5, attributes: tool('q', {}), ...threw('OrderError', 'down') },
      { id: 'ok', parent: 'sub', at: 9, attributes: tool('fine', {}, 1) },
    ])
    expect(codes(report)).toEqual(['q exception error', 'sub failed_below info', 'support failed_below info'])
    expect(report.findings[2]?.blamed_span_id).toBe(spanId('t'))
  })

  it('an error of its own stays with the step that has it', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support'), ...threw('AgentError', 'no answer') },
      { id: 'a', parent: 'run', at: 1, attributes: tool('a', {}), ...threw('OrderError', 'down') },
      { id: 'b', parent: 'run', at: 5, attributes: tool('b', {}), ...threw('PolicyError', 'down too') },
    ])
    expect(codes(report)).toEqual(['a exception error', 'b exception error', 'support exception error'])
    expect(statusOf(report, 'support')).toBe('unreachable')
    expect(report.root_cause?.node_name).toBe('a')
    expect(report.last_unrecovered?.node_name).toBe('support')
  })

  it('a failed attempt that was made good explains nothing and fails nothing', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      {
        id: 'a',
        parent: 'run',
        at: 1,
        attributes: tool('q', { order_id: 'A' }),
        ...threw('OrderError', 'down'),
      },
      { id: 'b', parent: 'run', at: 5, attributes: tool('q', { order_id: 'A' }, { status: 'shipped' }) },
    ])
    expect(report).toMatchObject({ overall_status: 'success', root_cause: null, last_unrecovered: null })
    expect(report.summary).toBe('all 2 nodes reached after 1 retry')
  })

  it('an error of a step is explained where its failed children are the attempts of one call', () => {
    const attempt = (n: number): ScriptSpan => ({
      id: `m${n}`,
      name: 'chat gpt-4o',
      parent: 'run',
      at: 10 * n,
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.input.messages': 'the same prompt' },
      ...threw('RateLimitError', `429 too many requests, try ${n}`),
    })
    const report = reportOf([
      {
        id: 'run',
        at: 0,
        ms: 100,
        attributes: agent('support'),
        ...threw('RetryError', 'failed after 3 attempts'),
      },
      ...[1, 2, 3].map(attempt),
    ])
    expect(codes(report)).toEqual([
      ...Array.from({ length: 3 }, () => 'chat gpt-4o rate_limited error'),
      'support failed_below info',
    ])
    expect(report.findings[3]?.blamed_span_id).toBe(spanId('m3'))
    expect(report).toMatchObject({ overall_status: 'failed', retry_count: 2 })
  })

  it('what failed inside an attempt that was made good fails nothing', () => {
    const error = threw('OrderError', 'order store is down')
    const input = { 'gen_ai.input.messages': 'find order A' }
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('lead') },
      { id: 'a1', parent: 'run', at: 10, ms: 20, attributes: agent('helper', input), ...error },
      { id: 'q1', parent: 'a1', at: 11, attributes: tool('q', { order_id: 'A' }), ...error },
      { id: 'a2', parent: 'run', at: 40, ms: 20, attributes: agent('helper', input) },
      { id: 'q2', parent: 'a2', at: 41, attributes: tool('q', { order_id: 'A' }, { status: 'shipped' }) },
    ])
    expect(report).toMatchObject({ overall_status: 'success', root_cause: null, retry_count: 1 })
    expect(report.findings.every(({ severity }) => severity !== 'error')).toBe(true)
    expect(statusOf(report, 'q')).toBe('reached')
  })

  it('a container that failed by itself blames the last model call inside it', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      {
        id: 'step',
        parent: 'run',
        at: 1,
        ms: 50,
        attributes: { 'openinference.span.kind': 'CHAIN' },
        ...threw('ParsingError', 'no code block'),
      },
      {
        id: 'm',
        parent: 'step',
        at: 2,
        attributes: { 'openinference.span.kind': 'LLM', 'output.value': 'hm' },
      },
    ])
    expect(report.root_cause).toMatchObject({ span_id: spanId('step'), blamed_span_id: spanId('m') })
  })

  it('a tool that no recorded call explains blames the model call before it', () => {
    const report = reportOf([
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      { id: 'm1', parent: 'run', at: 1, attributes: model('let me look') },
      { id: 't', parent: 'run', at: 5, attributes: tool('q', {}), ...threw('OrderError', 'down') },
      { id: 'm2', parent: 'run', at: 9, attributes: model('sorry') },
    ])
    expect(report.root_cause?.blamed_span_id).toBe(spanId('m1'))
  })
})

describe('the status of a chain', () => {
  const run = (parts: Partial<ScriptSpan>): ChainReport =>
    reportOf([{ id: 'run', at: 0, ms: 9, attributes: agent('support'), ...parts }])

  it('is failed when the root threw', () => {
    expect(run(threw('Error', 'no')).overall_status).toBe('failed')
  })

  it('is failed when the recorded output of the root is empty, not when none is recorded', () => {
    const output = (content: string): string =>
      JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content }] }])
    expect(run({ attributes: agent('s', { 'gen_ai.output.messages': output(' ') }) }).overall_status).toBe(
      'failed',
    )
    expect(run({ attributes: agent('s', { 'gen_ai.output.messages': output('done') }) }).overall_status).toBe(
      'success',
    )
    expect(run({}).overall_status).toBe('success')
  })

  it('is failed when the recorded output of a workflow on top is blank; further down it may be', () => {
    const chain = (output: string): Partial<ScriptSpan> => ({
      attributes: { 'openinference.span.kind': 'CHAIN', 'output.value': output },
    })
    expect(run(chain('')).root_cause).toMatchObject({ code: 'empty_result', node_name: 'run' })
    expect(run(chain('')).overall_status).toBe('failed')
    expect(run(chain('done')).overall_status).toBe('success')
    const below = reportOf([
      { id: 'top', at: 0, ms: 9, ...chain('done') },
      { id: 'sub', parent: 'top', at: 1, ...chain('') },
    ])
    expect(below.overall_status).toBe('success')
  })

  it('is not failed by a step that lost its parent on the way', () => {
    const orphan = (attributes: Record<string, unknown>): string =>
      reportOf([{ id: 'a', parent: 'gone', at: 0, attributes }]).overall_status
    expect(orphan(tool('think', { thought: 'x' }, ''))).toBe('success')
    expect(orphan(tool('q', {}, { error: 'down' }))).toBe('partial_failed')
    expect(
      orphan(
        agent('s', {
          'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":""}]}]',
        }),
      ),
    ).toBe('failed')
  })

  it('is failed when somebody stopped the run, not when only a node was stopped', () => {
    const stopped = (action: string): ChainReport =>
      run({ attributes: agent('s', { 'agent_reach.stop.action': action }) })
    expect(stopped('chain').overall_status).toBe('failed')
    expect(stopped('handoff').overall_status).toBe('failed')
    expect(stopped('node').overall_status).toBe('success')
    expect(stopped('chain').summary).toBe('the run was stopped at s (chain)')
  })
})
