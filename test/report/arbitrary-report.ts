import * as fc from 'fast-check'
import { findingCatalog, type FindingCode } from '../../src/findings/catalog.ts'
import type { ChainReport, ReportFinding, ReportNode } from '../../src/report/chain-report.ts'
import { createAlert, createFailure, createFinding, createNode, createReport } from './create-report.ts'

const awkward = [
  '订单查询',
  '客服系统 🔎',
  '👨‍👩‍👧👩🏽‍💻🇩🇪1️⃣⚠️',
  'e\u0301\u0301\u0301\u0301\u0301\u0301',
  '\u001b[31mred\u001b[0m\u001b]0;title\u0007',
  'line\r\nbreak\u2028\u0085\u009b2J',
  '\u202eesrever\u2066',
  '\ud83d\udd0e\ud83d',
  '| ` < & * _ [x](y) $a$ #',
  '\u0600\u0600number',
  '\ufe0f\u200d\u20e3',
  'ﷺ한ก็⭐〰',
] as const

const arbitraryText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(fc.constantFrom(...awkward), { maxLength: 8 }).map((parts) => parts.join('')),
  fc.constantFrom('order_query', 'x'.repeat(300), '订'.repeat(150)),
)

const arbitraryCount = fc.oneof(fc.nat({ max: 50 }), fc.nat(), fc.constant(Number.MAX_SAFE_INTEGER))

const arbitraryAmount = fc.oneof(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.constant(0))

const arbitraryCode = fc.constantFrom(...(Object.keys(findingCatalog) as FindingCode[]))

const arbitraryStatus = fc.constantFrom(
  'reached',
  'reached',
  'reached_invalid',
  'unreachable',
  'timed_out',
  'skipped',
)

const arbitraryNode: fc.Arbitrary<ReportNode> = fc
  .record({
    node_name: arbitraryText,
    status: arbitraryStatus,
    reason: fc.option(arbitraryText),
    calls: fc.nat({ max: 20 }),
    retry_count: fc.nat({ max: 20 }),
    latency_ms: arbitraryAmount,
    token_count: arbitraryCount,
    estimated_cost_usd: fc.option(arbitraryAmount),
  })
  .map((parts) => createNode({ ...parts, attempts: parts.calls + parts.retry_count }))

function arbitraryFinding(names: readonly string[]): fc.Arbitrary<ReportFinding> {
  return fc
    .record({
      node_name: fc.constantFrom(...names),
      code: arbitraryCode,
      severity: fc.constantFrom('error', 'warn', 'info'),
      message: arbitraryText,
      recovered: fc.boolean(),
      path: arbitraryText,
    })
    .map(({ path, ...parts }) =>
      createFinding({ ...parts, evidence: [{ path: `/${path}`, expected: null, actual: null }] }),
    )
}

/** Any report: names of every script and emoji, control characters, huge numbers, many nodes. */
export const arbitraryReport: fc.Arbitrary<ChainReport> = fc
  .array(arbitraryNode, { maxLength: 30 })
  .chain((nodes) => {
    const names = [...nodes.map((node) => node.node_name), 'elsewhere']
    return fc
      .record({
        task_id: fc.option(arbitraryText),
        chain_id: arbitraryText,
        service_name: fc.option(arbitraryText),
        agent_name: fc.option(arbitraryText),
        summary: arbitraryText,
        overall_status: fc.constantFrom('success', 'partial_failed', 'failed'),
        completeness: fc.constantFrom('complete', 'partial'),
        step_count: fc.nat({ max: 3 }),
        loop_count: arbitraryCount,
        retry_count: arbitraryCount,
        token_count: arbitraryCount,
        total_latency_ms: arbitraryAmount,
        estimated_cost_usd: fc.option(arbitraryAmount),
        findings: fc.array(arbitraryFinding(names), { maxLength: 10 }),
        root: fc.option(fc.record({ node_name: fc.constantFrom(...names), suggestion: arbitraryText })),
        alerted: fc.array(
          fc.record({ node_name: fc.constantFrom(...names), message: arbitraryText, type: arbitraryText }),
          { maxLength: 3 },
        ),
      })
      .map(({ root, alerted, ...parts }) =>
        createReport({
          ...parts,
          completeness_reason: parts.completeness === 'partial' ? 'root_never_ended' : null,
          nodes,
          root_cause: root === null ? null : createFailure({ ...root, blamed_span_id: '00f067aa0ba902b6' }),
          alerts: alerted.map((alert) => createAlert(alert)),
        }),
      )
  })
