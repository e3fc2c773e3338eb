import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { toSummaryRow } from '../../src/report/chain-summary-row.ts'
import { renderTable } from '../../src/report/render-table.ts'
import { createGoodReport, createReport } from './create-report.ts'

const plain = { color: false, ascii: false }

const rows = [
  createGoodReport({ task_id: 'task-003', total_latency_ms: 420, step_count: 1 }),
  createReport({ started_at: '2026-11-30T12:00:02.000000Z', task_id: 'task-002' }),
  createReport({ service_name: '客服系统' }),
  createGoodReport({
    task_id: 'task-004',
    completeness: 'partial',
    completeness_reason: 'idle',
    token_count: 0,
    estimated_cost_usd: null,
  }),
  createReport({ task_id: null, overall_status: 'failed', started_at: '2026-11-30T13:00:00.000000Z' }),
].map(toSummaryRow)

describe('toSummaryRow()', () => {
  test('takes what a table needs', () => {
    expect(toSummaryRow(createReport())).toEqual({
      reportId: '4bf92f3577b34da6a3ce929d0e0e4736-398acaee-1',
      status: 'partial_failed',
      task: 'task-001',
      agent: 'support-agent',
      startedAt: '2026-11-30T12:00:00.000000Z',
      stepCount: 17,
      latencyMs: 18420,
      tokenCount: 8123,
      costUsd: 0.084,
      problem: { nodeName: 'order_query', code: 'schema_violation' },
      partial: null,
    })
  })
})

describe('renderTable()', () => {
  test('shows the worst first, then the earliest, and totals', () => {
    expect(renderTable(rows, { ...plain, width: 120 })).toBe(
      `\
  status          task                      agent          steps    time  tokens    cost  first problem
✗ failed          4bf92f3577b3…29d0e0e4736  support-agent     17  18.4 s   8,123  $0.084  order_query · schema_violation
✗ partial_failed  task-001                  客服系统          17  18.4 s   8,123  $0.084  order_query · schema_violation
✗ partial_failed  task-002                  support-agent     17  18.4 s   8,123  $0.084  order_query · schema_violation
✓ success         task-003                  support-agent      1  420 ms   8,123  $0.084  –
✓ success         task-004                  support-agent     17  18.4 s       –       –  partial report: idle

5 chains: 1 failed, 2 partial_failed, 2 success   69 steps   32,492 tokens   $0.336
`,
    )
  })

  test('cuts names to fit 100 columns', () => {
    expect(renderTable(rows.slice(1, 3), plain)).toBe(
      `\
  status          task      agent      steps    time  tokens    cost  first problem
✗ partial_failed  task-001  客服系统      17  18.4 s   8,123  $0.084  order_query · schema_violation
✗ partial_failed  task-002  supp…gent     17  18.4 s   8,123  $0.084  order_query · schema_violation

2 chains: 2 partial_failed   34 steps   16,246 tokens   $0.168
`,
    )
  })

  test('tells an agent that all chains share below where there is no room for it', () => {
    const text = `\
  status          task      steps    time  tokens    cost  first problem
✗ partial_failed  task-002     17  18.4 s   8,123  $0.084  order_query · schema_violation
✓ success         task-003      1  420 ms   8,123  $0.084  –

2 chains of support-agent: 1 partial_failed, 1 success   18 steps   16,246 tokens   $0.168
`
    expect(renderTable(rows.slice(0, 2), plain)).toBe(text)
    expect(renderTable(rows.slice(0, 2), { ...plain, width: 120 })).toContain('task-002  support-agent  ')
  })

  test('leaves columns out where there is no room for them', () => {
    expect(renderTable(rows.slice(1, 2), { ...plain, width: 60 })).toBe(
      `\
  status          task      steps    time  first problem
✗ partial_failed  task-002     17  18.4 s  order_qu…olation

1 chain of support-agent: 1 partial_failed   17 steps
8,123 tokens   $0.084
`,
    )
  })

  test('uses nothing but ASCII where it is told so', () => {
    const text = renderTable(rows, { color: false, ascii: true })
    expect(text).toMatch(/^[\x20-\x7e\n]*$/u)
    expect(text).toContain('[x]  partial_failed  task-002')
    expect(text).toContain('[ok] success         task-003')
  })

  test('shows so many rows and says how many are left; totals are those of all', () => {
    const lines = renderTable(rows, { ...plain, limit: 2 }).split('\n')
    expect(lines).toHaveLength(7)
    expect(lines[3]).toBe('… 3 more')
    expect(lines[5]).toMatch(/^5 chains: /u)
    const many = Array.from({ length: 1_203 }, () => rows[0]).filter((row) => row !== undefined)
    expect(renderTable(many, plain)).toContain('\n… 1,003 more\n')
  })

  test('counts traces without agent steps and does not show them', () => {
    const empty = toSummaryRow(createReport({ step_count: 0 }))
    expect(renderTable([empty, ...rows.slice(0, 1), empty], plain)).toMatch(
      /\n1 chain of support-agent: 1 success {3}1 step {3}8,123 tokens {3}\$0\.084\n2 traces without agent steps not shown\n$/u,
    )
    expect(renderTable([empty], plain)).toBe('0 chains\n1 trace without agent steps not shown\n')
    expect(renderTable([], plain)).toBe('0 chains\n')
  })

  test('colours what it is told to, and only then', () => {
    const colored = renderTable(rows, { ...plain, color: true })
    expect(colored).toContain('\x1b[31m✗ failed        \x1b[0m')
    expect(stripVTControlCharacters(colored)).toBe(renderTable(rows, plain))
  })
})
