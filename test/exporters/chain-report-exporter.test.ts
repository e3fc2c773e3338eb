import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  ChainReportExporter,
  type ChainReportExporterOptions,
} from '../../src/exporters/chain-report-exporter.ts'
import { createDirectorySink } from '../../src/exporters/directory-sink.ts'
import { createMemorySink } from '../../src/exporters/memory-sink.ts'
import type { ReportSink } from '../../src/report/report-sink.ts'
import { badRun, goodRun, readBack, runScript, startRecording } from '../processors/record-run.ts'
import { exportSpans, openExporter, recordSpans, toldTo } from './export-spans.ts'

const folder = mkdtempSync(join(tmpdir(), 'chain-report-exporter-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A program that exports through a span processor of the SDK and has none of ours. */
function startExporting(
  toProcessor: (exporter: ChainReportExporter) => SpanProcessor,
  options: ChainReportExporterOptions = {},
) {
  const sink = createMemorySink()
  const exporter = new ChainReportExporter({ sinks: [sink], ...options })
  const provider = new BasicTracerProvider({ spanProcessors: [toProcessor(exporter)] })
  onTestFinished(() => provider.shutdown().catch(() => {}))
  return { sink, exporter, provider, tracer: provider.getTracer('test') }
}

describe('a ChainReportExporter of its own', () => {
  it('behind a SimpleSpanProcessor reports each chain with its root', async () => {
    const { sink, provider, tracer } = startExporting((exporter) => new SimpleSpanProcessor(exporter))
    runScript(tracer, goodRun)
    runScript(tracer, badRun)
    await provider.forceFlush()
    expect(toldTo(sink)).toEqual(['1 complete null 3', '1 complete null 2'])
  })

  it('behind a BatchSpanProcessor reports a chain that is split over batches once, when it is whole', async () => {
    const { sink, provider, tracer } = startExporting(
      (exporter) => new BatchSpanProcessor(exporter, { maxExportBatchSize: 2, scheduledDelayMillis: 10 }),
    )
    runScript(tracer, goodRun)
    runScript(tracer, badRun)
    await provider.forceFlush()
    expect(toldTo(sink)).toEqual(['1 complete null 3', '1 complete null 2'])
  })

  it('answers when the report is in its file, whole', async () => {
    const directory = join(folder, 'durable')
    const exporter = openExporter(createDirectorySink({ directory }))
    const spans = recordSpans()
    expect(await exportSpans(exporter, spans.slice(0, 2))).toEqual({ code: 0 })
    expect(existsSync(directory)).toBe(false)
    expect(await exportSpans(exporter, spans.slice(2))).toEqual({ code: 0 })
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    expect(files.filter((path) => path.endsWith('.json'))).toHaveLength(1)
  })

  it('says what every reader of the spans says, whatever the batches', async () => {
    const spans = recordSpans((tracer) => {
      for (const script of [goodRun, badRun, goodRun]) runScript(tracer, script)
    })
    for (const batch of [1, 3, spans.length]) {
      const sink = createMemorySink()
      const exporter = openExporter(sink)
      for (let at = 0; at < spans.length; at += batch)
        await exportSpans(exporter, spans.slice(at, at + batch))
      const digests = sink.reports.map(({ digest }) => digest).toSorted()
      expect(digests).toEqual(
        readBack(spans)
          .map(({ digest }) => digest)
          .toSorted(),
      )
    }
  })

  it('waits for the parent of an agent, such as the span of a request', async () => {
    const sink = createMemorySink()
    const exporter = openExporter(sink)
    const spans = recordSpans(
      (tracer) =>
        void runScript(tracer, {
          name: 'POST',
          attributes: { 'http.request.method': 'POST' },
          below: [goodRun],
        }),
    )
    await exportSpans(exporter, spans.slice(0, -1))
    expect(sink.reports).toEqual([])
    await exportSpans(exporter, spans.slice(-1))
    expect(toldTo(sink)).toEqual(['1 complete null 3'])
  })

  it('amends a report by what comes after it, and takes a span that comes twice once', async () => {
    const sink = createMemorySink()
    const exporter = openExporter(sink)
    const [first, ...rest] = recordSpans() as [ReadableSpan, ...ReadableSpan[]]
    await exportSpans(exporter, rest)
    await exportSpans(exporter, [first, ...rest])
    expect(sink.reports.map(({ revision, step_count: steps }) => [revision, steps])).toEqual([
      [1, 2],
      [2, 3],
    ])
    expect(sink.reports[1]?.dropped.duplicate_spans).toBe(2)
  })

  it('reports what is not whole as partial when it is shut down, and nothing after that', async () => {
    const sink = createMemorySink()
    const exporter = openExporter(sink)
    const spans = recordSpans()
    await exportSpans(exporter, spans.slice(0, 2))
    await exporter.shutdown()
    await exporter.shutdown()
    expect(toldTo(sink)).toEqual(['1 partial missing_parent 2'])
    expect(await exportSpans(exporter, spans)).toMatchObject({ code: 1, error: { message: /shut down/u } })
  })

  it('gives no report of spans that are no agent', async () => {
    const sink = createMemorySink()
    const exporter = openExporter(sink)
    await exportSpans(
      exporter,
      recordSpans((tracer) => void runScript(tracer, { name: 'GET', below: [{ name: 'SELECT' }] })),
    )
    await exporter.shutdown()
    expect(sink.reports).toEqual([])
  })
})

describe('what goes wrong in a ChainReportExporter', () => {
  const parts: readonly (readonly [string, Partial<ReportSink>])[] = [
    ['write rejects', { write: () => Promise.reject(new Error('broken')) }],
    [
      'write throws',
      {
        write: () => {
          throw new Error('broken')
        },
      },
    ],
    ['flush rejects', { flush: () => Promise.reject(new Error('broken')) }],
  ]
  it.each(parts)(
    'is answered with code 1 where %s, and the next batch with code 0 where it goes well',
    async (_, part) => {
      const sink: Record<string, unknown> = {
        write: async () => {},
        flush: async () => {},
        close: async () => {},
        ...part,
      }
      const exporter = openExporter(sink as unknown as ReportSink)
      const outcome = await exportSpans(exporter, recordSpans())
      expect(outcome).toMatchObject({ code: 1, error: expect.any(Error) })
      expect(outcome.error?.message).toContain('broken')
      expect(await exportSpans(exporter, [])).toEqual({ code: 0 })
      Object.assign(sink, { write: async () => {}, flush: async () => {} })
      expect(await exportSpans(exporter, recordSpans())).toEqual({ code: 0 })
    },
  )

  it('is a span that cannot be read: the others of its batch are folded, and the report says so', async () => {
    const sink = createMemorySink()
    const exporter = openExporter(sink)
    const spans = recordSpans()
    const attributes = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('unreadable')
        },
      },
    )
    Object.assign(spans[0] as object, { attributes })
    expect(await exportSpans(exporter, spans)).toMatchObject({ code: 1, error: { message: 'unreadable' } })
    expect(toldTo(sink)).toEqual(['1 partial rejected_spans 2'])
  })

  it('is a sink that hangs: flush and shutdown are over in time, and say so', async () => {
    const hang = (): Promise<void> => new Promise(() => {})
    const exporter = new ChainReportExporter({
      sinks: [{ write: hang, flush: hang, close: hang }],
      flushTimeoutMillis: 50,
    })
    const recorder = startRecording()
    for (let n = 0; n < 3; n++) recorder.run(badRun)
    await recorder.processor.forceFlush()
    const message = 'expected all to be written, found 3 still under way after 50 ms'
    await expect(exporter.forceFlush()).rejects.toThrow(message)
    await expect(exporter.shutdown()).rejects.toThrow(message)
  })

  it('is told where it is made: options, limits, rules and places that cannot be', () => {
    const create = (options: object) => (): unknown => new ChainReportExporter(options)
    expect(create({ directroy: 'x' })).toThrow('the unknown option directroy')
    expect(create({ limits: { settle: 1 } })).toThrow('limits.settle')
    expect(create({ flushTimeoutMillis: -1 })).toThrow('flushTimeoutMillis')
    expect(create({ sinks: [] })).toThrow(TypeError)
    expect(create({ directory: '' })).toThrow(TypeError)
    writeFileSync(join(folder, 'rules.yaml'), 'version: 1\nnods: {}\n')
    expect(create({ sinks: [createMemorySink()], rules: join(folder, 'rules.yaml') })).toThrow(
      /rules\.yaml:2/u,
    )
  })
})
