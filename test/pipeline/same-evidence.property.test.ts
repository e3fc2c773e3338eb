import * as fc from 'fast-check'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTraceDecoder } from '../../src/otlp/decode-json.ts'
import { openInput } from '../../src/otlp/open-input.ts'
import { readDocuments } from '../../src/otlp/read-documents.ts'
import { TraceCollector } from '../../src/pipeline/trace-collector.ts'
import { canonicalReport } from '../../src/report/report-digest.ts'
import type { SpanView } from '../../src/steps/span-view.ts'
import { encodeOtlp } from '../otlp/encode-otlp.ts'
import { arbitraryTrace } from './arbitrary-trace.ts'

const canonicalOf = (spans: readonly SpanView[]): readonly string[] => {
  const collector = new TraceCollector()
  for (const span of spans) collector.add(span)
  return [...collector.closeAll()].map(canonicalReport)
}

const throughFiles = async (
  files: readonly (readonly (readonly SpanView[])[])[],
): Promise<readonly string[]> => {
  const collector = new TraceCollector()
  const decode = createTraceDecoder()
  for (const lines of files) {
    const bytes = Buffer.from(lines.map(encodeOtlp).join('\n'))
    const chunks = (async function* (): AsyncGenerator<Uint8Array> {
      yield bytes
    })()
    for await (const item of readDocuments(chunks)) {
      if (!('value' in item)) throw new Error(item.problem.found)
      for (const span of decode(item.value).spans) collector.add(span)
    }
  }
  return [...collector.closeAll()].map(canonicalReport)
}

/** The spans in another order, some of them twice, cut into files and lines. */
const delivery = (spans: readonly SpanView[]): fc.Arbitrary<readonly (readonly (readonly SpanView[])[])[]> =>
  fc
    .record({
      order: fc.shuffledSubarray([...spans], { minLength: spans.length }),
      again: fc.subarray([...spans]),
      cuts: fc.array(fc.nat(spans.length * 2), { maxLength: 6 }),
    })
    .map(({ order, again, cuts }) => {
      const all = [...order, ...again]
      const places = [0, ...cuts.toSorted((a, b) => a - b), all.length]
      const lines = places.slice(1).map((end, n) => all.slice(places[n], end))
      const middle = Math.floor(lines.length / 2)
      return [lines.slice(0, middle), lines.slice(middle)]
    })

describe('the same evidence gives the same canonical report', () => {
  it('in any order, any split into lines and files, with duplicates, decoded or native', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryTrace.chain((spans) => fc.tuple(fc.constant(spans), delivery(spans))),
        async ([spans, files]) => {
          const expected = canonicalOf(spans)
          expect(canonicalOf(files.flat(2))).toEqual(expected)
          expect(await throughFiles(files)).toEqual(expected)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('differing copies of a span give one report whichever comes first', () => {
    fc.assert(
      fc.property(arbitraryTrace, arbitraryTrace, (a, b) => {
        expect(canonicalOf([...a, ...b])).toEqual(canonicalOf([...b, ...a]))
      }),
      { numRuns: 300 },
    )
  })
})

const corpora = process.env['AGENT_REACH_CORPORA']

describe.runIf(corpora !== undefined && existsSync(corpora))('recorded traces', () => {
  it('ten of them give the same canonical report in ten other orders', async () => {
    for (const file of await someFiles(corpora as string, 10)) {
      const spans = await spansOf(file)
      const expected = canonicalOf(spans)
      fc.assert(
        fc.property(fc.shuffledSubarray([...spans], { minLength: spans.length }), (order) => {
          expect(canonicalOf([...order, ...order.slice(0, 3)])).toEqual(expected)
        }),
        { numRuns: 10 },
      )
    }
  })
})

async function someFiles(root: string, count: number): Promise<readonly string[]> {
  const folder = join(root, 'otlp')
  const names = (await readdir(folder, { recursive: true }))
    .filter((name) => name.endsWith('.jsonl.gz'))
    .toSorted()
  const every = Math.floor(names.length / count)
  return Array.from({ length: count }, (_, n) => join(folder, names[n * every] as string))
}

async function spansOf(file: string): Promise<readonly SpanView[]> {
  const decode = createTraceDecoder()
  const spans: SpanView[] = []
  for await (const item of readDocuments(openInput(file))) {
    if ('value' in item) spans.push(...decode(item.value).spans)
  }
  return spans
}
