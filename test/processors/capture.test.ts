import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { describe, expect, it } from 'vitest'
import { capture } from '../../src/pipeline/capture.ts'
import type { ChainReport } from '../../src/report/chain-report.ts'
import type { CapturedContent } from '../../src/steps/captured-content.ts'
import { model, tool } from '../chain/trace-script.ts'
import { expectValidReport } from '../report/expect-valid-report.ts'
import {
  goodRun,
  readBack,
  type Recorder,
  type Scripted,
  startRecording,
  toApiAttributes,
} from './record-run.ts'

/** A telephone number: excerpts are masked. */
const SECRET = '13812345678'

const capturing = (content: CapturedContent, attributes: object = tool('q', undefined)): Scripted => ({
  name: 'q',
  attributes: toApiAttributes({ ...attributes }),
  atEnd: (span) => expect(capture(span, content)).toBe(true),
})

/** A run in which a tool hands content over without recording it. */
function record(...calls: readonly Scripted[]): Recorder {
  const recorder = startRecording()
  recorder.run({ ...goodRun, below: calls })
  return recorder
}

/** What is said of a run, without the evidence, which only the process has that saw the content. */
function verdictOf({ overall_status, nodes, steps, findings, alerts, retry_count }: ChainReport): object {
  return {
    overall_status,
    nodes: nodes.map(({ node_name, status, attempts }) => [node_name, status, attempts]),
    steps: steps.map(({ status, signature }) => [status, signature]),
    findings: findings.map(({ code, severity, node_name }) => [code, severity, node_name]),
    alerts,
    retry_count,
  }
}

/** What was captured is judged here, leaves no more than masked excerpts, and others read the same from the span. */
async function expectSameVerdict(recorder: Recorder): Promise<ChainReport> {
  const report = await recorder.oneReport()
  expectValidReport(report)
  const [read] = readBack(recorder.spans) as [ChainReport]
  expect(verdictOf(read)).toEqual(verdictOf(report))
  const exported = recorder.spans.map(({ attributes, events, status }) => ({ attributes, events, status }))
  expect(JSON.stringify([exported, report, read, recorder.findings])).not.toContain(SECRET)
  return report
}

describe('content that is captured', () => {
  it('is judged as though it were recorded: an output with an error', async () => {
    const recorder = record(capturing({ output: { error: { code: 'E_GONE', hint: SECRET } } }))
    expect(recorder.span('q').attributes).toMatchObject({
      'agent_reach.node.status': 'reached_invalid',
      'agent_reach.node.evidence': 'captured',
      'agent_reach.node.findings': ['error_in_result'],
    })
    const report = await expectSameVerdict(recorder)
    expect(report.nodes.find((node) => node.node_name === 'q')).toMatchObject({ status: 'reached_invalid' })
  })

  it.each<[string, string]>([
    ['a good one', JSON.stringify({ order: SECRET })],
    ['a good text', SECRET],
    ['an empty text', ''],
    ['null', 'null'],
    ['an empty list', '[]'],
    ['broken JSON', `{"order": "${SECRET}`],
    ['an error in a text', `Error: there is no ${SECRET}`],
  ])('is judged as though it were recorded: %s', async (_, output) => {
    const recorder = record(capturing({ output }))
    const recorded = record({
      name: 'q',
      attributes: { ...tool('q', undefined), 'gen_ai.tool.call.result': output },
    })
    const { attributes } = recorder.span('q')
    const expected = recorded.span('q').attributes
    for (const key of ['agent_reach.node.status', 'agent_reach.node.findings']) {
      expect(attributes[key]).toEqual(expected[key])
    }
    expect(attributes['agent_reach.node.evidence']).toBe('captured')
    await recorded.processor.shutdown()
    await expectSameVerdict(recorder)
  })

  it('is told of by masked excerpts: where it is wrong, and what was expected', async () => {
    const recorder = record(capturing({ output: { error: `no order of ${SECRET}` } }))
    const { attributes } = recorder.span('q')
    expect(attributes['agent_reach.node.reason']).toBe('the result is an error: no order of [phone]')
    const report = await recorder.oneReport()
    expect(report.findings.map(({ message, source }) => [message, source])).toEqual([
      ['the result is an error: no order of [phone]', 'content'],
    ])
  })

  it.each(['', SECRET])('of a root is told by every reader alike: %j', async (output) => {
    const recorder = startRecording()
    recorder.run({ ...goodRun, atEnd: (span) => void capture(span, { output }) })
    await expectSameVerdict(recorder)
  })

  it('of a model is judged by its answer', async () => {
    const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o' }
    const recorder = record(capturing({ input: SECRET, output: '' }, attributes))
    await expectSameVerdict(recorder)
  })

  it('of equal calls is a loop for every reader', async () => {
    const call = capturing({ input: { order: SECRET }, output: { status: 'pending' } })
    const report = await expectSameVerdict(record(call, call, call, call, call))
    expect(report.alerts).toMatchObject([{ type: 'loop', severity: 'error', count: 5 }])
  })

  it('of near-equal calls, of equal errors and of equal long results is no loop for any reader', async () => {
    const words = 'opening hours of the northern harbour museum'
    const asked = ['', 'today', 'today please'].map((rest) =>
      capturing({ input: { words: `${words} ${rest}` }, output: { error: `${words} `.repeat(9) } }),
    )
    const shown = [1, 2, 3].map((page) => capturing({ input: { page }, output: { text: words.repeat(9) } }))
    const report = await expectSameVerdict(record(...asked, ...shown))
    expect(report.alerts).toEqual([])
  })

  it('of a call that fails and is made again is made good for every reader', async () => {
    const input = { order_id: SECRET }
    const report = await expectSameVerdict(
      record(
        capturing({ input, output: { error: 'down' } }),
        capturing({ input, output: { status: 'shipped' } }),
      ),
    )
    expect(report).toMatchObject({ retry_count: 1, overall_status: 'success' })
  })

  it('stands behind what the span records itself', () => {
    const recorder = record(capturing({ output: { error: SECRET } }, tool('q', {}, { status: 'shipped' })))
    expect(recorder.span('q').attributes).toMatchObject({
      'agent_reach.node.status': 'reached',
      'agent_reach.node.evidence': 'full',
    })
  })

  it('may come in parts, and of one part the last word counts', async () => {
    const recorder = startRecording()
    const span = recorder.tracer.startSpan('q', { attributes: toApiAttributes(tool('q', undefined)) })
    capture(span, { output: { error: 'down' } })
    capture(span, { input: { id: SECRET } })
    capture(span, { output: { status: 'shipped' } })
    span.end()
    expect(recorder.span('q').attributes['agent_reach.node.status']).toBe('reached')
    await expectSameVerdict(recorder)
  })

  const cyclic: Record<string, unknown> = { name: SECRET }
  cyclic['self'] = cyclic
  const throwing = {
    get value(): never {
      throw new Error(SECRET)
    },
  }
  it.each<[string, unknown]>([
    ['that holds itself', cyclic],
    [
      'of a megabyte',
      { rows: Array.from({ length: 20_000 }, (_, n) => ({ n, note: `${SECRET} ${'x'.repeat(40)}` })) },
    ],
    ['with a big integer', { n: 10n, note: SECRET }],
    ['with a value that throws', throwing],
    ['that is a function', () => SECRET],
    ['that is a symbol', Symbol(SECRET)],
    ['with dates and maps', { at: new Date(0), map: new Map([[SECRET, 1]]) }],
  ])('does no harm: a value %s', async (_, output) => {
    const recorder = record(capturing({ output }))
    expect(recorder.processor.swallowedErrors).toBe(0)
    expect(recorder.messages).toEqual([])
    expect(recorder.span('q').attributes['agent_reach.node.status']).toBe('reached')
    await expectSameVerdict(recorder)
  })
})

describe('capture()', () => {
  it('says that nobody listens: no processor, a span that has ended, or that is none', async () => {
    const recorder = startRecording()
    const ended = recorder.run({ name: 'q', attributes: model('fine') })
    expect(capture(ended, { output: 1 })).toBe(false)
    const open = recorder.tracer.startSpan('open')
    await recorder.processor.shutdown()
    expect(capture(open, { output: 1 })).toBe(false)
    for (const span of [
      undefined,
      null,
      {},
      trace.wrapSpanContext({ traceId: '', spanId: '', traceFlags: 0 }),
    ]) {
      expect(capture(span as never, { output: 1 })).toBe(false)
    }
    expect(trace.getSpan(ROOT_CONTEXT)).toBe(undefined)
  })
})
