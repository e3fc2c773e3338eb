import { metrics, SpanStatusCode } from '@opentelemetry/api'
import { describe, expect, it } from 'vitest'
import { createMemorySink } from '../../src/exporters/memory-sink.ts'
import { AgentReachProcessor } from '../../src/processors/agent-reach-processor.ts'
import { canonicalReport } from '../../src/report/report-digest.ts'
import type { ChainReport } from '../../src/report/chain-report.ts'
import type { RulesFile } from '../../src/rules/rules-file.ts'
import { agent, model, tokens, tool } from '../chain/trace-script.ts'
import { type ApiSpan, badRun, goodRun, readBack, type Scripted, startRecording } from './record-run.ts'

const fails = (span: ApiSpan): void => {
  span.recordException(new Error('connection refused'))
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'connection refused' })
}

const loop: Scripted = {
  ...goodRun,
  below: Array.from({ length: 6 }, () => ({
    name: 'order_query',
    attributes: tool('order_query', { id: 'A' }, { status: 'pending' }),
  })),
}

const deep: Scripted = {
  name: 'run',
  attributes: agent('planner'),
  atEnd: fails,
  below: [
    { name: 'chat', attributes: model('ask', { ...tokens(100, 20), 'gen_ai.response.id': 'r1' }) },
    { name: 'chat', attributes: model('ask', { ...tokens(100, 20), 'gen_ai.response.id': 'r1' }) },
    {
      name: 'refund',
      attributes: agent('refund'),
      below: [
        { name: 'POST', attributes: { 'http.request.method': 'POST' } },
        { name: 'pay', attributes: tool('pay', { order_id: 'A' }), atEnd: fails },
        { name: 'pay', attributes: tool('pay', { order_id: 'A' }, { ok: true }) },
        { name: 'mail', attributes: tool('mail', { to: 'a' }), atEnd: fails },
        { name: 'empty', attributes: tool('empty', { q: 1 }, '') },
      ],
    },
  ],
}

const rules: RulesFile = {
  version: 1,
  nodes: { order_query: { result: { schema: { type: 'object', required: ['order_id'] } } } },
  guards: { budget: { tokens: 50, tool_calls: 2, duration: '1ms' } },
  findings: { empty_result: 'warn' },
}

const scripts: readonly (readonly [string, Scripted])[] = [
  ['a run that goes well', goodRun],
  ['a run with an invalid result', badRun],
  ['a run in a loop', loop],
  ['a run with failures on several levels', deep],
]

describe('our own marks, read back by another reader', () => {
  for (const [given, ruled] of [
    ['no rules', undefined],
    ['rules and budgets', rules],
  ] as const) {
    it.each(scripts)(`change nothing in %s, with ${given}`, async (_, script) => {
      const recorder = startRecording({
        options: {
          ...(ruled !== undefined && { rules: ruled }),
          evaluationEvents: true,
          reportUrl: 'https://r/{report_name}',
        },
      })
      recorder.run(script)
      const report = await recorder.oneReport()
      for (const spans of [
        recorder.spans,
        recorder.spans.toReversed(),
        [...recorder.spans, ...recorder.spans],
      ]) {
        const read = readBack(spans, ruled)
        expect(read).toHaveLength(1)
        expect(canonicalReport(read[0] as ChainReport)).toBe(canonicalReport(report))
      }
    })
  }

  it('say of the root what the report says in the end, where nothing was made good', async () => {
    const recorder = startRecording({
      options: { reportUrl: 'https://r/{day}/{trace_id}/{chain_id}/{report_name}' },
    })
    recorder.run(deep)
    const report = await recorder.oneReport()
    const day = report.started_at.slice(0, 10)
    const name = report.report_id.replace(/-\d+$/u, '')
    expect(recorder.span('run').attributes).toMatchObject({
      'agent_reach.chain.status': report.overall_status,
      'agent_reach.chain.token.count': report.token_count,
      'agent_reach.chain.loop.count': report.loop_count,
      'agent_reach.chain.alert.count': report.alerts.length,
      'agent_reach.chain.root_cause': report.root_cause?.node_name,
      'agent_reach.chain.provisional': false,
      'agent_reach.report.url': `https://r/${day}/${report.trace_id}/${report.chain_id}/${name}`,
    })
    expect(report.token_count).toBe(120)
  })

  it('count a response that two steps recorded once', () => {
    const recorder = startRecording()
    recorder.run(deep)
    const counts = recorder.spans.map(({ attributes }) => attributes['agent_reach.token.count'])
    expect(counts.filter((count) => count !== undefined)).toEqual([120])
  })
})

describe('two processors of one provider', () => {
  it.each(['before', 'after'] as const)(
    'mark and count once, and both report, the second %s',
    async (place) => {
      const counted: string[] = []
      const instrument = (name: string) => ({
        add: () => counted.push(name),
        record: () => counted.push(name),
      })
      const meter = { createCounter: instrument, createHistogram: instrument }
      metrics.setGlobalMeterProvider({ getMeter: () => meter } as never)
      const sink = createMemorySink()
      const second = new AgentReachProcessor({ reports: sink })
      const recorder = startRecording({ [place]: [second] })
      recorder.run(loop)
      await recorder.provider.forceFlush()
      metrics.disable()
      expect(sink.reports).toEqual(recorder.reports)
      expect(sink.reports).toHaveLength(1)
      const alerts = recorder.spans.flatMap(({ events }) =>
        events.filter(({ name }) => name === 'agent_reach.alert'),
      )
      expect(alerts).toHaveLength(2)
      expect(counted.filter((name) => name === 'agent_reach.chains')).toHaveLength(1)
      expect(canonicalReport(readBack(recorder.spans)[0] as ChainReport)).toBe(
        canonicalReport(recorder.reports[0] as ChainReport),
      )
    },
  )

  it('go on with the one that is left when the other is shut down', async () => {
    const sink = createMemorySink()
    const second = new AgentReachProcessor({ reports: sink })
    const recorder = startRecording({ after: [second] })
    await recorder.processor.shutdown()
    recorder.run(badRun)
    await second.forceFlush()
    expect(recorder.reports).toEqual([])
    expect(sink.reports).toHaveLength(1)
    expect(recorder.span('order_query').attributes['agent_reach.node.status']).toBe('reached_invalid')
  })
})
