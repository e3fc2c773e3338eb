import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ChainReportExporter } from '../../src/exporters/chain-report-exporter.ts'
import type { ReportSink } from '../../src/report/report-sink.ts'
import { agent } from '../chain/trace-script.ts'
import { expectValidReport } from '../report/expect-valid-report.ts'
import { badRun, goodRun, type Recorder, startRecording, toApiAttributes, until } from './record-run.ts'

/** Registering a provider makes contexts follow asynchronous work. */
beforeAll(() => new NodeTracerProvider().register())
afterAll(() => {
  trace.disable()
  context.disable()
  propagation.disable()
})

const hang = (): Promise<void> => new Promise(() => {})
const hanging: ReportSink = { write: hang, flush: hang, close: hang }

/** An agent that goes on: one of its tools has answered. */
function startAgent(recorder: Recorder): ReturnType<Recorder['run']> {
  const root = recorder.tracer.startSpan('open', { attributes: toApiAttributes(agent('open')) })
  for (const tool of goodRun.below ?? []) recorder.run(tool, trace.setSpan(ROOT_CONTEXT, root))
  return root
}

async function timed(work: Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work
  return performance.now() - started
}

const agents = ({ reports }: Recorder): readonly (string | null)[] =>
  reports.map((report) => report.agent_name)

describe('forceFlush()', () => {
  it('delivers a chain right after its root has ended, and leaves one that goes on alone', async () => {
    const recorder = startRecording({ options: { limits: { settleMillis: 60_000 } } })
    const root = startAgent(recorder)
    recorder.run(goodRun)
    await recorder.processor.forceFlush()
    expect(recorder.sink.reports).toMatchObject([{ agent_name: 'support', completeness: 'complete' }])
    root.end()
    await recorder.processor.forceFlush()
    expect(recorder.sink.reports.map((report) => report.agent_name)).toEqual(['support', 'open'])
    expect(recorder.reports.map(({ completeness }) => completeness)).toEqual(['complete', 'complete'])
  })

  it('takes no longer than its time with a sink that hangs, and says so once', async () => {
    const recorder = startRecording({ options: { reports: hanging, flushTimeoutMillis: 100 } })
    recorder.run(goodRun)
    expect(await timed(recorder.processor.forceFlush())).toBeLessThan(2_000)
    expect(await timed(recorder.processor.forceFlush())).toBeLessThan(2_000)
    expect(recorder.messages).toEqual([
      'agent-reach: Cannot flush the reports: expected all to be written, found 1 still waiting after 100 ms',
    ])
  })

  it('may come at once from several sides', async () => {
    const recorder = startRecording()
    recorder.run(goodRun)
    await Promise.all([recorder.provider.forceFlush(), recorder.processor.forceFlush()])
    expect(recorder.sink.reports).toHaveLength(1)
  })
})

describe('shutdown()', () => {
  it('reports what is open as partial, and all else as it is', async () => {
    const recorder = startRecording({ options: { limits: { settleMillis: 60_000 } } })
    startAgent(recorder)
    recorder.run(goodRun)
    await recorder.provider.shutdown()
    expect(agents(recorder)).toEqual(['open', 'support'])
    expect(recorder.reports).toMatchObject([
      { completeness: 'partial', completeness_reason: 'shutdown', step_count: 3 },
      { completeness: 'complete', completeness_reason: null },
    ])
    expect(recorder.sink.reports).toHaveLength(2)
    recorder.reports.forEach(expectValidReport)
  })

  it('takes no longer than its time with a sink that hangs, and says what is lost', async () => {
    const recorder = startRecording({ options: { reports: hanging, flushTimeoutMillis: 100 } })
    recorder.run(goodRun)
    expect(await timed(recorder.processor.shutdown())).toBeLessThan(2_000)
    expect(recorder.messages).toEqual([expect.stringContaining('1 not written after 100 ms')])
  })

  it('leaves spans that end after it alone', async () => {
    const recorder = startRecording()
    const root = startAgent(recorder)
    await recorder.processor.shutdown()
    await recorder.processor.shutdown()
    await recorder.processor.forceFlush()
    root.end()
    recorder.run({ ...goodRun, name: 'after' })
    expect(agents(recorder)).toEqual(['open'])
    for (const name of ['open', 'after']) {
      const keys = Object.keys(recorder.span(name).attributes)
      expect(keys.filter((key) => key.startsWith('agent_reach.'))).toEqual([])
    }
    expect(recorder.processor.swallowedErrors).toBe(0)
  })
})

describe('more chains than the queue of a sink holds', () => {
  it('are all delivered, by a flush and by a shutdown, while the sink does its work', async () => {
    const recorder = startRecording({ options: { limits: { settleMillis: 60_000 } } })
    for (let n = 0; n < 1_300; n++) recorder.run({ name: 'run', attributes: agent('short') })
    await recorder.processor.forceFlush()
    expect(recorder.sink.reports).toHaveLength(1_300)
    for (let n = 0; n < 1_300; n++)
      recorder.tracer.startSpan('run', { attributes: toApiAttributes(agent('open')) })
    await recorder.processor.shutdown()
    expect(recorder.sink.reports).toHaveLength(2_600)
    expect(recorder.messages).toEqual([])
  })

  it('are no reason for a hanging sink to take more than its time', async () => {
    const recorder = startRecording({ options: { reports: hanging, flushTimeoutMillis: 100 } })
    for (let n = 0; n < 600; n++) recorder.run({ name: 'run', attributes: agent('short') })
    expect(await timed(recorder.processor.forceFlush())).toBeLessThan(2_000)
    expect(recorder.reports).toHaveLength(600)
  })
})

describe('what sinks do', () => {
  it('is recorded in no trace of the program, beside a processor as in it', async () => {
    let tracer: Recorder['tracer'] | null = null
    const written: string[] = []
    const sinkOf = (name: string): ReportSink => {
      const work = async (what: string): Promise<void> => {
        tracer?.startSpan(`${what} of ${name}`).end()
        await Promise.resolve()
        tracer?.startSpan(`late ${what} of ${name}`).end()
        written.push(`${what} of ${name}`)
      }
      return { write: () => work('write'), flush: () => work('flush'), close: async () => {} }
    }
    const exporter = new ChainReportExporter({ sinks: [sinkOf('the exporter')] })
    onTestFinished(() => exporter.shutdown())
    const recorder = startRecording({ options: { reports: sinkOf('the processor') } })
    tracer = recorder.tracer
    const around = recorder.tracer.startSpan('around')
    const chain = trace.setSpan(ROOT_CONTEXT, around)
    context.with(chain, () => recorder.run(goodRun))
    await context.with(chain, () => recorder.processor.forceFlush())
    around.end()
    expect(written).toEqual(expect.arrayContaining(['write of the processor', 'write of the exporter']))
    expect(recorder.spans.map(({ name }) => name)).toEqual(['chat', 'order_query', 'run', 'around'])
  })
})

describe('what is done with a report', () => {
  it('by a hook is recorded in no trace: an agent that looks at reports makes no report', async () => {
    const seen: string[] = []
    const recorder: Recorder = startRecording({
      options: {
        onReport: async ({ agent_name: name }) => {
          seen.push(String(name))
          recorder.run(goodRun)
          await Promise.resolve()
          recorder.run(goodRun)
        },
      },
    })
    const around = recorder.tracer.startSpan('around')
    context.with(trace.setSpan(ROOT_CONTEXT, around), () => recorder.run(badRun))
    await until(() => seen.length > 0)
    await delay(50)
    await recorder.processor.forceFlush()
    expect(seen).toEqual(['support'])
    expect(recorder.spans.map(({ name }) => name)).toEqual(['order_query', 'run'])
  })
})
