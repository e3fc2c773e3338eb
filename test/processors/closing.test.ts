import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { findTracker } from '../../src/pipeline/process-hub.ts'
import type { LiveLimits } from '../../src/pipeline/live-limits.ts'
import { canonicalReport } from '../../src/report/report-digest.ts'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { agent, tool } from '../chain/trace-script.ts'
import { expectValidReport } from '../report/expect-valid-report.ts'
import {
  type ApiSpan,
  goodRun,
  readBack,
  type Recorder,
  startRecording,
  toApiAttributes,
  until,
} from './record-run.ts'

const query = { name: 'order_query', attributes: tool('order_query', { id: 'A' }, { status: 'shipped' }) }

const open = (limits: LiveLimits): Recorder => startRecording({ options: { limits } })

const below = (span: ApiSpan): typeof ROOT_CONTEXT => trace.setSpan(ROOT_CONTEXT, span)

function start({ tracer }: Recorder, name: string, attributes: object, parent = ROOT_CONTEXT): ApiSpan {
  return tracer.startSpan(name, { attributes: toApiAttributes({ ...attributes }) }, parent)
}

const kinds = (reports: readonly ChainReport[]): readonly string[] =>
  reports.map(({ revision, completeness, completeness_reason: reason }) =>
    [revision, completeness, ...(reason === null ? [] : [reason])].join(' '),
  )

describe('a chain is reported', () => {
  it('once it has settled, and not before', async () => {
    const recorder = open({ settleMillis: 60 })
    recorder.run(goodRun)
    await delay(30)
    expect(recorder.reports).toEqual([])
    await until(() => recorder.reports.length === 1)
    expect(kinds(recorder.reports)).toEqual(['1 complete'])
  })

  it('with what starts again before it has settled', async () => {
    const recorder = open({ settleMillis: 60 })
    const root = recorder.run(goodRun)
    await delay(30)
    const late = start(recorder, 'late', tool('late', {}, 'ok'), below(root))
    await delay(60)
    expect(recorder.reports).toEqual([])
    late.end()
    await until(() => recorder.reports.length === 1)
    expect(recorder.reports[0]).toMatchObject({ revision: 1, completeness: 'complete', step_count: 4 })
  })

  it('again, as amended, with what comes within the late window', async () => {
    const recorder = open({ settleMillis: 1, lateWindowMillis: 5_000 })
    const root = recorder.run(goodRun)
    await until(() => recorder.reports.length === 1)
    recorder.run(query, below(root))
    await until(() => recorder.reports.length === 2)
    expect(kinds(recorder.reports)).toEqual(['1 complete', '2 amended'])
    expect(recorder.reports.map(({ step_count: steps }) => steps)).toEqual([3, 4])
    recorder.reports.forEach(expectValidReport)
  })

  it('never again with less than it was reported with: what comes later is counted', async () => {
    const recorder = open({ settleMillis: 1, lateWindowMillis: 20 })
    const root = recorder.run(goodRun)
    const late = start(recorder, 'late', tool('late', {}, 'ok'), below(root))
    late.end()
    await until(() => findTracker()?.openTraces === 0)
    recorder.run(query, below(root))
    await recorder.processor.forceFlush()
    expect(recorder.reports).toHaveLength(1)
    expect(findTracker()?.counts.heldBackReports).toBe(1)
  })

  it('as partial when nothing happens for long, and amended when it goes on within the late window', async () => {
    const recorder = open({ settleMillis: 1, idleMillis: 40, lateWindowMillis: 5_000 })
    const root = start(recorder, 'run', agent('support'))
    recorder.run(query, below(root))
    await until(() => recorder.reports.length === 1)
    root.end()
    await until(() => recorder.reports.length === 2)
    expect(kinds(recorder.reports)).toEqual(['1 partial idle', '2 amended'])
    expect(recorder.reports[1]?.digest).toBe(readBack(recorder.spans)[0]?.digest)
  })

  it('as partial once, however long its root goes on without anything', async () => {
    const recorder = open({ idleMillis: 20, lateWindowMillis: 20 })
    const root = start(recorder, 'run', agent('support'))
    await until(() => findTracker()?.openTraces === 0)
    root.end()
    await recorder.processor.forceFlush()
    expect(kinds(recorder.reports)).toEqual(['1 partial idle'])
    expect(findTracker()?.counts.lateSpans).toBe(1)
  })

  it('is not idle while something of it starts', async () => {
    const recorder = open({ idleMillis: 150 })
    const root = start(recorder, 'run', agent('support'))
    for (let at = 0; at < 6; at++) {
      await delay(40)
      start(recorder, 'step', query.attributes, below(root))
    }
    expect(recorder.reports).toEqual([])
  })
})

describe('a step that is open when its root ends', () => {
  it('is named on the root, and the report says that it never ended, as every reader of the spans does', async () => {
    const recorder = open({ settleMillis: 1, idleMillis: 30, lateWindowMillis: 5_000 })
    const root = start(recorder, 'run', agent('support'))
    const hung = start(recorder, 'hung', tool('hung', {}), below(root))
    root.end()
    const { attributes, events } = recorder.span('run')
    expect(attributes['agent_reach.chain.provisional']).toBe(true)
    expect(events).toMatchObject([
      {
        name: 'agent_reach.open_span',
        attributes: {
          'agent_reach.open_span.id': hung.spanContext().spanId,
          'agent_reach.open_span.parent_id': root.spanContext().spanId,
          'agent_reach.open_span.name': 'hung',
        },
      },
    ])
    await until(() => recorder.reports.length === 1)
    const [report] = recorder.reports as [ChainReport]
    expect(kinds([report])).toEqual(['1 partial idle'])
    expect(report.findings.map(({ code }) => code)).toContain('never_ended')
    expect(report.nodes.map((node) => [node.node_name, node.status])).toContainEqual(['hung', 'timed_out'])
    const [read] = readBack(recorder.spans) as [ChainReport]
    expect(canonicalReport(report)).toBe(canonicalReport(read))

    hung.end()
    await until(() => recorder.reports.length === 2)
    const [, amended] = recorder.reports as [ChainReport, ChainReport]
    expect(kinds([amended])).toEqual(['2 amended'])
    expect(amended.findings.map(({ code }) => code)).not.toContain('never_ended')
    expect(canonicalReport(amended)).toBe(canonicalReport(readBack(recorder.spans)[0] as ChainReport))
  })

  it('is waited for, and its chain is complete when it has ended', async () => {
    const recorder = open({ settleMillis: 1 })
    const root = start(recorder, 'run', agent('support'))
    const slow = start(recorder, 'slow', query.attributes, below(root))
    root.end()
    await delay(30)
    expect(recorder.reports).toEqual([])
    slow.end()
    await until(() => recorder.reports.length === 1)
    expect(kinds(recorder.reports)).toEqual(['1 complete'])
  })
})

describe('spans around an agent', () => {
  const http = { 'http.request.method': 'POST' }

  it('do not hold up its report: a server span above it may go on', async () => {
    const recorder = open({ settleMillis: 1 })
    const server = start(recorder, 'POST /ask', http)
    recorder.run(goodRun, below(server))
    await until(() => recorder.reports.length === 1)
    server.end()
    await recorder.processor.forceFlush()
    expect(kinds(recorder.reports)).toEqual(['1 complete'])
    expect(recorder.span('run').attributes['agent_reach.chain.provisional']).toBe(false)
    expect(canonicalReport(recorder.reports[0] as ChainReport)).toBe(
      canonicalReport(readBack(recorder.spans)[0] as ChainReport),
    )
  })

  it('that come after its report change nothing in it but how many they are', async () => {
    const recorder = open({ settleMillis: 1 })
    const server = start(recorder, 'POST /ask', http)
    recorder.run(goodRun, below(server))
    await until(() => recorder.reports.length === 1)
    recorder.run({ name: 'INSERT', attributes: { 'db.system.name': 'postgresql' } }, below(server))
    server.end()
    await recorder.processor.forceFlush()
    const [report, ...more] = recorder.reports as [ChainReport]
    const [read] = readBack(recorder.spans) as [ChainReport]
    expect(more).toEqual([])
    // The spans of the whole trace are counted, whatever they are, and one more has come.
    expect(canonicalReport({ ...report, span_count: report.span_count + 1 })).toBe(canonicalReport(read))
  })

  it('that are the work of several agents make one chain', async () => {
    const recorder = open({ settleMillis: 30 })
    const worker = start(recorder, 'work', {})
    for (const name of ['first', 'second', 'third']) {
      recorder.run({ ...goodRun, name, attributes: agent(name) }, below(worker))
    }
    worker.end()
    await until(() => recorder.reports.length === 1)
    expect(recorder.reports[0]).toMatchObject({ completeness: 'complete', step_count: 9 })
    expect(recorder.reports[0]?.digest).toBe(readBack(recorder.spans)[0]?.digest)
  })

  it('that make a long trace, agent after agent, are not told of again and again', async () => {
    const recorder = open({ settleMillis: 1 })
    const worker = start(recorder, 'work', {})
    const root = recorder.run(
      { ...goodRun, below: Array.from({ length: 3_000 }, () => query) },
      below(worker),
    )
    await until(() => recorder.reports.length === 1)
    for (let round = 0; round < 20; round++) {
      recorder.run(goodRun, below(worker))
      await delay(5)
    }
    expect(recorder.reports.length).toBeLessThan(4)
    await recorder.processor.forceFlush()
    expect(recorder.reports.at(-1)).toMatchObject({ completeness: 'amended', step_count: 3_001 + 20 * 3 })
    expect(recorder.reports[0]?.trace_id).toBe(root.spanContext().traceId)
  })

  it('that have no agent among them give no report and are forgotten at once', async () => {
    const recorder = open({ settleMillis: 1 })
    for (let at = 0; at < 2_000; at++) {
      recorder.run({ name: 'GET /', attributes: http, below: [{ name: 'SELECT' }] })
      expect(findTracker()?.openTraces).toBe(0)
    }
    await recorder.processor.forceFlush()
    expect(recorder.reports).toEqual([])
    expect(findTracker()?.counts).toEqual({ lateSpans: 0, evictedTraces: 0, heldBackReports: 0 })
  })
})
