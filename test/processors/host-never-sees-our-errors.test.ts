import { diag, metrics, trace, ROOT_CONTEXT } from '@opentelemetry/api'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import type { ReportSink } from '../../src/report/report-sink.ts'
import type { StandardSchema } from '../../src/rules/standard-schema.ts'
import { agent, tool } from '../chain/trace-script.ts'
import { goodRun, processorWith, readBack, type Recorder, startRecording, until } from './record-run.ts'

/** Where the Logs API of its own package keeps the provider that a program registers. */
const API_LOGS = Symbol.for('io.opentelemetry.js.api.logs')

const places = globalThis as unknown as Record<symbol, unknown>

afterEach(() => {
  metrics.disable()
  delete places[API_LOGS]
})

const fail = (): never => {
  throw new Error('broken')
}

const names = ({ spans }: Recorder): readonly string[] => spans.map(({ name }) => name)

/** Runs twice what must go well whatever is broken, so that what is told once can be told from what is told always. */
function runTwice(recorder: Recorder): void {
  recorder.run(goodRun)
  recorder.run(goodRun)
  expect(names(recorder)).toEqual(['chat', 'order_query', 'run', 'chat', 'order_query', 'run'])
}

describe('errors of hooks', () => {
  it('that are thrown are counted, told once and stop nothing', async () => {
    const recorder = startRecording({ options: { onReport: fail } })
    runTwice(recorder)
    await recorder.processor.forceFlush()
    expect(recorder.processor.swallowedErrors).toBe(2)
    expect(recorder.messages).toEqual([
      'agent-reach: an error in onReport was swallowed, later ones are counted only broken',
    ])
  })

  it('that are thrown for findings and alerts leave the marks and the report alone', async () => {
    const loop = { ...goodRun, below: Array.from({ length: 3 }, () => goodRun.below?.[1] ?? goodRun) }
    const broken = { name: 'bad', attributes: tool('bad', { id: 'A' }, { error: 'down' }) }
    const recorder = startRecording({ options: { onFinding: fail, onAlert: fail } })
    recorder.run({ ...loop, below: [...loop.below, broken] })
    const report = await recorder.processor.forceFlush().then(() => recorder.reports[0])
    expect(report?.alerts).toHaveLength(1)
    expect(recorder.span('bad').attributes['agent_reach.node.status']).toBe('reached_invalid')
    expect(recorder.processor.swallowedErrors).toBe(3)
    expect(recorder.messages).toHaveLength(2)
  })

  it('of asynchronous hooks are caught, too', async () => {
    const recorder = startRecording({
      options: {
        onReport: async () => {
          await Promise.resolve()
          fail()
        },
      },
    })
    runTwice(recorder)
    await recorder.processor.forceFlush()
    await until(() => recorder.processor.swallowedErrors === 2)
    expect(recorder.messages).toHaveLength(1)
  })
})

describe('errors of sinks', () => {
  const parts: readonly (readonly [string, Partial<ReportSink>])[] = [
    ['write throws', { write: fail }],
    ['write rejects', { write: async () => fail() }],
    ['write rejects with what is no error', { write: () => Promise.reject(Object.create(null)) }],
    ['flush throws', { flush: fail }],
    ['flush rejects', { flush: async () => fail() }],
    ['close throws', { close: fail }],
    ['close rejects', { close: async () => fail() }],
  ]
  it.each(parts)('are told once where %s, and the other sinks go on', async (_, part) => {
    const taken: string[] = []
    const bad: ReportSink = { write: async () => {}, flush: async () => {}, close: async () => {}, ...part }
    const good: ReportSink = {
      write: async ({ report_id: id }) => void taken.push(id),
      flush: async () => {},
      close: async () => {},
    }
    const recorder = startRecording({ options: { reports: [bad, good] } })
    runTwice(recorder)
    await recorder.processor.forceFlush()
    await recorder.processor.shutdown()
    expect(taken).toHaveLength(2)
    expect(recorder.messages.length).toBeGreaterThan(0)
    expect(new Set(recorder.messages).size).toBe(recorder.messages.length)
  })

  it('are no matter where a sink only looks like a queue', async () => {
    const taken: string[] = []
    const bad = { counts: null, write: fail, flush: fail, close: fail }
    const good = {
      write: async () => void taken.push('report'),
      flush: async () => {},
      close: async () => {},
    }
    const recorder = startRecording({ options: { reports: [bad, good] } })
    recorder.run(goodRun)
    await recorder.processor.forceFlush()
    await recorder.processor.shutdown()
    expect(taken).toEqual(['report'])
  })
})

describe('errors of what spans hold', () => {
  const throwing = (attributes: object, keys: readonly string[]): object =>
    new Proxy(attributes, {
      get: (target, key, receiver) =>
        keys.includes(String(key)) ? fail() : (Reflect.get(target, key, receiver) as unknown),
    })

  /** Swaps the attributes of the span of a name, as a processor that hides values could. */
  const swap = (hook: 'onStart' | 'onEnding', name: string, keys: readonly string[]) =>
    processorWith({
      [hook]: (span: { name: string; attributes: object }) => {
        if (span.name === name) span.attributes = throwing(span.attributes, keys)
      },
    })

  it.each([
    ['onStart', 'order_query', 'gen_ai.tool.call.result'],
    ['onEnding', 'order_query', 'gen_ai.tool.call.result'],
    ['onStart', 'order_query', 'gen_ai.operation.name'],
    ['onEnding', 'order_query', 'gen_ai.operation.name'],
    ['onStart', 'run', 'gen_ai.agent.name'],
    ['onEnding', 'run', 'gen_ai.operation.name'],
    ['onStart', 'run', 'agent_reach.chain.id'],
  ] as const)('are swallowed: %s of %s cannot read %s', async (hook, name, key) => {
    const recorder = startRecording({ before: [swap(hook, name, [key])] })
    runTwice(recorder)
    await until(() => recorder.reports.length === 2)
    expect(recorder.processor.swallowedErrors).toBeGreaterThan(0)
    expect(recorder.messages.length).toBeGreaterThan(0)
    expect(new Set(recorder.messages).size).toBe(recorder.messages.length)
  })

  it('cost a report the step that cannot be read, and it says so', async () => {
    const recorder = startRecording({ before: [swap('onEnding', 'order_query', ['gen_ai.operation.name'])] })
    recorder.run(goodRun)
    await until(() => recorder.reports.length === 1)
    expect(recorder.reports[0]).toMatchObject({
      completeness: 'partial',
      completeness_reason: 'rejected_spans',
      step_count: 2,
      dropped: { rejected_spans: 1 },
    })
  })

  it('of a span that is still open do not keep the others from being judged', async () => {
    const recorder = startRecording({ before: [swap('onStart', 'open', ['gen_ai.operation.name'])] })
    const root = recorder.tracer.startSpan('run', { attributes: agent('support') as Record<string, string> })
    const below = trace.setSpan(ROOT_CONTEXT, root)
    recorder.tracer.startSpan('open', { attributes: tool('open', {}) as Record<string, string> }, below)
    recorder.run({ name: 'bad', attributes: tool('bad', {}, { error: 'down' }) }, below)
    root.end()
    await recorder.processor.shutdown()
    expect(recorder.span('bad').attributes['agent_reach.node.status']).toBe('reached_invalid')
    expect(recorder.reports).toMatchObject([{ completeness: 'partial' }])
  })

  it('in getters of values cost a report the step, and it says so', async () => {
    const value = {
      get status(): never {
        return fail()
      },
    }
    const recorder = startRecording({
      before: [
        processorWith({
          onEnding: (span) => {
            if (span.name === 'order_query')
              Object.assign(span.attributes, { 'gen_ai.tool.call.result': value })
          },
        }),
      ],
    })
    runTwice(recorder)
    await until(() => recorder.reports.length === 2)
    expect(recorder.reports).toMatchObject([
      { dropped: { rejected_spans: 1 } },
      { dropped: { rejected_spans: 1 } },
    ])
    expect(recorder.processor.swallowedErrors).toBe(2)
  })
})

describe('errors of checks of the program', () => {
  it('of a schema in code are a warning that says so', async () => {
    const schema: StandardSchema = { '~standard': { version: 1, vendor: 'test', validate: fail } }
    const rules = { version: 1, nodes: { order_query: { result: { schema } } } } as const
    const recorder = startRecording({ options: { rules } })
    runTwice(recorder)
    await recorder.processor.forceFlush()
    expect(recorder.reports.map(({ overall_status: status }) => status)).toEqual(['success', 'success'])
    expect(recorder.span('order_query').attributes).toMatchObject({
      'agent_reach.node.status': 'reached',
      'agent_reach.node.findings': ['rule_error:warn'],
    })
  })
})

describe('errors of what the program registered with OpenTelemetry', () => {
  it('are swallowed: a logger of diag that throws', () => {
    const recorder = startRecording({ options: { onReport: fail } })
    diag.setLogger(
      { error: fail, warn: fail, info: fail, debug: fail, verbose: fail },
      { suppressOverrideMessage: true },
    )
    expect(() => runTwice(recorder)).not.toThrow()
  })

  it('are swallowed: a meter provider that throws', async () => {
    metrics.setGlobalMeterProvider({ getMeter: fail })
    const recorder = startRecording()
    runTwice(recorder)
    await recorder.processor.forceFlush()
    expect(recorder.reports).toHaveLength(2)
    expect(recorder.processor.swallowedErrors).toBe(2)
    expect(recorder.messages).toHaveLength(1)
  })

  it('are swallowed: a logger provider that throws costs no mark', async () => {
    places[API_LOGS] = () => ({ getLogger: fail })
    onTestFinished(() => void delete places[API_LOGS])
    const call = { name: 'q', attributes: tool('q', { id: 'A' }, { ok: 1 }) }
    const budget = { tool_calls: 2 }
    const recorder = startRecording({
      options: { rules: { version: 1, guards: { budget } }, evaluationEvents: true },
    })
    recorder.run({ ...goodRun, below: [call, call, call] })
    const third = recorder.spans[2]
    expect(third?.events.map(({ name }) => name)).toEqual([
      'agent_reach.alert',
      'agent_reach.alert',
      'gen_ai.evaluation.result',
    ])
    expect(recorder.processor.swallowedErrors).toBeGreaterThan(2)
    expect(recorder.messages).toHaveLength(1)
    expect(readBack(recorder.spans)).toHaveLength(1)
  })
})
