import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { readReports } from '../../src/cli/read-reports.ts'
import { fileInput } from '../../src/cli/report-input.ts'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { toRecords } from '../otlp/sdk-span.ts'
import { toZstd } from '../otlp/zstd-data.ts'
import { type CliOutcome, readReportLines, runCli } from './run-cli.ts'
import { toRequest } from './write-binary.ts'
import { chainSpans, spanId, type TestSpan, toLine, traceId } from './write-traces.ts'

const cwd = mkdtempSync(join(tmpdir(), 'file-formats-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const chains = [
  chainSpans(1),
  chainSpans(2, 'error_result'),
  chainSpans(3, 'root_failed'),
  chainSpans(4, 'warned_loop'),
]

/** Each span of each chain in a request of its own, those of all chains mixed. */
const requests: readonly (readonly TestSpan[])[] = [0, 1, 2, 3, 4]
  .flatMap((at) => chains.map((spans) => spans[at]))
  .filter((span) => span !== undefined)
  .map((span) => [span])

const lines = requests.map((spans) => `${toLine(spans)}\n`)
const messages = requests.map((spans) => toRequest(spans))

function report(...args: readonly string[]): Promise<CliOutcome> {
  return runCli(['report', ...args], { cwd })
}

async function reportsOf(...args: readonly string[]): Promise<readonly ChainReport[]> {
  const { code, stdout, stderr } = await report(...args, '--format', 'json')
  expect(stderr).not.toContain('Cannot')
  expect(code).toBe(0)
  return readReportLines(stdout)
}

function write(name: string, bytes: string | Uint8Array): string {
  writeFileSync(join(cwd, name), bytes)
  return name
}

const asLines = await reportsOf(write('traces.jsonl', lines.join('')))

/** The forms in which the file exporter writes, and those that people make of them. */
const forms: readonly (readonly [string, string, string | Uint8Array])[] = [
  ['JSON Lines in Zstandard', 'traces.jsonl.zst', toZstd(lines.join(''))],
  ['JSON Lines in frames of Zstandard', 'frames.zst', Buffer.concat(lines.map((line) => toZstd(line)))],
  ['protobuf behind lengths', 'traces.binpb', toRecords(...messages)],
  ['the same in gzip', 'traces.proto.gz', gzipSync(toRecords(...messages))],
  ['the same in Zstandard', 'traces.proto.zst', toZstd(toRecords(...messages))],
  [
    'protobuf packed message by message',
    'packed.proto',
    toRecords(...messages.map((bytes) => toZstd(bytes))),
  ],
  ['JSON packed message by message', 'packed.json', toRecords(...lines.map((line) => toZstd(line)))],
  ['protobuf messages in a row', 'traces.pb', Buffer.concat(messages)],
]

describe('report reads files as they come', () => {
  it.each(forms)('%s: the same reports as of JSON Lines', async (_, name, bytes) => {
    expect(asLines).toHaveLength(4)
    expect(await reportsOf(write(name, bytes))).toEqual(asLines)
  })

  it.each(forms)('%s under any name', async (_, name, bytes) => {
    expect(await reportsOf(write(`${name}.log`, bytes))).toEqual(asLines)
  })

  it.each(forms)('%s twice where it is large, each trace closed at its last span', async (_, name, bytes) => {
    const path = join(cwd, write(name, bytes))
    const items: ChainReport[] = []
    for await (const item of readReports([fileInput(name, path, bytes.length)], { onePassBytes: 0 })) {
      expect(item.kind).not.toBe('problem')
      if (item.kind === 'report') items.push(item.report)
      if (item.kind === 'end') expect(item.counts).toMatchObject({ lateSpans: 0, spans: requests.length })
    }
    // Those of three spans end one request before the one of five.
    expect(items.map(({ trace_id }) => trace_id)).toEqual([1, 2, 3, 4].map(traceId))
    expect(items).toEqual(asLines)
  })

  it.each(forms)('%s from standard input', async (_, __, bytes) => {
    const { code, stdout } = await runCli(['report', '-', '--format', 'json'], { cwd, stdin: bytes })
    expect(code).toBe(0)
    expect(readReportLines(stdout)).toEqual(asLines)
  })

  it('in a directory, all that have one of the names', async () => {
    mkdirSync(join(cwd, 'mixed'))
    const names = [
      'a.jsonl.zst',
      'b.binpb',
      'c.pb',
      'd.proto',
      'e.zst',
      'f.json.gz',
      'g.proto.gz',
      'h.binpb.zst',
    ]
    const half = requests.length >> 1
    for (const [i, name] of names.entries()) {
      // Names do not tell what is in a file: every second one has protobuf, packed or not.
      const bytes =
        i % 2 === 0 ? Buffer.from(lines.slice(0, half).join('')) : toRecords(...messages.slice(half))
      writeFileSync(join(cwd, 'mixed', name), i > 5 ? toZstd(bytes) : bytes)
    }
    writeFileSync(join(cwd, 'mixed', 'notes.txt'), 'not read')
    const reports = await reportsOf('mixed')
    expect(reports.map(({ digest }) => digest)).toEqual(asLines.map(({ digest }) => digest))
  })
})

describe('report reads a rotated set', () => {
  const rotated = join(cwd, 'rotated')
  const names = [
    // The last part is the one that is being written; what is behind the time differs by version.
    'traces-2026-11-30T10-00-00.000.jsonl',
    'traces-2026-11-30T11-00-00.000-size.jsonl.zst',
    'traces-2026-11-30T12-00-00.000-size.jsonl.gz',
    'traces.jsonl',
  ]

  it('by a glob or by its directory, in any order', async () => {
    mkdirSync(rotated)
    const size = Math.ceil(lines.length / names.length)
    for (const [i, name] of names.entries()) {
      const text = lines.slice(i * size, (i + 1) * size).join('')
      const bytes = name.endsWith('.zst') ? toZstd(text) : name.endsWith('.gz') ? gzipSync(text) : text
      writeFileSync(join(rotated, name), bytes)
    }
    const paths = names.map((name) => join('rotated', name))
    for (const args of [['rotated/traces*.jsonl*'], ['rotated'], paths, paths.toReversed()]) {
      expect(await reportsOf(...args)).toEqual(asLines)
    }
  })
})

describe('report tells what is wrong with a binary file', () => {
  it('by its record and the place in it, and reads the rest', async () => {
    const damaged = toRequest(chainSpans(1))
    // The tag of the second span becomes the end of a group that nothing has begun.
    const second = damaged.indexOf(Buffer.from(spanId(1, 2), 'hex'))
    damaged[second - 2] = 0x0c
    const name = write('damaged.binpb', toRecords(toRequest(chainSpans(2)), damaged))
    const { code, stderr, stdout } = await report(name, '--format', 'json')
    expect(code).toBe(0)
    expect(stderr).toContain(
      'Cannot read damaged.binpb:2 at resourceSpans[0].scopeSpans[0].spans[1]: expected a field, found one of kind 4 ',
    )
    expect(stderr).toContain('1 span left out')
    const reports = readReportLines(stdout)
    expect(reports.map(({ trace_id, completeness }) => [trace_id, completeness])).toEqual([
      [traceId(1), 'partial'],
      [traceId(2), 'complete'],
    ])
    expect((await report(name, '--strict')).code).toBe(2)
  })

  it('that is cut off by a note, as of text', async () => {
    const bytes = toRecords(...messages)
    const outcome = await report(write('torn.binpb', bytes.subarray(0, -1)))
    expect(outcome.code).toBe(0)
    expect(outcome.stderr).toMatch(
      /^note: Cannot read torn\.binpb:\d+: expected a record that is complete, found /mu,
    )
    const packed = toZstd(lines.join(''))
    const torn = await report(write('torn.zst', packed.subarray(0, -1)))
    expect(torn.stderr).toContain('expected a complete Zstandard stream, found The end of the input')
  })

  it('and passes over messages of metrics and logs', async () => {
    // resource_metrics { scope_metrics { metrics { name: "requests" } } }
    const metrics = Buffer.from('0a0e120c120a0a087265717565737473', 'hex')
    const { code, stderr } = await report(write('metrics.binpb', toRecords(metrics, metrics)))
    expect(code).toBe(0)
    expect(stderr).toContain('passed over 2 documents of metrics, logs or profiles')
  })
})
