import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import * as fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import {
  countPasses,
  type ReadCounts,
  readReports,
  type ReadReportsOptions,
} from '../../src/cli/read-reports.ts'
import type { ReadProblem } from '../../src/cli/read-problem.ts'
import { fileInput, type ReportInput, streamInput } from '../../src/cli/report-input.ts'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { chainSpans, toLine, traceId, writeChains, writeLines } from './write-traces.ts'

const directory = mkdtempSync(join(tmpdir(), 'read-reports-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let files = 0
function inputOf(lines: readonly string[], suffix = '.jsonl'): ReportInput {
  files += 1
  return asInput(writeLines(join(directory, `${files}${suffix}`), lines))
}

function asInput(path: string): ReportInput {
  return fileInput(path, path, statSync(path).size)
}

function fileOf(name: string, bytes: number): ReportInput {
  return fileInput(name, name, bytes)
}

interface Outcome {
  readonly reports: readonly ChainReport[]
  readonly problems: readonly ReadProblem[]
  readonly counts: ReadCounts
}

async function readAll(inputs: readonly ReportInput[], options: ReadReportsOptions = {}): Promise<Outcome> {
  const reports: ChainReport[] = []
  const problems: ReadProblem[] = []
  for await (const item of readReports(inputs, options)) {
    if (item.kind === 'report') reports.push(item.report)
    else if (item.kind === 'problem') problems.push(item.problem)
    else return { reports, problems, counts: item.counts }
  }
  throw new Error('Cannot read: expected counts at the end, found none')
}

function digests({ reports }: Outcome): readonly string[] {
  return reports.map(({ trace_id, digest }) => `${trace_id} ${digest}`).toSorted()
}

const TWO_PASSES = { onePassBytes: 0 }

describe('readReports()', () => {
  it('gives the reports of small inputs in the order in which their traces start', async () => {
    const input = inputOf([3, 1, 2].map((number) => toLine(chainSpans(number))))
    const { reports, counts } = await readAll([input])
    expect(reports.map(({ trace_id }) => trace_id)).toEqual([1, 2, 3].map(traceId))
    expect(counts).toMatchObject({ inputs: 1, spans: 9, rejectedSpans: 0, lateSpans: 0 })
  })

  it('orders traces that start together by their ids', async () => {
    const spans = [9, 4].map((number) =>
      chainSpans(number).map((span) => ({ ...span, startMs: 0, endMs: 1 })),
    )
    const { reports } = await readAll([inputOf(spans.map((chain) => toLine(chain)))])
    expect(reports.map(({ trace_id }) => trace_id)).toEqual([4, 9].map(traceId))
  })

  it('gives the same reports of a trace that is split over inputs in any order, in one pass and in two', async () => {
    const chains = [1, 2, 3].flatMap((number) => chainSpans(number, number === 2 ? 'error_result' : 'none'))
    const expected = digests(await readAll([inputOf([toLine(chains)])]))
    const split = fc.tuple(
      fc.shuffledSubarray(chains, { minLength: chains.length }),
      fc.array(fc.integer({ min: 0, max: chains.length }), { maxLength: 4 }),
      fc.boolean(),
    )
    await fc.assert(
      fc.asyncProperty(split, async ([spans, cuts, packed]) => {
        const ends = [...cuts.toSorted((a, b) => a - b), spans.length]
        const inputs = ends.map((end, at) =>
          inputOf(
            spans.slice(ends[at - 1] ?? 0, end).map((span) => toLine([span])),
            packed ? '.jsonl.gz' : '.jsonl',
          ),
        )
        const once = await readAll(inputs)
        const twice = await readAll(inputs, TWO_PASSES)
        expect(digests(once)).toEqual(expected)
        expect(digests(twice)).toEqual(expected)
        expect(twice.counts).toEqual(once.counts)
      }),
      { numRuns: 40 },
    )
  })

  it('closes each trace of a large input as soon as its last span has been read', async () => {
    const numbers = [1, 2, 3, 4]
    const input = inputOf(numbers.map((number) => toLine(chainSpans(number))))
    let judged = 0
    const open: number[] = []
    for await (const item of readReports([input], { ...TWO_PASSES, onSpan: () => judged++ })) {
      if (item.kind === 'report') open.push(judged)
    }
    expect(open).toEqual([3, 6, 9, 12])
  })

  it('keeps a trace open that goes on in a later input', async () => {
    const [first, ...rest] = chainSpans(1)
    const inputs = [inputOf([toLine([first as never]), toLine(chainSpans(2))]), inputOf([toLine(rest)])]
    const { reports } = await readAll(inputs, TWO_PASSES)
    expect(reports.map(({ trace_id, span_count }) => [trace_id, span_count])).toEqual([
      [traceId(2), 3],
      [traceId(1), 3],
    ])
  })

  it('closes a trace at the end of an input whose last line is damaged', async () => {
    const whole = toLine(chainSpans(1))
    const input = inputOf([toLine(chainSpans(2)), whole.slice(0, -40)])
    const { reports, problems } = await readAll([input], TWO_PASSES)
    expect(reports.map(({ trace_id }) => trace_id)).toEqual([traceId(2)])
    expect(problems).toMatchObject([{ line: 2 }])
  })

  it('leaves what is appended between the two passes for the next time', async () => {
    const path = writeChains(join(directory, 'growing.jsonl'), [chainSpans(1), chainSpans(2)])
    const late = chainSpans(1, 'error_result').map((span) => ({
      ...span,
      spanId: `f${span.spanId.slice(1)}`,
    }))
    const input = asInput(path)
    let opened = 0
    const growing: ReportInput = {
      ...input,
      open(onBytes) {
        opened += 1
        if (opened === 2) appendFileSync(path, `${toLine(late)}\n`)
        return input.open(onBytes)
      },
    }
    const { reports, problems, counts } = await readAll([growing], TWO_PASSES)
    expect(opened).toBe(2)
    expect(reports.map(({ span_count }) => span_count)).toEqual([3, 3])
    expect(problems).toEqual([])
    expect(counts.lateSpans).toBe(0)
  })

  it('counts spans of a trace that is closed already, where the look-up missed a mention', async () => {
    const escaped = toLine(chainSpans(1)).replaceAll('"traceId"', '"trace\\u0049d"')
    const input = inputOf([toLine(chainSpans(1)), toLine(chainSpans(2)), escaped])
    const { reports, counts } = await readAll([input], TWO_PASSES)
    expect(counts.lateSpans).toBe(3)
    expect(reports.map(({ dropped }) => dropped.duplicate_spans)).toEqual([0, 0])
  })

  it('reports a trace at the end that the look-up missed altogether', async () => {
    const escaped = toLine(chainSpans(1)).replaceAll('"traceId"', '"trace\\u0049d"')
    const { reports } = await readAll([inputOf([escaped, toLine(chainSpans(2))])], TWO_PASSES)
    expect(reports.map(({ trace_id }) => trace_id)).toEqual([traceId(2), traceId(1)])
  })

  it('tells how many bytes it reads, twice each in two passes', async () => {
    const inputs = [inputOf([toLine(chainSpans(1))]), inputOf([toLine(chainSpans(2))], '.json.gz')]
    const total = inputs.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)
    let read = 0
    const onBytes = (count: number): number => (read += count)
    await readAll(inputs, { onBytes })
    expect(read).toBe(total)
    read = 0
    await readAll(inputs, { onBytes, ...TWO_PASSES })
    expect(read).toBe(2 * total)
  })

  it('reads only the trace that is asked for', async () => {
    const input = inputOf([toLine(chainSpans(1)), toLine(chainSpans(2))])
    const { reports, counts } = await readAll([input], { traceId: traceId(2), ...TWO_PASSES })
    expect(reports.map(({ trace_id }) => trace_id)).toEqual([traceId(2)])
    expect(counts.spans).toBe(6)
  })

  it('tells a bad line with its place, and reads on', async () => {
    const { reports, problems } = await readAll([
      inputOf([toLine(chainSpans(1)), 'oops', toLine(chainSpans(2))]),
    ])
    expect(reports).toHaveLength(2)
    expect(problems).toEqual([
      {
        kind: 'unread_line',
        input: expect.stringMatching(/\.jsonl$/u) as unknown,
        line: 2,
        path: null,
        expected: 'A JSON document',
        found: 'oops',
      },
    ])
  })

  it('tells a span that it leaves out, and counts it in the report of its trace', async () => {
    const [first, ...rest] = chainSpans(1)
    const line = toLine([{ ...(first as never as object), spanId: 'nonsense' } as never, ...rest])
    const { reports, problems, counts } = await readAll([inputOf([line])])
    expect(problems).toMatchObject([
      {
        kind: 'rejected_part',
        line: 1,
        path: 'resourceSpans[0].scopeSpans[0].spans[0].spanId',
        found: 'nonsense',
      },
    ])
    expect(counts.rejectedSpans).toBe(1)
    expect(reports[0]?.dropped.rejected_spans).toBe(1)
  })

  it('finds the trace of a left out span in snake case too', async () => {
    const [first, ...rest] = chainSpans(1)
    const line = toLine([{ ...(first as never as object), spanId: 'nonsense' } as never, ...rest])
    const snake = line
      .replaceAll('"resourceSpans"', '"resource_spans"')
      .replaceAll('"scopeSpans"', '"scope_spans"')
      .replaceAll('"traceId"', '"trace_id"')
    const { reports } = await readAll([inputOf([snake])])
    expect(reports[0]?.dropped.rejected_spans).toBe(1)
  })

  it('takes no notice of an empty request, and counts what holds no spans by design', async () => {
    const { reports: own } = await readAll([inputOf([toLine(chainSpans(1))])])
    const lines = ['{}', '{"resourceMetrics":[]}', JSON.stringify(own[0]), toLine(chainSpans(2))]
    const { reports, problems, counts } = await readAll([inputOf(lines)])
    expect(reports).toHaveLength(1)
    expect(problems).toEqual([])
    expect(counts).toMatchObject({ signalDocuments: 1, reportDocuments: 1 })
  })

  it('tells JSON that is something else by its kind, never by what it holds', async () => {
    const lines = ['{"data":1,"secret":"s3cr3t","c":3,"d":4}', '[1]', '7']
    const { problems } = await readAll([inputOf(lines)])
    expect(problems.map(({ kind, found }) => [kind, found])).toEqual([
      ['foreign_document', 'an object with data, secret, c, …'],
      ['foreign_document', 'an array'],
      ['foreign_document', '7'],
    ])
  })

  it('tells an input that ends too early', async () => {
    const path = join(directory, 'torn.jsonl')
    writeFileSync(path, `${toLine(chainSpans(1))}\n${toLine(chainSpans(2)).slice(0, 100)}`)
    const { reports, problems } = await readAll([asInput(path)])
    expect(reports).toHaveLength(1)
    expect(problems).toMatchObject([{ kind: 'torn_end', line: 2 }])
  })

  it.each([{}, TWO_PASSES])(
    'tells a file that cannot be read, and reads the others (%j)',
    async (options) => {
      const missing = fileInput('gone.jsonl', join(directory, 'gone.jsonl'), 10)
      const { reports, problems, counts } = await readAll(
        [missing, inputOf([toLine(chainSpans(1))])],
        options,
      )
      expect(reports).toHaveLength(1)
      expect(problems).toMatchObject([
        { kind: 'unreadable_input', input: 'gone.jsonl', line: null, found: 'no such file' },
      ])
      expect(counts.inputs).toBe(2)
    },
  )

  it.each([
    [
      'damaged gzip',
      Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), Buffer.from('garbage')]),
    ],
    ['damaged Zstandard', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 7, 0, 0])],
  ])('tells that the rest of an input is lost: %s', async (_, bytes) => {
    const path = join(directory, 'damaged.gz')
    writeFileSync(path, bytes)
    const { problems } = await readAll([asInput(path)])
    expect(problems).toMatchObject([{ kind: 'unreadable_input' }])
  })

  it('throws on what is no fault of the input', async () => {
    const broken = streamInput('broken', Readable.from([1]))
    await expect(readAll([broken])).rejects.toThrow(TypeError)
  })
})

describe('countPasses()', () => {
  it('reads small inputs once and large ones twice; packed bytes count eight times', () => {
    expect(countPasses([fileOf('a.jsonl', 64 * 1024 * 1024)])).toBe(1)
    expect(countPasses([fileOf('a.jsonl', 64 * 1024 * 1024), fileOf('b.jsonl', 1)])).toBe(2)
    expect(countPasses([fileOf('a.jsonl.gz', 8 * 1024 * 1024)])).toBe(1)
    expect(countPasses([fileOf('a.jsonl.gz', 8 * 1024 * 1024 + 1)])).toBe(2)
  })

  it('reads once where a stream is among the inputs, and where one trace is asked for', () => {
    expect(countPasses([fileOf('a.jsonl', 2 ** 40), streamInput('standard input', Readable.from([]))])).toBe(
      1,
    )
    expect(countPasses([fileOf('a.jsonl', 2 ** 40)], { traceId: traceId(1) })).toBe(1)
  })
})
