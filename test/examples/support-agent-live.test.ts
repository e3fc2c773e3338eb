import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { canonicalReport } from '../../src/report/report-digest.ts'
import { buildDist, command } from '../build-dist.ts'
import { expectValidReport } from '../report/expect-valid-report.ts'

const example = new URL('../../examples/support-agent/', import.meta.url)
// The example is plain JavaScript, so its types have to be named here.
const { faults } = (await import(new URL('faults.mjs', example).href)) as {
  faults: readonly { readonly name: string }[]
}
const runs = [null, ...faults.map(({ name }) => name)]
const directory = mkdtempSync(join(tmpdir(), 'support-agent-live-'))
const run = promisify(execFile)

beforeAll(buildDist)
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Runs the example as a user would, and tells what lies where afterwards. */
async function runAgent(
  fault: string | null,
  { env = {}, options = [] }: { readonly env?: NodeJS.ProcessEnv; readonly options?: readonly string[] } = {},
) {
  const folder = mkdtempSync(join(directory, 'run-'))
  const [file, reports] = [join(folder, 'traces.jsonl'), join(folder, 'chain-reports')]
  const main = fileURLToPath(new URL('main.mjs', example))
  const named = fault === null ? [] : ['--fault', fault]
  const args = [main, '--file', file, '--reports', reports, ...named, ...options]
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, ...env } })
  return { stdout, file, live: readReports(reports) }
}

function readReports(folder: string): readonly ChainReport[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as ChainReport)
}

describe('the support agent with the processor', () => {
  it.each(runs)('(%s) gets the report that the command makes of its exported spans', async (fault) => {
    const { live, file, stdout } = await runAgent(fault)
    const told = await run(process.execPath, [command, 'report', file, '--format', 'json'])
    const fromFile = JSON.parse(told.stdout) as ChainReport
    expect(live).toHaveLength(1)
    const report = live[0] as ChainReport
    expectValidReport(report)
    expect(report.completeness).toBe('complete')
    expect(canonicalReport(report)).toBe(canonicalReport(fromFile))
    expect(report.digest).toBe(fromFile.digest)
    expect(stdout).toContain(report.overall_status)
  })

  it.each(runs)('(%s) is judged alike where content is only captured', async (fault) => {
    const recorded = await runAgent(fault)
    const { live, file } = await runAgent(fault, { options: ['--no-content'] })
    const told = await run(process.execPath, [command, 'report', file, '--format', 'json'])
    const [report, fromFile] = [live[0] as ChainReport, JSON.parse(told.stdout) as ChainReport]
    expect(verdictOf(report)).toEqual(verdictOf(fromFile))
    expect(verdictOf(report)).toEqual(verdictOf(recorded.live[0] as ChainReport))
    const query = report.nodes.find(({ node_name }) => node_name === 'order_query')
    expect(query?.evidence).toBe('captured')
    expect(readFileSync(file, 'utf8')).not.toMatch(/Where is my order|desk lamp|gift cards/iu)
  })

  it('shows the bad step in red and the totals on the root of the exported spans', async () => {
    const { file } = await runAgent('missing-status')
    const spans = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .flatMap((line) => (JSON.parse(line) as { resourceSpans: readonly ExportedResource[] }).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
    const bad = spans.filter((span) => valueOf(span, 'agent_reach.node.status') === 'reached_invalid')
    expect(bad.map((span) => valueOf(span, 'ai.toolCall.name'))).toEqual(['order_query'])
    expect(bad[0]?.status).toEqual({
      code: 2,
      message: 'result does not fit its schema: /status is missing',
    })
    const root = spans.find((span) => valueOf(span, 'agent_reach.chain.status') !== undefined)
    expect(valueOf(root, 'agent_reach.chain.status')).toBe('partial_failed')
    expect(valueOf(root, 'agent_reach.chain.root_cause')).toBe('order_query')
    expect(root?.status).toEqual({ code: 0 })
  })
})

function verdictOf({ overall_status, nodes, findings, alerts }: ChainReport): object {
  return {
    overall_status,
    nodes: nodes.map(({ node_name, status, attempts }) => [node_name, status, attempts]),
    findings: findings.map(({ code, severity, node_name }) => [code, severity, node_name]),
    alerts: alerts.map(({ type, severity, node_name, count }) => [type, severity, node_name, count]),
  }
}

interface ExportedSpan {
  readonly status: object
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[]
}

interface ExportedResource {
  readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[]
}

function valueOf(span: ExportedSpan | undefined, key: string): string | undefined {
  return span?.attributes.find((attribute) => attribute.key === key)?.value.stringValue
}

describe('with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  const bodies: string[] = []
  let server: Server

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text: string) => (body += text))
      request.on('end', () => {
        bodies.push(body)
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      })
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
  })

  afterAll(() => server.close())

  it('the traces arrive there as well as in the file', async () => {
    const { port } = server.address() as AddressInfo
    const { file } = await runAgent(null, {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
    })
    expect(bodies.join('\n')).toBe(readFileSync(file, 'utf8').trimEnd())
  })
})
