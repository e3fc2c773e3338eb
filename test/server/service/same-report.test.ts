import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChainReport } from '../../../src/report/chain-report.ts'
import { canonicalReport } from '../../../src/report/report-digest.ts'
import { sha256Hex } from '../../../src/steps/digest.ts'
import { buildDist, command } from '../../build-dist.ts'
import { type ServiceProcess, startService } from '../../soak/service-process.mjs'

/** A run of the support agent: its live report, and each of its spans as a request of its own. */
interface RecordedRun {
  readonly fault: string
  readonly live: ChainReport
  readonly protobuf: readonly Buffer[]
  readonly json: readonly string[]
}

const run = promisify(execFile)
const directory = mkdtempSync(join(tmpdir(), 'same-report-'))
const services: ServiceProcess[] = []
let runs: readonly RecordedRun[] = []

async function recordRuns(): Promise<readonly RecordedRun[]> {
  const script = fileURLToPath(new URL('record-runs.mjs', import.meta.url))
  const { stdout } = await run(process.execPath, [script], { maxBuffer: 64 * 1024 * 1024 })
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { fault, reports, protobuf, json } = JSON.parse(line) as {
        readonly fault: string
        readonly reports: readonly ChainReport[]
        readonly protobuf: readonly string[]
        readonly json: readonly string[]
      }
      expect(reports).toHaveLength(1)
      const [live] = reports as [ChainReport]
      return { fault, live, protobuf: protobuf.map((text) => Buffer.from(text, 'base64')), json }
    })
}

beforeAll(async () => {
  await buildDist()
  runs = await recordRuns()
  expect(runs).toHaveLength(8)
})

afterAll(async () => {
  for (const service of services) await service.kill()
})

async function start(name: string, port?: number): Promise<ServiceProcess> {
  const store = join(directory, `${name}.db`)
  const service = await startService(port === undefined ? { store } : { store, port })
  services.push(service)
  return service
}

async function post(
  { url }: ServiceProcess,
  body: Buffer | string,
  headers: Record<string, string>,
): Promise<void> {
  const response = await fetch(`${url}/v1/traces`, {
    method: 'POST',
    headers,
    body: new Uint8Array(typeof body === 'string' ? Buffer.from(body) : body),
  })
  expect(response.status).toBe(200)
}

const protobuf = { 'content-type': 'application/x-protobuf' }
const json = { 'content-type': 'application/json' }

/** Requests in protobuf that stand behind each other are one request. */
const concat = (bodies: readonly Buffer[]): Buffer => Buffer.concat(bodies)

/** One document of several: the lists of their resources behind each other. */
function joinJson(documents: readonly string[]): string {
  const resourceSpans = documents.flatMap(
    (text) => (JSON.parse(text) as { readonly resourceSpans: readonly object[] }).resourceSpans,
  )
  return JSON.stringify({ resourceSpans })
}

/** Reads the report of a run once it holds all its spans. */
async function readReport({ url }: ServiceProcess, { live }: RecordedRun): Promise<ChainReport> {
  const name = live.report_id.replace(/-\d+$/u, '')
  const deadline = Date.now() + 60_000
  for (;;) {
    const response = await fetch(`${url}/api/v1/chains/${name}`)
    const report = response.status === 200 ? ((await response.json()) as ChainReport) : null
    if (report?.span_count === live.span_count || Date.now() > deadline) return report as ChainReport
    await delay(100)
  }
}

async function expectSameReports(service: ServiceProcess): Promise<void> {
  for (const recorded of runs) {
    const report = await readReport(service, recorded)
    expect(report.completeness, recorded.fault).toMatch(/^(?:complete|amended)$/u)
    expect(canonicalReport(report), recorded.fault).toBe(canonicalReport(recorded.live))
    expect(report.digest).toBe(recorded.live.digest)
  }
}

describe('the live report of a run', () => {
  it('is that of the command on a file', async () => {
    const file = join(directory, 'traces.jsonl')
    writeFileSync(file, runs.flatMap((recorded) => recorded.json.map((line) => `${line}\n`)).join(''))
    const { stdout } = await run(process.execPath, [command, 'report', file, '--format', 'json'], {
      maxBuffer: 64 * 1024 * 1024,
    })
    const reports = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ChainReport)
    const sorted = (list: readonly ChainReport[]): readonly string[] => list.map(canonicalReport).sort()
    expect(sorted(reports)).toEqual(sorted(runs.map(({ live }) => live)))
  })

  it('is that of the service by protobuf', async () => {
    const service = await start('protobuf')
    for (const recorded of runs) await post(service, concat(recorded.protobuf), protobuf)
    await expectSameReports(service)
  })

  it('is that of the service by JSON', async () => {
    const service = await start('json')
    for (const recorded of runs) await post(service, joinJson(recorded.json), json)
    await expectSameReports(service)
  })

  it('is that of the service by packed requests', async () => {
    const service = await start('gzip')
    const packed = { 'content-encoding': 'gzip' }
    for (const [at, recorded] of runs.entries()) {
      if (at % 2 === 0) await post(service, gzipSync(concat(recorded.protobuf)), { ...protobuf, ...packed })
      else await post(service, gzipSync(joinJson(recorded.json)), { ...json, ...packed })
    }
    await expectSameReports(service)
  })

  it('is that of a service that was killed when it had half of the spans', async () => {
    const service = await start('killed')
    const halfOf = (list: readonly Buffer[]): number => Math.ceil(list.length / 2)
    for (const recorded of runs) {
      await post(service, concat(recorded.protobuf.slice(0, halfOf(recorded.protobuf))), protobuf)
    }
    await service.kill()
    const again = await start('killed', service.port)
    for (const recorded of runs) {
      await post(again, concat(recorded.protobuf.slice(halfOf(recorded.protobuf))), protobuf)
    }
    await expectSameReports(again)
  })

  it('is that of the service where the spans of all runs come twice, one by one, in any order and encoding', async () => {
    const service = await start('shuffled')
    const pieces = runs.flatMap((recorded) =>
      recorded.protobuf.flatMap((body, at) => [
        { key: body.toString('latin1'), body, headers: protobuf },
        { key: `${at} ${recorded.json[at]}`, body: recorded.json[at] as string, headers: json },
      ]),
    )
    // The order of their digests has nothing to do with the order in which the spans ended.
    pieces.sort((a, b) => (sha256Hex(a.key) < sha256Hex(b.key) ? -1 : 1))
    for (const { body, headers } of pieces) await post(service, body, headers)
    await expectSameReports(service)
  })
})
