import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { getChainContext, setChainContext } from '../../src/pipeline/chain-context.ts'
import { AgentReachProcessor } from '../../src/processors/agent-reach-processor.ts'
import { agent, tool } from '../chain/trace-script.ts'
import { goodRun, readBack, startRecording } from './record-run.ts'

describe('what a context says of the run', () => {
  const fields = { chainId: 'chain 1', taskId: 'task 1', phase: 'executing', subtaskId: 'S1' } as const

  it('is stamped on every span below, the task on the topmost one', async () => {
    const recorder = startRecording()
    recorder.run(goodRun, setChainContext(ROOT_CONTEXT, fields))
    for (const { name, attributes } of recorder.spans) {
      expect(attributes).toMatchObject({
        'agent_reach.chain.id': 'chain 1',
        'agent_reach.phase': 'executing',
        'agent_reach.subtask.id': 'S1',
      })
      expect(attributes['agent_reach.task.id']).toBe(name === 'run' ? 'task 1' : undefined)
    }
    const report = await recorder.oneReport()
    expect(report).toMatchObject({ chain_id: 'chain 1', task_id: 'task 1', completeness: 'complete' })
    expect(readBack(recorder.spans)[0]?.digest).toBe(report.digest)
  })

  it('adds to what the context said before, and replaces nothing that a span says itself', () => {
    const outer = setChainContext(ROOT_CONTEXT, fields)
    const inner = setChainContext(outer, { phase: 'planning' })
    expect(getChainContext(inner)).toEqual({ ...fields, phase: 'planning' })
    expect(getChainContext(ROOT_CONTEXT)).toBe(undefined)
    const recorder = startRecording()
    recorder.run(
      { ...goodRun, attributes: agent('support', { 'agent_reach.phase': 'reflecting' }), below: [] },
      inner,
    )
    expect(recorder.span('run').attributes).toMatchObject({
      'agent_reach.phase': 'reflecting',
      'agent_reach.subtask.id': 'S1',
    })
  })

  it('makes chains of their own within a trace, each with a root that is marked', async () => {
    const recorder = startRecording()
    const outer = recorder.tracer.startSpan('outer', {
      attributes: { 'gen_ai.operation.name': 'invoke_agent' },
    })
    const below = trace.setSpan(ROOT_CONTEXT, outer)
    recorder.run({ ...goodRun, name: 'inner' }, setChainContext(below, { chainId: 'inner chain' }))
    expect(recorder.span('inner').attributes).toMatchObject({
      'agent_reach.chain.status': 'success',
      'agent_reach.chain.provisional': false,
    })
    recorder.run({ name: 'q', attributes: tool('q', {}, { error: 'down' }) }, below)
    outer.end()
    await recorder.processor.forceFlush()
    const told = recorder.reports.map((report) => [report.chain_id, report.step_count, report.overall_status])
    expect(told).toHaveLength(2)
    expect(told).toContainEqual(['inner chain', 3, 'success'])
    expect(told).toContainEqual([outer.spanContext().traceId, 2, 'partial_failed'])
    expect(recorder.span('outer').attributes['agent_reach.chain.status']).toBe('partial_failed')
  })
})

describe('a trace with many roots', () => {
  it('has the totals of its chain on the last one, and not on each of those that end while others go on', () => {
    const recorder = startRecording()
    const worker = trace.setSpan(ROOT_CONTEXT, recorder.tracer.startSpan('work'))
    const attributes = { 'gen_ai.operation.name': 'invoke_agent' }
    const roots = Array.from({ length: 300 }, (_, n) =>
      recorder.tracer.startSpan(`run ${n}`, { attributes }, worker),
    )
    for (const root of roots) root.end()
    const told = recorder.spans.map((span) => [
      span.attributes['agent_reach.chain.provisional'],
      span.attributes['agent_reach.chain.status'],
    ])
    expect(told.at(-1)).toEqual([false, 'success'])
    expect(told.slice(0, -1).filter(([provisional]) => provisional !== true)).toEqual([])
    expect(told.filter(([, status]) => status !== undefined).length).toBeLessThan(10)
  })
})

describe('processors of ours with no other beside them', () => {
  it('say once each that nothing is exported', () => {
    const { messages } = startRecording()
    expect(messages).toEqual([])
    const alone = new AgentReachProcessor({ reports: false })
    const other = new AgentReachProcessor({ reports: false })
    const provider = new BasicTracerProvider({ spanProcessors: [alone, other] })
    onTestFinished(() => provider.shutdown())
    for (let n = 0; n < 3; n++) provider.getTracer('test').startSpan('run').end()
    expect(messages).toEqual([
      expect.stringContaining('exported nowhere'),
      expect.stringContaining('exported nowhere'),
    ])
  })
})
