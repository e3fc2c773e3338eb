import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { createTraceDecoder } from '../../src/otlp/decode-json.ts'
import { openInput } from '../../src/otlp/open-input.ts'
import { readDocuments } from '../../src/otlp/read-documents.ts'
import { TraceCollector } from '../../src/pipeline/trace-collector.ts'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { expectValidReport } from '../report/expect-valid-report.ts'

interface Fault {
  readonly name: string
  readonly node: string
  readonly code: string
}

const example = new URL('../../examples/support-agent/', import.meta.url)
// The example is plain JavaScript, so its types have to be named here.
const { faults } = (await import(new URL('faults.mjs', example).href)) as { faults: readonly Fault[] }
const directory = mkdtempSync(join(tmpdir(), 'support-agent-reports-'))
const run = promisify(execFile)
let runs = 0

afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Runs the example in a process of its own, as a user would, and judges what its exporter wrote. */
async function reportOf(fault: string | null): Promise<ChainReport> {
  const file = join(directory, `${runs++}.jsonl`)
  const main = fileURLToPath(new URL('main.mjs', example))
  await run(process.execPath, [main, '--file', file, ...(fault === null ? [] : ['--fault', fault])])
  const collector = new TraceCollector()
  const decode = createTraceDecoder()
  for await (const item of readDocuments(openInput(file))) {
    if ('value' in item) for (const span of decode(item.value).spans) collector.add(span)
  }
  const reports = [...collector.closeAll()]
  expect(reports).toHaveLength(1)
  const report = reports[0] as ChainReport
  expectValidReport(report)
  return report
}

describe('the support agent', () => {
  it('healthy, is a success without findings, with its five nodes and every token counted once', async () => {
    const report = await reportOf(null)
    expect(report).toMatchObject({
      overall_status: 'success',
      findings: [],
      alerts: [],
      agent_name: 'support-agent',
      service_name: 'support-agent',
      completeness: 'complete',
      usage_check: { consistent: true },
    })
    const nodes = report.nodes.map(({ node_name }) => node_name)
    for (const name of [
      'intent_router',
      'order_query',
      'policy_search',
      'summary_generator',
      'reply_formatter',
    ]) {
      expect(nodes).toContain(name)
    }
    expect(report.token_count).toBe(report.tokens.input + report.tokens.output)
    expect(report.estimated_cost_usd).toBeGreaterThan(0)
    expect(report.nodes.find(({ node_name }) => node_name === 'intent_router')?.token_count).toBeGreaterThan(
      0,
    )
  })

  it.each(faults)('with $name, is told at $node with $code', async ({ name, node, code }) => {
    const report = await reportOf(name)
    expect(report.overall_status).not.toBe('success')
    expect(report.root_cause).toMatchObject({ node_name: node, code })
    const errors = report.findings.filter(({ severity }) => severity === 'error')
    expect(errors.map((finding) => [finding.node_name, finding.code])).toEqual([[node, code]])
  })

  it('names the model call that asked for the query that failed', async () => {
    const report = await reportOf('tool-exception')
    const blamed = report.steps.find(({ span_id }) => span_id === report.root_cause?.blamed_span_id)
    expect(blamed?.kind).toBe('model')
    expect(report.root_cause?.span_id).not.toBe(blamed?.span_id)
  })
})
