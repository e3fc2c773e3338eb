import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { renderText } from '../../src/report/render-text.ts'
import {
  createAlert,
  createFailure,
  createFinding,
  createGoodReport,
  createNode,
  createReport,
} from './create-report.ts'

const plain = { color: false, ascii: false }

const file = 'chain-reports/2026-11-30/4bf92f3577b34da6a3ce929d0e0e4736-398acaee.json'

describe('renderText()', () => {
  test('tells a broken run at one glance', () => {
    expect(renderText(createReport(), { ...plain, file })).toBe(
      `\
✗ partial_failed  task-001  support-agent        18.4 s   8,123 tokens   $0.084   1 loop   2 retries
  order_query returned an invalid result after 2 retries: /order_id is missing

  ✓ intent_router    420 ms    310 tok
  ✗ order_query    2,311 ms          –  reached_invalid · schema_violation /order_id  ← root cause
                                        3 attempts
  ↻ policy_search  9,120 ms  4,200 tok  loop: the same call 5 times, same result
  – format_reply          –          –  skipped: order_query is invalid

  fix   order_query: make the field required in the tool, or return an error instead of an
        incomplete result   docs: findings#schema_violation
  file  ${file}
`,
    )
  })

  test('keeps every remark on the line of its node where there is room', () => {
    expect(renderText(createReport(), { ...plain, width: 120 })).toContain(`
  ✓ intent_router     420 ms     310 tok
  ✗ order_query     2,311 ms           –   reached_invalid · schema_violation /order_id   3 attempts   ← root cause
  ↻ policy_search   9,120 ms   4,200 tok   loop: the same call 5 times, same result
  – format_reply           –           –   skipped: order_query is invalid
`)
  })

  test('uses nothing but ASCII where it is told so', () => {
    expect(renderText(createReport(), { color: false, ascii: true, file })).toBe(
      `\
[x] partial_failed  task-001  support-agent      18.4 s   8,123 tokens   $0.084   1 loop   2 retries
  order_query returned an invalid result after 2 retries: /order_id is missing

  [ok] intent_router    420 ms    310 tok
  [x]  order_query    2,311 ms          -  reached_invalid - schema_violation  <- root cause
                                           /order_id  3 attempts
  [~]  policy_search  9,120 ms  4,200 tok  loop: the same call 5 times, same result
  [-]  format_reply          -          -  skipped: order_query is invalid

  fix   order_query: make the field required in the tool, or return an error instead of an
        incomplete result   docs: findings#schema_violation
  file  ${file}
`,
    )
    const chinese = createReport({ task_id: '任务', service_name: '客服' })
    expect(renderText(chinese, { color: false, ascii: true }).split('\n')[0]).toBe(
      '[x] partial_failed  \\u4efb\\u52a1  \\u5ba2\\u670d   18.4 s   8,123 tokens   $0.084   1 loop   2 retries',
    )
  })

  test('says little of a run in which all is well', () => {
    expect(renderText(createGoodReport(), plain)).toBe(
      `\
✓ success  task-001  support-agent                                    18.4 s   8,123 tokens   $0.084
  all 1 nodes reached

  ✓ intent_router   420 ms   310 tok
`,
    )
  })

  test('leaves out totals that are zero or not known, and counts one as one', () => {
    const none = createGoodReport({ token_count: 0, estimated_cost_usd: null, total_latency_ms: 420 })
    expect(renderText(none, plain).split('\n')[0]).toBe(
      `✓ success  task-001  support-agent${' '.repeat(60)}420 ms`,
    )
    const one = createGoodReport({ token_count: 1, estimated_cost_usd: 0, loop_count: 1, retry_count: 1 })
    expect(renderText(one, plain)).toMatch(/ 18\.4 s {3}1 token {3}1 loop {3}1 retry\n/u)
    const many = createGoodReport({ loop_count: 2, retry_count: 2 })
    expect(renderText(many, plain)).toMatch(/ {3}2 loops {3}2 retries\n/u)
  })

  test('aligns columns by what characters take on a terminal', () => {
    const report = createReport({
      task_id: '任务-001',
      service_name: '客服系统',
      summary: '订单查询🔎返回的结果缺少字段',
      nodes: [
        createNode({ node_name: '意图识别' }),
        createNode({ node_name: '订单查询🔎', status: 'reached_invalid', latency_ms: 2311 }),
        createNode({ node_name: 'reply' }),
      ],
      root_cause: createFailure({ node_name: '订单查询🔎' }),
      findings: [createFinding({ node_name: '订单查询🔎' })],
      alerts: [],
    })
    expect(renderText(report, plain)).toBe(
      `\
✗ partial_failed  任务-001  客服系统             18.4 s   8,123 tokens   $0.084   1 loop   2 retries
  订单查询🔎返回的结果缺少字段

  ✓ 意图识别       420 ms   310 tok
  ✗ 订单查询🔎   2,311 ms   310 tok   reached_invalid · schema_violation /order_id   ← root cause
  ✓ reply          420 ms   310 tok

  fix   订单查询🔎: make the field required in the tool, or return an error instead of an incomplete
        result   docs: findings#schema_violation
`,
    )
  })

  test('marks what is wrong where it is', () => {
    const report = createReport({
      nodes: [
        createNode({ node_name: 'retried', attempts: 2, retry_count: 1 }),
        createNode({ node_name: 'warned' }),
        createNode({ node_name: 'slow', status: 'timed_out', calls: 5, attempts: 7, retry_count: 2 }),
        createNode({ node_name: 'broken', status: 'unreachable' }),
        createNode({ node_name: 'alerted' }),
        createNode({ node_name: 'spent' }),
        createNode({ node_name: 'unplanned', status: 'skipped' }),
        createNode({ node_name: 'unexplained', status: 'unreachable' }),
      ],
      root_cause: null,
      findings: [
        createFinding({ node_name: 'retried', recovered: true, severity: 'warn' }),
        createFinding({ node_name: 'retried', code: 'failed_below', severity: 'info' }),
        createFinding({
          node_name: 'warned',
          code: 'call_never_executed',
          severity: 'warn',
          message: 'asked for refund, which never ran',
          evidence: [{ path: 'tool call 1', expected: null, actual: null }],
        }),
        createFinding({ node_name: 'slow', code: 'timeout', message: 'timed out', evidence: [] }),
        createFinding({ node_name: 'broken', code: 'empty_result', severity: 'warn' }),
        createFinding({
          node_name: 'broken',
          code: 'error_in_result',
          evidence: [{ path: '/error', expected: null, actual: 'no' }],
        }),
        createFinding({ node_name: 'spent', code: 'budget_exceeded', message: 'over budget', evidence: [] }),
      ],
      alerts: [createAlert({ node_name: 'alerted', type: 'budget', message: 'half of it is used' })],
    })
    expect(renderText(report, plain).split('\n').slice(3, -1).join('\n')).toBe(
      `\
  ✓ retried       420 ms   310 tok   2 attempts
  ⚠ warned        420 ms   310 tok   call_never_executed: asked for refund, which never ran
  ✗ slow          420 ms   310 tok   timed_out · timeout: timed out   7 attempts in 5 calls
  ✗ broken        420 ms   310 tok   unreachable · error_in_result /error
  ⚠ alerted       420 ms   310 tok   budget: half of it is used
  ✗ spent         420 ms   310 tok   reached · budget_exceeded: over budget
  – unplanned          –   310 tok   skipped
  ✗ unexplained   420 ms   310 tok   unreachable`,
    )
  })

  test('tells a loop that broke the run', () => {
    const report = createReport({
      nodes: [createNode({ node_name: 'policy_search' })],
      root_cause: createFailure({
        node_name: 'policy_search',
        code: 'loop',
        status: 'reached',
        span_id: '00f067aa0ba902ba',
      }),
    })
    expect(renderText(report, plain)).toContain(
      '\n  ↻ policy_search   420 ms   310 tok   loop: the same call 5 times, same result   ← root cause\n',
    )
  })

  test('names who asked for the call that failed', () => {
    const asked = createReport({ root_cause: createFailure({ blamed_span_id: '00f067aa0ba902b6' }) })
    expect(renderText(asked, plain)).toContain(
      '\n  why   intent_router (span 00f067aa0ba902b6) asked for this call\n',
    )
    const unknown = createReport({ root_cause: createFailure({ blamed_span_id: 'ffffffffffffffff' }) })
    expect(renderText(unknown, plain)).toContain('\n  why   span ffffffffffffffff asked for this call\n')
    const own = createReport({ root_cause: createFailure({ blamed_span_id: '00f067aa0ba902b9' }) })
    expect(renderText(own, plain)).not.toContain('why')
  })

  test('says on the status line that a report is partial, and why', () => {
    const report = createReport({ completeness: 'partial', completeness_reason: 'root_never_ended' })
    expect(renderText(report, plain).split('\n').slice(0, 3)).toEqual([
      '✗ partial_failed  task-001  support-agent  partial report: root_never_ended',
      '  18.4 s   8,123 tokens   $0.084   1 loop   2 retries',
      '  order_query returned an invalid result after 2 retries: /order_id is missing',
    ])
  })

  test('names the chain where there is no task, and the agent where there is no service', () => {
    const report = createGoodReport({ task_id: null, service_name: 'unknown_service:node' })
    expect(renderText(report, plain).split('\n')[0]).toBe(
      '✓ success  4bf92f3577b34da6a3ce929d0e0e4736  support                  18.4 s   8,123 tokens   $0.084',
    )
  })

  test('cuts names in the middle rather than breaking the alignment', () => {
    const long = 'the_name_of_this_node_is_far_too_long_for_any_table_of_nodes_of_this_world'
    const report = createReport({
      task_id: long,
      service_name: long,
      nodes: [
        createNode({ node_name: long }),
        createNode({ node_name: 'order_query', status: 'reached_invalid' }),
      ],
    })
    expect(renderText(report, plain).split('\n').slice(0, 6)).toEqual([
      '✗ partial_failed  the_na…_world  the_na…_world   18.4 s   8,123 tokens   $0.084   1 loop   2 retries',
      '  order_query returned an invalid result after 2 retries: /order_id is missing',
      '',
      '  ✓ the_name_of_…_this_world  420 ms  310 tok',
      '  ✗ order_query               420 ms  310 tok  reached_invalid · schema_violation  ← root cause',
      `${' '.repeat(47)}/order_id`,
    ])
  })

  test('shows the first 20 nodes, those that are not reached, and how many are left', () => {
    const nodes = Array.from({ length: 25 }, (_, at) =>
      createNode({ node_name: `node_${at + 1}`, ...(at === 22 ? { status: 'timed_out' } : {}) }),
    )
    const rest = { summary: 'node_23 timed out', root_cause: null, alerts: [], findings: [] }
    const lines = renderText(createReport({ nodes, ...rest }), plain)
      .split('\n')
      .slice(3, -1)
    expect(lines).toHaveLength(22)
    expect(lines[0]).toBe('  ✓ node_1    420 ms   310 tok')
    expect(lines[19]).toBe('  ✓ node_20   420 ms   310 tok')
    expect(lines[20]).toBe('  ✗ node_23   420 ms   310 tok   timed_out')
    expect(lines[21]).toBe('  … 4 more nodes reached')
    const warned = createReport({
      nodes,
      ...rest,
      findings: [createFinding({ node_name: 'node_24', severity: 'warn' })],
    })
    expect(renderText(warned, plain)).toContain('\n  … 4 more nodes reached, 1 with warnings\n')
    const one = createReport({ nodes: nodes.slice(0, 21), ...rest })
    expect(renderText(one, plain)).toContain('\n  … 1 more node reached\n')
    const all = createReport({ nodes: nodes.slice(0, 20), ...rest })
    expect(renderText(all, plain)).not.toContain('more')
  })

  test('puts remarks below the nodes on a narrow terminal', () => {
    expect(renderText(createReport(), { ...plain, width: 60, file })).toBe(
      `\
✗ partial_failed  task-001  support-agent
  18.4 s   8,123 tokens   $0.084   1 loop   2 retries
  order_query returned an invalid result after 2 retries:
  /order_id is missing

  ✓ intent_router    420 ms    310 tok
  ✗ order_query    2,311 ms          –
      reached_invalid · schema_violation  ← root cause
      /order_id  3 attempts
  ↻ policy_search  9,120 ms  4,200 tok
      loop: the same call 5 times, same result
  – format_reply          –          –
      skipped: order_query is invalid

  fix   order_query: make the field required in the tool, or
        return an error instead of an incomplete result
        docs: findings#schema_violation
  file  chain-reports/2026-11-30/4…29d0e0e4736-398acaee.json
`,
    )
  })

  test('gives a trace without agent steps one line', () => {
    const report = createReport({ step_count: 0, nodes: [], steps: [], task_id: null })
    expect(renderText(report, plain)).toBe('– no agent steps  4bf92f3577b3…29d0e0e4736  in 41 spans\n')
    expect(renderText({ ...report, span_count: 1 }, { color: false, ascii: true })).toBe(
      '[-] no agent steps  4bf92f3577b...9d0e0e4736  in 1 span\n',
    )
  })

  test('colours what it is told to, and only then', () => {
    const report = createReport()
    const colored = renderText(report, { ...plain, color: true })
    expect(colored).toContain('\x1b[31m✗ partial_failed\x1b[0m')
    expect(colored).toContain('\x1b[32m✓\x1b[0m intent_router')
    expect(stripVTControlCharacters(colored)).toBe(renderText(report, plain))
  })

  test('shows escape sequences in names instead of sending them', () => {
    const evil = '\x1b[2J\x1b]0;owned\x07\n\r✓ success'
    const report = createReport({
      task_id: evil,
      summary: evil,
      nodes: [createNode({ node_name: evil, status: 'unreachable' })],
      findings: [createFinding({ node_name: evil, message: evil, evidence: [] })],
      root_cause: createFailure({ node_name: evil, suggestion: evil }),
    })
    const text = renderText(report, { ...plain, file: evil })
    expect(text).toContain('\n  \\x1b[2J\\x1b]0;owned\\x07 ✓ success\n')
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })
})
