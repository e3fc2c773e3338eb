import { ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node'
import { describe, expect, it } from 'vitest'
import { rewriteRequest } from '../../../src/otlp/rewrite-request.ts'
import { capture } from '../../../src/pipeline/capture.ts'
import type { AgentReachProcessorOptions } from '../../../src/processors/processor-options.ts'
import { canonicalReport } from '../../../src/report/report-digest.ts'
import { loadRules } from '../../../src/rules/load-rules.ts'
import type { RulesFile } from '../../../src/rules/rules-file.ts'
import type { MarkOptions } from '../../../src/server/mark-spans.ts'
import { outputKeys } from '../../../src/semconv/agent-reach.ts'
import type { SpanView } from '../../../src/steps/span-view.ts'
import { agent, model, tokens, tool } from '../../chain/trace-script.ts'
import { type ApiSpan, badRun, goodRun, type Scripted, startRecording } from '../../processors/record-run.ts'
import { decodeBody, forward, forwardBody, reportsOf, storedTrace, toBody } from './forward-spans.ts'

const fails = (span: ApiSpan): void => {
  span.recordException(new Error('connection refused'))
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'connection refused' })
}

const failing: Scripted = {
  name: 'run',
  attributes: agent('planner'),
  atEnd: fails,
  below: [
    { name: 'chat', attributes: model('ask', { ...tokens(100, 20), 'gen_ai.response.id': 'r1' }) },
    { name: 'chat again', attributes: model('ask', { ...tokens(100, 20), 'gen_ai.response.id': 'r1' }) },
    {
      name: 'refund',
      attributes: agent('refund'),
      below: [
        { name: 'POST', attributes: { 'http.request.method': 'POST' } },
        { name: 'mail', attributes: tool('mail', { to: 'a' }), atEnd: fails },
        { name: 'empty', attributes: tool('empty', { q: 1 }, '') },
      ],
    },
  ],
}

const retried: Scripted = {
  name: 'run',
  attributes: agent('support'),
  below: [
    { name: 'pay', attributes: tool('pay', { order_id: 'A' }), atEnd: fails },
    { name: 'pay again', attributes: tool('pay', { order_id: 'A' }, { ok: true }) },
  ],
}

const loop: Scripted = {
  name: 'run',
  attributes: agent('support'),
  below: [1, 2, 3, 4].map((n) => ({
    name: `poll ${n}`,
    attributes: tool('poll', { id: 'A' }, { status: 'pending' }),
  })),
}

const ruled: RulesFile = {
  version: 1,
  nodes: { order_query: { result: { schema: { type: 'object', required: ['order_id'] } } } },
  guards: { budget: { tokens: 10, usd: 1, tool_calls: 0 } },
}

interface Marks {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: readonly { readonly name: string; readonly attributes: unknown }[]
  readonly status: { readonly code: number; readonly message: string }
}

/** What is ours on a span. */
function marksOf({ attributes, events, status }: SpanView): Marks {
  return {
    attributes: Object.fromEntries(
      outputKeys.flatMap((key) => (key in attributes ? [[key, attributes[key]]] : [])),
    ),
    events: events
      .filter(({ name }) => name === 'agent_reach.alert' || name === 'gen_ai.evaluation.result')
      .map(({ name, attributes: more }) => ({ name, attributes: { ...more } })),
    status: { code: status.code, message: status.message ?? '' },
  }
}

const byName = (spans: readonly SpanView[]): Readonly<Record<string, Marks>> =>
  Object.fromEntries(spans.map((span) => [span.name, marksOf(span)]))

/**
 * The body of recorded spans without the marks of the processor. Their numbers stay: of spans that start at the same
 * moment nothing else tells the order.
 */
function toBareBody(spans: readonly ReadableSpan[]): Buffer {
  const keys = new Set(outputKeys)
  const events = [{ name: 'agent_reach.alert' }, { name: 'gen_ai.evaluation.result' }]
  return rewriteRequest(toBody(spans), () => null, { keys, events, statusKey: 'agent_reach.status.set' })
}

interface Both {
  readonly live: Readonly<Record<string, Marks>>
  readonly forwarded: Readonly<Record<string, Marks>>
}

/** Records a run with the processor, and forwards the same spans as they are without it. */
function runBoth(
  script: Scripted,
  options: AgentReachProcessorOptions & Pick<MarkOptions, 'markStatus'> = {},
): Both {
  const recorder = startRecording({ options })
  recorder.run(script)
  const bare = toBareBody(recorder.spans)
  expect(decodeBody(bare).flatMap((span) => Object.keys(marksOf(span).attributes))).toEqual([])
  const { rules, markStatus, evaluationEvents, reportUrl } = options
  const forwarded = forward(storedTrace([bare]), {
    ...(rules !== undefined && { rules: loadRules(rules) }),
    ...(markStatus !== undefined && { markStatus }),
    ...(evaluationEvents !== undefined && { evaluationEvents }),
    ...(reportUrl !== undefined && { reportUrl }),
  })
  return { live: byName(recorder.spans), forwarded: byName(forwarded) }
}

describe('the marks of forwarded spans are those that the processor writes', () => {
  it.each<[string, Scripted, AgentReachProcessorOptions]>([
    ['a run that goes well', goodRun, {}],
    ['an invalid result', badRun, {}],
    ['failures on several levels', failing, {}],
    ['rules and budgets', goodRun, { rules: ruled }],
    ['evaluations', badRun, { evaluationEvents: true }],
    ['statuses that are left alone', badRun, { markStatus: 'never' }],
    [
      'the address of the report',
      goodRun,
      { reportUrl: 'https://r/{day}/{trace_id}/{chain_id}/{report_name}' },
    ],
  ])('of %s', (_, script, options) => {
    const { live, forwarded } = runBoth(script, options)
    expect(forwarded).toEqual(live)
  })

  it('but for what a later attempt made good, which is known only then', () => {
    const { live, forwarded } = runBoth(retried)
    const { pay, ...others } = forwarded
    const { pay: livePay, ...liveOthers } = live
    expect(others).toEqual(liveOthers)
    expect(livePay?.attributes['agent_reach.node.findings']).toEqual(['service_error'])
    expect(pay?.attributes['agent_reach.node.findings']).toEqual(['service_error:warn'])
    expect({ ...pay?.attributes, 'agent_reach.node.findings': ['service_error'] }).toEqual(
      livePay?.attributes,
    )
  })

  it('but for a loop, which is told once and at its end instead of when it shows and when it gets worse', () => {
    const { live, forwarded } = runBoth(loop)
    const alerts = (marks: Readonly<Record<string, Marks>>): readonly unknown[] =>
      Object.entries(marks).flatMap(([name, { events }]) => events.map((event) => [name, event.attributes]))
    const told = (count: number) => ({
      'agent_reach.alert.type': 'loop',
      'agent_reach.alert.severity': 'warn',
      'agent_reach.alert.message': `loop detected at node poll: same signature ${count} times`,
      'agent_reach.alert.action': 'none',
      'agent_reach.loop.kind': 'exact',
      'agent_reach.loop.count': count,
      'agent_reach.loop.signature': expect.any(String),
    })
    expect(alerts(live)).toEqual([['poll 3', told(3)]])
    expect(alerts(forwarded)).toEqual([['poll 4', told(4)]])
    for (const name of ['run', 'poll 1', 'poll 2']) expect(forwarded[name]).toEqual(live[name])
  })

  it('but for a root that ended before what is below it, whose totals were not all known', () => {
    const recorder = startRecording()
    const attributes = (given: unknown) => ({ attributes: given as Record<string, string> })
    const root = recorder.tracer.startSpan('run', attributes(agent('support')))
    const below = trace.setSpan(ROOT_CONTEXT, root)
    const late = recorder.tracer.startSpan('late', attributes(model('fine', tokens(10, 5))), below)
    root.end()
    late.end()
    const spans = forward(storedTrace([toBareBody(recorder.spans)]))
    const live = byName(recorder.spans)['run']
    const forwarded = byName(spans)['run']
    expect(live?.attributes).toMatchObject({
      'agent_reach.chain.provisional': true,
      'agent_reach.chain.status': 'partial_failed',
      'agent_reach.chain.root_cause': 'late',
    })
    const { 'agent_reach.chain.root_cause': rootCause, ...known } = live?.attributes ?? {}
    expect(rootCause).toBe('late')
    expect(forwarded?.attributes).toEqual({
      ...known,
      'agent_reach.chain.provisional': false,
      'agent_reach.chain.status': 'success',
      'agent_reach.chain.token.count': 15,
      'agent_reach.chain.cost.usd': expect.any(Number),
    })
    const opened = spans.flatMap(({ events }) => events.map(({ name }) => name))
    expect(opened).toEqual(['agent_reach.open_span'])
  })
})

describe('forwarded spans', () => {
  it.each<[string, Scripted]>([
    ['a loop', loop],
    ['an invalid result', badRun],
    ['failures', failing],
    ['a retry', retried],
  ])('of a program with the processor carry the marks of the service alone (%s)', (_, script) => {
    const recorder = startRecording({ options: { evaluationEvents: true } })
    recorder.run(script)
    const marked = forward(storedTrace([toBody(recorder.spans)]))
    expect(byName(marked)).toEqual(byName(forward(storedTrace([toBareBody(recorder.spans)]))))
  })

  it.each<[string, Scripted]>([
    ['a loop', loop],
    ['an invalid result', badRun],
    ['failures', failing],
    ['a retry', retried],
  ])('give the next reader the report that the spans gave which came (%s)', (_, script) => {
    const recorder = startRecording()
    recorder.run(script)
    const body = toBody(recorder.spans)
    const once = forwardBody(storedTrace([body]), { evaluationEvents: true })
    expect(reportsOf(once).map(canonicalReport)).toEqual(reportsOf(body).map(canonicalReport))
    expect(forwardBody(storedTrace([once]), { evaluationEvents: true })).toEqual(once)
  })

  it('give the same report where content was judged in process and not recorded', () => {
    const recorder = startRecording()
    const attempt = (name: string, result: unknown): Scripted => ({
      name,
      attributes: tool('pay', undefined),
      atEnd: (span) => void capture(span, { input: { order_id: 'A' }, output: result }),
    })
    recorder.run({
      name: 'run',
      attributes: agent('support'),
      below: [attempt('pay', { error: 'down' }), attempt('pay again', { ok: true })],
    })
    const body = toBody(recorder.spans)
    const once = forwardBody(storedTrace([body]))
    const [report] = reportsOf(body)
    expect(report?.nodes.map(({ node_name, evidence }) => [node_name, evidence])).toContainEqual([
      'pay',
      'captured',
    ])
    expect(report?.nodes.find(({ node_name }) => node_name === 'pay')?.retry_count).toBe(1)
    expect(reportsOf(once).map(canonicalReport)).toEqual(reportsOf(body).map(canonicalReport))
  })

  it.each<[string, Readonly<Record<string, unknown>>, number]>([
    ['is raised where it is unset', {}, 2],
    ['is left alone on a span of HTTP', { 'http.request.method': 'POST' }, 0],
    ['is left alone on a span of a database', { 'db.system': 'postgresql' }, 0],
  ])('the status of a bad step %s', (_, more, code) => {
    const recorder = startRecording({ options: { markStatus: 'never' } })
    recorder.run({
      ...goodRun,
      below: [{ name: 'bad', attributes: tool('q', { id: 1 }, { error: 'no such order' }, more) }],
    })
    const spans = forward(storedTrace([toBody(recorder.spans)]))
    const statusOf = (name: string): number | undefined =>
      spans.find((span) => span.name === name)?.status.code
    expect([statusOf('bad'), statusOf('run')]).toEqual([code, 0])
    const set = spans.map(({ attributes }) => attributes['agent_reach.status.set'])
    expect(set.filter(Boolean)).toHaveLength(code === 2 ? 1 : 0)
  })

  it('are provisional where their trace is still open', () => {
    const recorder = startRecording()
    recorder.run(goodRun)
    const root = forward(storedTrace([toBody(recorder.spans)]), { provisional: true }).find(
      ({ name }) => name === 'run',
    )
    expect(root?.attributes['agent_reach.chain.provisional']).toBe(true)
    expect(root?.attributes['agent_reach.chain.status']).toBe('success')
  })
})
