import { metrics, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { afterEach, describe, expect, it } from 'vitest'
import type { RulesFile } from '../../src/rules/rules-file.ts'
import { agent, model, tokens, tool } from '../chain/trace-script.ts'
import { badRun, goodRun, type Recorder, type Scripted, startRecording } from './record-run.ts'

/** Where the Logs API of its own package keeps the provider that a program registers. */
const API_LOGS = Symbol.for('io.opentelemetry.js.api.logs')
const places = globalThis as unknown as Record<symbol, unknown>

afterEach(() => {
  metrics.disable()
  delete places[API_LOGS]
})

interface LogRecord {
  readonly eventName: string
  readonly severityNumber: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly context: Parameters<typeof trace.getSpanContext>[0]
}

/** Registers a logger provider as the Logs API does. */
function collectLogs(): readonly LogRecord[] {
  const records: LogRecord[] = []
  places[API_LOGS] = (version: number) =>
    version === 1 ? { getLogger: () => ({ emit: (record: LogRecord) => records.push(record) }) } : undefined
  return records
}

interface Measurement {
  readonly name: string
  readonly value: number
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Registers a meter provider. */
function collectMetrics(): readonly Measurement[] {
  const measured: Measurement[] = []
  const create = (name: string) => {
    const take = (value: number, attributes = {}): void => void measured.push({ name, value, attributes })
    return { add: take, record: take }
  }
  const meter = { createCounter: create, createHistogram: create }
  metrics.setGlobalMeterProvider({ getMeter: () => meter } as never)
  return measured
}

const steps = (count: number, step: Scripted): Scripted => ({
  name: 'run',
  attributes: agent('support'),
  below: Array.from({ length: count }, (_, n) => ({ ...step, name: `${step.name} ${n + 1}` })),
})

const poll = { name: 'poll', attributes: tool('poll', { id: 'A' }, { status: 'pending' }) }
const query = { name: 'q', attributes: tool('q', undefined, { ok: 1 }) }
const chat = { name: 'chat', attributes: model('fine', tokens(30, 10)) }

const alertsOf = ({ spans }: Recorder): readonly (readonly [string, Readonly<Record<string, unknown>>])[] =>
  spans.flatMap(({ name, events }) =>
    events
      .filter((event) => event.name === 'agent_reach.alert')
      .map(({ attributes = {} }) => [name, attributes] as const),
  )

const withBudget = (budget: NonNullable<NonNullable<RulesFile['guards']>['budget']>): Recorder =>
  startRecording({ options: { rules: { version: 1, guards: { budget } } } })

describe('a loop of another kind', () => {
  const ask = (words: string): Scripted => ({
    name: 'web_search',
    attributes: tool('web_search', { words }, words),
  })
  const question = 'opening hours of the northern harbour museum'
  const run = (below: readonly Scripted[]): Scripted => ({ name: 'run', attributes: agent('support'), below })
  const kindsOf = (recorder: Recorder): readonly unknown[] =>
    alertsOf(recorder).map(([, attributes]) => [
      attributes['agent_reach.loop.kind'],
      attributes['agent_reach.alert.severity'],
    ])

  it('is told where it shows, once, as long as it gets no worse', async () => {
    const recorder = startRecording()
    recorder.run(run([ask(question), ask(`${question} today`), ask(`${question} today please`)]))
    expect(kindsOf(recorder)).toEqual([['similar', 'warn']])
    const report = await recorder.oneReport()
    expect(report.alerts).toMatchObject([{ kind: 'similar', severity: 'warn', count: 3 }])
    expect(report.loop_count).toBe(1)
  })

  it('is told again of the same calls only by a graver one', () => {
    const recorder = startRecording()
    recorder.run(
      run([ask(question), ask(`${question} today`), ...Array.from({ length: 5 }, () => ask(question))]),
    )
    expect(kindsOf(recorder)).toEqual([
      ['similar', 'warn'],
      ['exact', 'error'],
    ])
  })
})

describe('a loop', () => {
  it('is a warning at the third equal call and an error at the fifth, once each', () => {
    const recorder = startRecording()
    recorder.run(steps(8, poll))
    expect(
      alertsOf(recorder).map(([name, attributes]) => [name, attributes['agent_reach.alert.severity']]),
    ).toEqual([
      ['poll 3', 'warn'],
      ['poll 5', 'error'],
    ])
    expect(alertsOf(recorder)[1]?.[1]).toMatchObject({
      'agent_reach.alert.type': 'loop',
      'agent_reach.alert.action': 'none',
      'agent_reach.alert.message': expect.stringContaining('poll'),
      'agent_reach.loop.kind': 'exact',
      'agent_reach.loop.count': 5,
      'agent_reach.loop.signature': expect.stringMatching(/^[\da-f]{16}$/u),
    })
    expect(recorder.alerts.map(({ type, severity, count }) => [type, severity, count])).toEqual([
      ['loop', 'warn', 3],
      ['loop', 'error', 5],
    ])
  })
})

describe('a budget', () => {
  it.each([
    { kind: 'tokens', part: 'token', limit: 100, step: chat, at: 'chat 3', usage: 120, utilization: 1.2 },
    {
      kind: 'model_calls',
      part: 'model_call',
      limit: 2,
      step: chat,
      at: 'chat 3',
      usage: 3,
      utilization: 1.5,
    },
    { kind: 'tool_calls', part: 'tool_call', limit: 1, step: query, at: 'q 2', usage: 2, utilization: 2 },
  ])('of $kind is an alert at the step that exceeds it', async ({ kind, part, limit, step, at, ...rest }) => {
    const recorder = withBudget({ [kind]: limit })
    recorder.run(steps(5, step))
    const mine = alertsOf(recorder).filter(([, { 'agent_reach.alert.type': type }]) => type === 'budget')
    expect(mine).toEqual([
      [
        at,
        expect.objectContaining({
          'agent_reach.alert.action': 'none',
          [`agent_reach.budget.${part}.limit`]: limit,
          [`agent_reach.budget.${part}.usage`]: rest.usage,
          [`agent_reach.budget.${part}.utilization`]: rest.utilization,
        }),
      ],
    ])
    const report = await recorder.oneReport()
    expect(recorder.span('run').attributes).toMatchObject({ [`agent_reach.budget.${part}.limit`]: limit })
    expect(report.alerts.filter(({ type }) => type === 'budget')).toHaveLength(1)
  })

  it('of money is an alert at the step that exceeds it', () => {
    const recorder = withBudget({ usd: 0.01 })
    recorder.run(steps(3, { name: 'chat', attributes: model('fine', tokens(1_000, 600)) }))
    const [[name, attributes] = ['', {}], ...more] = alertsOf(recorder)
    expect([name, more]).toEqual(['chat 2', []])
    // 2 calls of 1,000 tokens at 2.50 USD and 600 at 10 USD a million.
    expect(attributes['agent_reach.budget.cost.usage']).toBeCloseTo(0.017, 6)
    expect(attributes['agent_reach.budget.cost.limit']).toBe(0.01)
  })

  it('of time is an alert in seconds', () => {
    const recorder = withBudget({ duration: '2ms' })
    const wait = (): void => {
      const end = performance.now() + 10
      while (performance.now() < end);
    }
    recorder.run(steps(2, { name: 'slow', attributes: tool('slow', undefined, { ok: 1 }), atEnd: wait }))
    const [[name, attributes] = ['', {}], ...more] = alertsOf(recorder)
    expect([name, more]).toEqual(['slow 1', []])
    expect(attributes['agent_reach.budget.duration.limit']).toBe(0.002)
    expect(attributes['agent_reach.budget.duration.usage']).toBeGreaterThanOrEqual(0.009)
  })
})

describe('a log record', () => {
  it('is emitted for each alert, in the context of its span', () => {
    const records = collectLogs()
    const recorder = startRecording()
    recorder.run(steps(5, poll))
    expect(records.map(({ eventName, severityNumber }) => [eventName, severityNumber])).toEqual([
      ['agent_reach.alert', 13],
      ['agent_reach.alert', 17],
    ])
    expect(records.map(({ attributes }) => attributes)).toEqual(
      alertsOf(recorder).map(([, attributes]) => attributes),
    )
    const spanIds = records.map(({ context }) => trace.getSpanContext(context)?.spanId)
    expect(spanIds).toEqual(['poll 3', 'poll 5'].map((name) => recorder.span(name).spanContext().spanId))
  })

  it('is emitted for each evaluation where these are asked for', () => {
    const records = collectLogs()
    const recorder = startRecording({ options: { evaluationEvents: true } })
    recorder.run(badRun)
    const results = records.filter(({ eventName }) => eventName === 'gen_ai.evaluation.result')
    expect(results[0]?.attributes).toMatchObject({
      'gen_ai.evaluation.name': expect.any(String),
      'gen_ai.evaluation.score.label': 'reached_invalid',
      'gen_ai.evaluation.score.value': 0,
    })
  })
})

describe('metrics', () => {
  it('count a chain once, and name only nodes that the rules name', async () => {
    const recorder = startRecording({ options: { rules: { version: 1, nodes: { order_query: {} } } } })
    const measured = collectMetrics()
    const root = recorder.run({
      ...goodRun,
      below: [...(goodRun.below ?? []), ...(steps(3, poll).below ?? [])],
    })
    await recorder.processor.forceFlush()
    recorder.run({ ...poll, name: 'late' }, trace.setSpan(ROOT_CONTEXT, root))
    await recorder.processor.forceFlush()
    expect(recorder.reports).toHaveLength(2)
    const named = (name: string): readonly Measurement[] =>
      measured.filter((each) => each.name === `agent_reach.${name}`)
    expect(named('chains').map(({ value }) => value)).toEqual([1])
    expect(named('chain.tokens').map(({ value }) => value)).toEqual([15])
    expect(named('chain.duration').map(({ attributes }) => attributes)).toEqual([
      { 'agent_reach.chain.status': 'success', 'gen_ai.agent.name': 'support' },
    ])
    expect(named('alerts').map(({ attributes }) => attributes)).toEqual([
      { 'agent_reach.alert.type': 'loop' },
    ])
    expect(named('chain.cost')[0]?.value).toBeCloseTo(0.000075, 9)
    const names = named('nodes').map(({ attributes }) => attributes['agent_reach.node.name'])
    expect(names.filter((name) => name !== undefined)).toEqual(['order_query'])
    expect(names).toHaveLength(4)
  })
})
