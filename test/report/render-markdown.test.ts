import { describe, expect, test } from 'vitest'
import { escapeMarkdown, toCodeSpan } from '../../src/report/escape-markdown.ts'
import { renderMarkdown } from '../../src/report/render-markdown.ts'
import { createFailure, createFinding, createGoodReport, createNode, createReport } from './create-report.ts'

describe('escapeMarkdown()', () => {
  test.each([
    ['order_query', 'order_query'],
    ['订单_查询', '订单_查询'],
    ['_private_ a_', '\\_private\\_ a\\_'],
    ['a|b', 'a\\|b'],
    ['`code`', '\\`code\\`'],
    ['<img src=x>', '&lt;img src=x&gt;'],
    ['&lt;', '&amp;lt;'],
    ['two\nlines', 'two lines'],
    ['![x](http://y)', '!\\[x\\](http://y)'],
    ['**bold** ~~gone~~', '\\*\\*bold\\*\\* \\~\\~gone\\~\\~'],
    ['back\\slash', 'back\\\\slash'],
    ['$x$', '\\$x\\$'],
    ['# heading', '\\# heading'],
    ['- item', '\\- item'],
    ['1. item', '1\\. item'],
    ['1.5 s', '1.5 s'],
    ['\u001b[31mred', '\\\\x1b\\[31mred'],
  ])('writes %j as %j', (text, markdown) => {
    expect(escapeMarkdown(text)).toBe(markdown)
  })
})

describe('toCodeSpan()', () => {
  test.each([
    ['00f067aa0ba902b7', '`00f067aa0ba902b7`'],
    ['findings#loop', '`findings#loop`'],
    ['a`b|c', 'a\\`b\\|c'],
  ])('writes %j as %j', (id, markdown) => {
    expect(toCodeSpan(id)).toBe(markdown)
  })
})

describe('renderMarkdown()', () => {
  test('tells a broken run in the order of the text', () => {
    const report = createReport({ root_cause: createFailure({ blamed_span_id: '00f067aa0ba902b6' }) })
    expect(renderMarkdown(report)).toBe(
      `\
# ✗ partial_failed: task-001

order_query returned an invalid result after 2 retries: /order_id is missing

support-agent · 18.4 s · 8,123 tokens · $0.084 · 1 loop · 2 retries

|   | node | status | time | tokens | cost | problem |
| --- | --- | --- | ---: | ---: | ---: | --- |
| ✓ | intent_router | reached | 420 ms | 310 | $0.004 | – |
| ✗ | order_query | reached_invalid | 2,311 ms | – | – | schema_violation /order_id, 3 attempts, **← root cause** |
| ↻ | policy_search | reached | 9,120 ms | 4,200 | $0.05 | loop: the same call 5 times, same result |
| – | format_reply | skipped | – | – | – | skipped: order_query is invalid |

- **fix** order_query: make the field required in the tool, or return an error instead of an incomplete result (docs: \`findings#schema_violation\`)
- **why** intent_router (span 00f067aa0ba902b6) asked for this call

## Alerts

| severity | type | node | span | message |
| --- | --- | --- | --- | --- |
| warn | loop (exact) | policy_search | \`00f067aa0ba902ba\` | loop detected at node policy_search: same signature 5 times |

## Findings

| severity | code | node | span | produced by | message |
| --- | --- | --- | --- | --- | --- |
| warn, recovered | \`schema_violation\` | order_query | \`00f067aa0ba902b7\` | – | result does not fit its schema: /order_id is missing |
| error | \`schema_violation\` | order_query | \`00f067aa0ba902b9\` | – | result does not fit its schema: /order_id is missing |
| warn | \`loop\` | policy_search | \`00f067aa0ba902ba\` | – | loop: the same call 5 times, same result |

## Checkpoints

| checkpoint | name | status | node | span | at |
| --- | --- | --- | --- | --- | --- |
| CP-01 | intent parsed | passed, derived | intent_router | \`00f067aa0ba902b6\` | 2026-11-30T12:00:00.420120Z |

## Time

| part | time |
| --- | ---: |
| whole run | 18.4 s |
| models | 5,200 ms |
| until the first token | 611 ms |
| tools | 11.4 s |
| between steps | 1,789 ms |
| critical path | 16.6 s |

Parts overlap. Parallelism: 1.

## Tokens

| kind | tokens |
| --- | ---: |
| input | 7,000 |
| of these read from cache | 0 |
| of these written to cache | 0 |
| output | 1,123 |
| of these reasoning | 0 |
| all | 8,123 |

Report \`4bf92f3577b34da6a3ce929d0e0e4736-398acaee-1\` of trace \`4bf92f3577b34da6a3ce929d0e0e4736\`, started 2026-11-30T12:00:00.000000Z, by agent-reach@0.1.0
`,
    )
  })

  test('leaves out sections that have nothing to say', () => {
    const { checkpoints } = createReport()
    const report = createGoodReport({ token_count: 0, checkpoints: { ...checkpoints, records: [] } })
    const headings = renderMarkdown(report).match(/^#+ .+$/gmu)
    expect(headings).toEqual(['# ✓ success: task-001', '## Time'])
  })

  test('leaves out the derived start and end of each call, and keeps what failed or was recorded', () => {
    const { checkpoints } = createReport()
    const point = {
      id: 'CP-03',
      name: 'subtask done',
      status: 'passed',
      source: 'derived',
      span_id: 'b7ad6b7169203331',
      node_name: 'quiet',
      at: '2026-11-30T00:00:00.000000Z',
      data: null,
    } as const
    const records = [
      point,
      { ...point, status: 'failed', node_name: 'broken' } as const,
      { ...point, source: 'recorded', node_name: 'written' } as const,
    ]
    const text = renderMarkdown(createGoodReport({ nodes: [], checkpoints: { ...checkpoints, records } }))
    expect(['quiet', 'broken', 'written'].filter((name) => text.includes(`| ${name} |`))).toEqual([
      'broken',
      'written',
    ])
  })

  test('says that a report is partial, and which checkpoints are missing', () => {
    const { checkpoints } = createReport()
    const text = renderMarkdown(
      createReport({
        completeness: 'partial',
        completeness_reason: 'idle',
        checkpoints: { ...checkpoints, missing: ['CP-06', 'a|b'] },
      }),
    )
    expect(text).toContain(' · 2 retries · **partial report: idle**\n')
    expect(text).toContain('\nMissing: CP-06, a\\|b\n')
  })

  test('shows 20 nodes, those that are not reached, and 200 findings', () => {
    const report = createReport({
      nodes: Array.from({ length: 25 }, (_, at) => createNode({ node_name: `node_${at + 1}` })),
      findings: Array.from({ length: 205 }, () => createFinding()),
    })
    const text = renderMarkdown(report)
    expect(text).toContain('\n… 5 more nodes reached\n')
    expect(text.match(/^\| error \|/gmu)).toHaveLength(200)
    expect(text).toContain('\n… 5 more\n')
  })

  test('shows what names are made of instead of acting on it', () => {
    const evil = '<script>|`x`\n## [a](b) \u001b[2J'
    const report = createReport({
      task_id: evil,
      summary: evil,
      nodes: [createNode({ node_name: evil, status: 'unreachable' })],
      findings: [createFinding({ node_name: evil, message: evil, span_id: evil })],
    })
    const shown = '&lt;script&gt;\\|\\`x\\` ## \\[a\\](b) \\\\x1b\\[2J'
    const text = renderMarkdown(report)
    expect(text).toContain(`# ✗ partial_failed: ${shown}\n\n${shown}\n`)
    expect(text).toContain(`\n| ✗ | ${shown} | unreachable |`)
    expect(text).toContain(`\n| error | \`schema_violation\` | ${shown} | ${shown} | – | ${shown} |\n`)
  })

  test('says little of a trace without agent steps', () => {
    const report = createReport({
      step_count: 0,
      task_id: null,
      summary: 'no agent step was found in this trace',
    })
    expect(renderMarkdown(report).split('\n').slice(0, 3)).toEqual([
      '# – no agent steps: 4bf92f3577b34da6a3ce929d0e0e4736',
      '',
      'no agent step was found in this trace',
    ])
  })
})
