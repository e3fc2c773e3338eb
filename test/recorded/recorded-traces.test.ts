import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { createTraceDecoder } from '../../src/otlp/decode-json.ts'
import { openInput } from '../../src/otlp/open-input.ts'
import { readDocuments } from '../../src/otlp/read-documents.ts'
import { TraceCollector } from '../../src/pipeline/trace-collector.ts'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { digestReport } from '../../src/report/report-digest.ts'
import { findSchemaErrors } from '../report/expect-valid-report.ts'

/** A folder with recorded traces below `otlp/`, as the Collector writes them; the tests run where there is one. */
const corpora = process.env['AGENT_REACH_CORPORA']

interface RawSpan {
  readonly traceId: string
  readonly spanId: string
}

/** Trace ids and the number of their distinct spans, counted without any of our code. */
async function countSpans(file: string): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const spans = new Map<string, Set<string>>()
  for (const line of gunzipSync(await readFile(file))
    .toString('utf8')
    .split('\n')) {
    if (line === '') continue
    const body = JSON.parse(line) as { resourceSpans: { scopeSpans: { spans: RawSpan[] }[] }[] }
    for (const { traceId, spanId } of body.resourceSpans
      .flatMap((r) => r.scopeSpans)
      .flatMap((s) => s.spans)) {
      const id = traceId.toLowerCase()
      spans.set(id, (spans.get(id) ?? new Set()).add(spanId.toLowerCase()))
    }
  }
  return spans
}

describe.runIf(corpora !== undefined && existsSync(corpora))('every recorded trace', () => {
  const expected = new Map<string, Set<string>>()
  const reports = new Map<string, ChainReport>()

  beforeAll(async () => {
    const folder = join(corpora as string, 'otlp')
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jsonl.gz'))
    const collector = new TraceCollector()
    const decode = createTraceDecoder()
    for (const file of files) {
      for (const [id, spans] of await countSpans(join(folder, file))) {
        expected.set(id, new Set([...(expected.get(id) ?? []), ...spans]))
      }
      for await (const item of readDocuments(openInput(join(folder, file)))) {
        if (!('value' in item)) throw new Error(`${file}: ${item.problem.found}`)
        for (const span of decode(item.value).spans) collector.add(span)
      }
    }
    for (const report of collector.closeAll()) reports.set(report.trace_id, report)
  })

  it('gives one report, with all its spans counted once', () => {
    expect(expected.size).toBeGreaterThan(0)
    const counted = Object.fromEntries([...reports].map(([id, report]) => [id, report.span_count]))
    expect(counted).toEqual(Object.fromEntries([...expected].map(([id, spans]) => [id, spans.size])))
  })

  it('gives a report that fits its schema, with a digest of its own content', () => {
    for (const report of reports.values()) {
      expect(findSchemaErrors(report)).toEqual([])
      expect(digestReport(report)).toBe(report.digest)
    }
  })

  it('is judged without a check that throws', () => {
    const thrown = [...reports.values()].filter((report) => report.dropped.check_errors > 0)
    expect(thrown.map((report) => report.trace_id)).toEqual([])
  })

  it('never calls a result empty that was not recorded', () => {
    const steps = new Map(
      [...reports.values()].flatMap((report) => report.steps.map((step) => [step.span_id, step])),
    )
    const unrecorded = [...reports.values()]
      .flatMap((report) => report.findings)
      .filter(({ code, span_id }) => code === 'empty_result' && steps.get(span_id)?.evidence === 'none')
    expect(unrecorded).toEqual([])
  })
})
