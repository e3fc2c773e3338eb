import * as fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TraceCollector } from '../../src/pipeline/trace-collector.ts'
import type { ChainReport, ReportFinding } from '../../src/report/chain-report.ts'
import { canonicalReport } from '../../src/report/report-digest.ts'
import { loadRules } from '../../src/rules/load-rules.ts'
import type { LoopRule, NodeRule, RulesFile } from '../../src/rules/rules-file.ts'
import { RulesError } from '../../src/rules/rules-error.ts'
import { agent, model, type ScriptSpan, threw, tokens, tool, toSpans } from '../chain/trace-script.ts'
import { arbitraryTrace } from '../pipeline/arbitrary-trace.ts'
import type { SpanView } from '../../src/steps/span-view.ts'
import { expectValidReport } from '../report/expect-valid-report.ts'

/** The report of a script of one chain by rules; `null` for none at all. */
function judge(script: readonly ScriptSpan[], rules: RulesFile | null): ChainReport {
  const collector = new TraceCollector(rules === null ? {} : { rules: loadRules(rules) })
  for (const span of toSpans(script)) collector.add(span)
  const [report, ...others] = [...collector.closeAll()]
  expect(others).toEqual([])
  expectValidReport(report)
  expect(report?.dropped.check_errors).toBe(0)
  return report as ChainReport
}

/** A run with a step of the node `order_query` below its agent. */
function runOf(step: Partial<ScriptSpan>): readonly ScriptSpan[] {
  return [
    { id: 'run', at: 0, ms: 10_000, attributes: agent('support') },
    {
      id: 'step',
      parent: 'run',
      at: 10,
      ms: 100,
      attributes: tool('order_query', { id: 1 }, { id: 1 }),
      ...step,
    },
  ]
}

/** What is found at the step of {@link runOf} by the rules of its node, as `code:severity`. */
function findAt(step: Partial<ScriptSpan>, rule: NodeRule): readonly string[] {
  return judge(runOf(step), { version: 1, nodes: { order_query: rule } }).findings.map(describeFinding)
}

function describeFinding({ code, severity }: ReportFinding): string {
  return `${code}:${severity}`
}

const orderSchema = {
  type: 'object',
  required: ['status', 'items'],
  properties: { status: { type: 'string' }, items: { type: 'array', minItems: 1 } },
}

describe('a report', () => {
  const script = runOf({ attributes: tool('order_query', { id: 1 }, { items: [] }) })

  it('without rules is the same, byte for byte, as with rules that say nothing', () => {
    const rules: RulesFile = {
      version: 1,
      nodes: {},
      guards: { loop: { repeats: 3 }, budget: {} },
      findings: {},
    }
    const expected = canonicalReport(judge(script, null))
    expect(canonicalReport(judge(script, { version: 1 }))).toBe(expected)
    expect(canonicalReport(judge(script, rules))).toBe(expected)
  })

  it('without rules has the digest that it had before there were rules', () => {
    const file = join(import.meta.dirname, '../../docs/report-example.json')
    const { rules_digest } = JSON.parse(readFileSync(file, 'utf8')) as ChainReport
    expect(judge(script, null).rules_digest).toBe(rules_digest)
    expect(rules_digest).toBe('sha256:3771a1f0b44d4e9abf4e3def16eb80c5a3c1d985d5b9354d87c8d663c94f94f5')
  })

  it('by rules is the same for the same evidence in any order', () => {
    const rules = loadRules({
      version: 1,
      nodes: {
        any: {
          match: { name: '*' },
          timeout: '5ms',
          result: { not_empty: true, schema: { type: 'object' } },
        },
        tools: { match: { kind: 'tool' }, retry_key: ['q'], arguments: { schema: { minProperties: 1 } } },
      },
      guards: {
        loop: { repeats: 2, stop_at: 2 },
        budget: { tokens: 10, usd: 0, model_calls: 1, tool_calls: 1, duration: '8ms' },
      },
      findings: { loop: 'error', exception: 'warn', usage_mismatch: 'off' },
    })
    const reportsOf = (spans: readonly SpanView[]): readonly string[] => {
      const collector = new TraceCollector({ rules })
      for (const span of spans) collector.add(span)
      const reports = [...collector.closeAll()]
      for (const report of reports) expect(report.dropped.check_errors).toBe(0)
      return reports.map(canonicalReport)
    }
    const orders = arbitraryTrace.chain((spans) =>
      fc.tuple(fc.constant(spans), fc.shuffledSubarray([...spans], { minLength: spans.length })),
    )
    fc.assert(
      fc.property(orders, ([spans, order]) => {
        expect(reportsOf(order)).toEqual(reportsOf(spans))
      }),
      { numRuns: 300 },
    )
  })

  it('names what the rules say of loops, and the defaults as if nothing were said', () => {
    const digestOf = (loop: LoopRule): string => judge(script, { version: 1, guards: { loop } }).rules_digest
    expect(digestOf({ similar: 0.6, cycles: 5 })).toBe(digestOf({}))
    const others = [{ similar: 0.7 }, { similar: 'off' }, { cycles: 4 }, { ignore_fields: ['at'] }] as const
    expect(new Set([{}, ...others].map(digestOf)).size).toBe(5)
  })

  it('names the rules by what they mean, not by how they are written', () => {
    const digestOf = (rules: RulesFile): string => judge(script, rules).rules_digest
    const a: NodeRule = { timeout: '120s', result: { not_empty: true } }
    const b: NodeRule = { retry_key: ['x', 'y'] }
    const digest = digestOf({ version: 1, nodes: { a, b } })
    const same: NodeRule = { result: { not_empty: true }, timeout: '2m' }
    expect(digestOf({ nodes: { b: { retry_key: ['y', 'x'] }, a: same }, version: 1 })).toBe(digest)
    expect(digestOf({ version: 1, nodes: { a } })).not.toBe(digest)
    expect(digestOf({ version: 1, nodes: { a, b }, findings: { loop: 'off' } })).not.toBe(digest)
  })
})

describe('a result schema', () => {
  const rule: NodeRule = { result: { schema: orderSchema } }

  it('finds what does not fit, and what it asks for and is empty', () => {
    const found = (result: unknown): readonly string[] =>
      findAt({ attributes: tool('order_query', {}, result) }, rule)
    expect(found({ status: 'sent', items: [1] })).toEqual([])
    expect(found({ items: [1] })).toEqual(['schema_violation:error'])
    expect(found({ status: 'sent', items: [] })).toEqual(['empty_result:error'])
    expect(found({ status: 3, items: [] })).toEqual(['empty_result:error', 'schema_violation:error'])
  })

  it('says where, and makes the node reached_invalid', () => {
    const report = judge(runOf({ attributes: tool('order_query', {}, { items: [1] }) }), {
      version: 1,
      nodes: { order_query: rule },
    })
    expect(report.root_cause).toMatchObject({ node_name: 'order_query', code: 'schema_violation' })
    expect(report.findings[0]?.evidence).toEqual([{ path: '/status', expected: 'string', actual: null }])
    expect(report.overall_status).toBe('partial_failed')
  })

  it.each([
    ['was not recorded', tool('order_query', {})],
    ['is redacted', tool('order_query', {}, '[REDACTED]')],
    ['is cut', { ...tool('order_query', {}), 'gen_ai.tool.call.result': `{"items":[${'1,'.repeat(500)}` }],
    ['is an error', tool('order_query', {}, { error: 'no such order' })],
  ])('says nothing of a result that %s', (_, attributes) => {
    expect(findAt({ attributes }, rule).filter((text) => text.startsWith('schema'))).toEqual([])
  })

  it('says nothing of a step that threw', () => {
    const attributes = tool('order_query', {}, {})
    expect(findAt({ attributes, ...threw('Error', 'boom') }, rule)).toEqual(['exception:error'])
  })

  it('speaks of the JSON in the answer of a model, and of its text', () => {
    const rules = (schema: object): NodeRule => ({
      match: { kind: 'model' },
      result: { schema: schema as Record<string, unknown> },
    })
    const found = (answer: Parameters<typeof model>[0], schema: object): readonly string[] =>
      findAt({ attributes: model(answer) }, rules(schema))
    expect(found('{"status":"sent","items":[1]}', orderSchema)).toEqual([])
    expect(found('{"status":"sent"}', orderSchema)).toEqual(['schema_violation:error'])
    expect(found('It was sent.', orderSchema)).toEqual(['schema_violation:error'])
    expect(found('It was sent.', { type: 'string', minLength: 5 })).toEqual([])
    expect(found([{ name: 'a', arguments: {} }], orderSchema)).toEqual([])
  })

  it('speaks of the last message of an agent', () => {
    const output = (text: string): Record<string, unknown> =>
      agent('order_query', {
        'gen_ai.output.messages': JSON.stringify([
          { role: 'assistant', parts: [{ type: 'text', content: text }] },
        ]),
      })
    expect(findAt({ attributes: output('{"status":"sent","items":[1]}') }, rule)).toEqual([])
    expect(findAt({ attributes: output('{"status":"sent"}') }, rule)).toEqual(['schema_violation:error'])
  })

  it('and a schema that the span declares make one finding', () => {
    const definition = { name: 'order_query', outputSchema: { type: 'object', required: ['id'] } }
    const attributes = tool(
      'order_query',
      {},
      { items: [1] },
      {
        'gen_ai.tool.definitions': JSON.stringify([definition]),
      },
    )
    const { findings } = judge(runOf({ attributes }), { version: 1, nodes: { order_query: rule } })
    expect(findings.map(describeFinding)).toEqual(['schema_violation:error'])
    expect(findings[0]?.evidence.map(({ path }) => path)).toEqual(['/status', '/id'])
  })

  it('that cannot be checked as it is written is refused at the start', () => {
    for (const schema of [
      { pattern: '(a+)+$' },
      { not: { pattern: '(a+)+$' } },
      { enum: ['x'.repeat(70_000)] },
    ]) {
      const rules = loadRules({ version: 1, nodes: { a: { result: { schema } } } })
      expect(() => new TraceCollector({ rules })).toThrow(RulesError)
      expect(() => new TraceCollector({ rules })).toThrow(
        'Cannot use the rules at nodes.a.result.schema: expected',
      )
    }
  })
})

describe('not_empty', () => {
  const rule: NodeRule = { result: { not_empty: true } }

  it.each([
    ['an empty list', tool('order_query', {}, [])],
    ['nothing', { ...tool('order_query', {}), 'gen_ai.tool.call.result': '' }],
    ['null', { ...tool('order_query', {}), 'gen_ai.tool.call.result': 'null' }],
    ['a blank answer', { ...model('  '), 'agent_reach.node.name': 'order_query' }],
    ['a blank agent', agent('order_query', { 'gen_ai.output.messages': '[]' })],
  ])('makes one error of %s', (_, attributes) => {
    expect(findAt({ attributes }, rule)).toEqual(['empty_result:error'])
  })

  it('tells the blank output of a workflow on top once', () => {
    const attributes = {
      'openinference.span.kind': 'CHAIN',
      'output.value': '',
      'output.mime_type': 'text/plain',
    }
    const script: readonly ScriptSpan[] = [
      { id: 'flow', at: 0, ms: 100, attributes },
      { id: 'chat', parent: 'flow', at: 10, attributes: model('Hello.') },
    ]
    const nodes = { flow: { match: { kind: 'workflow' }, ...rule } } as const
    const { findings, overall_status } = judge(script, { version: 1, nodes })
    expect(findings.map(describeFinding)).toEqual(['empty_result:error'])
    expect(overall_status).toBe('failed')
  })

  it('says nothing of what was not recorded, or holds something', () => {
    expect(findAt({ attributes: tool('order_query', {}) }, rule)).toEqual([])
    expect(findAt({ attributes: tool('order_query', {}, 0) }, rule)).toEqual([])
  })
})

describe('an arguments schema', () => {
  const rule: NodeRule = {
    arguments: {
      schema: { type: 'object', required: ['order_id'], properties: { order_id: { pattern: '^ORD-' } } },
    },
  }
  const found = (args: unknown): readonly string[] =>
    findAt({ attributes: tool('order_query', args, { id: 1 }) }, rule)

  it('finds arguments that do not fit', () => {
    expect(found({ order_id: 'ORD-1' })).toEqual([])
    expect(found({ kwargs: { order_id: 'ORD-1' } })).toEqual([])
    expect(found({ order_id: '1' })).toEqual(['invalid_arguments:error'])
    expect(found({})).toEqual(['invalid_arguments:error'])
  })

  it('says nothing of arguments that were not recorded, are redacted, or are in another notation', () => {
    for (const args of [undefined, '[REDACTED]', "{'order_id': 1}"]) expect(found(args)).toEqual([])
  })

  it('blames the model that wrote them', () => {
    const script: readonly ScriptSpan[] = [
      { id: 'run', at: 0, ms: 100, attributes: agent('support') },
      {
        id: 'chat',
        parent: 'run',
        at: 1,
        attributes: model([{ id: 'c1', name: 'order_query', arguments: {} }]),
      },
      {
        id: 'step',
        parent: 'run',
        at: 3,
        attributes: tool('order_query', {}, { id: 1 }, { 'gen_ai.tool.call.id': 'c1' }),
      },
    ]
    const { findings, nodes } = judge(script, { version: 1, nodes: { order_query: rule } })
    const chat = findings.find(({ code }) => code === 'invalid_arguments')
    expect(chat).toMatchObject({ node_name: 'order_query', blamed_span_id: '6368617400000000' })
    expect(nodes.find(({ node_name }) => node_name === 'order_query')?.status).toBe('reached_invalid')
  })
})

describe('a timeout', () => {
  it.each([
    ['100ms', []],
    ['99ms', ['timeout:error']],
    ['0.5s', []],
    ['0.05s', ['timeout:error']],
  ])('of %s for a step of 100 ms gives %j', (timeout, expected) => {
    expect(findAt({}, { timeout })).toEqual(expected)
  })

  it('makes the node timed_out', () => {
    const report = judge(runOf({}), { version: 1, nodes: { order_query: { timeout: '50ms' } } })
    expect(report.root_cause).toMatchObject({
      status: 'timed_out',
      reason: 'timed out: took 100 ms, 50 ms allowed',
    })
  })

  it('says nothing of a step that was not run', () => {
    const attributes = { ...tool('order_query', {}), 'agent_reach.node.skipped_reason': 'upstream failed' }
    expect(findAt({ attributes }, { timeout: '1ms' })).toEqual([])
  })
})

describe('match', () => {
  const attributes = {
    ...model('Hello.'),
    ...agent('support'),
    'gen_ai.operation.name': 'chat',
    'gen_ai.response.model': 'gpt-4o-2024-08-06',
    'shop.region': 'eu-west',
    'shop.tries': 2,
    'agent_reach.node.status': 'reached',
  }
  const isMatched = (match: NodeRule['match']): boolean => {
    const rule: NodeRule = { timeout: '1ms', ...(match === undefined ? {} : { match }) }
    return findAt({ name: 'chat gpt-4o', attributes }, rule).includes('timeout:error')
  }

  it.each<[NodeRule['match'] & object, boolean]>([
    [{ kind: 'model' }, true],
    [{ kind: 'tool' }, false],
    [{ agent: 'supp*' }, true],
    [{ agent: 'sales' }, false],
    [{ model: 'gpt-4o' }, true],
    [{ model: 'gpt-4o-2024-*' }, true],
    [{ model: 'claude-*' }, false],
    [{ span: 'chat *' }, true],
    [{ span: 'chat' }, false],
    [{ attributes: { 'shop.region': 'eu-*', 'shop.tries': '2' } }, true],
    [{ attributes: { 'shop.region': 'us-*' } }, false],
    [{ attributes: { 'shop.absent': '*' } }, false],
    [{ kind: 'model', agent: 'sales' }, false],
  ])('%j: %s', (match, expected) => {
    expect(isMatched(match)).toBe(expected)
  })

  it('looks at none of our own marks', () => {
    expect(isMatched({ attributes: { 'agent_reach.node.status': '*' } })).toBe(false)
  })

  it('holds a step against every node that is meant, and tells a code once', () => {
    const nodes: RulesFile['nodes'] = {
      z: { match: { name: 'order_*' }, timeout: '60ms' },
      a: { match: { kind: 'tool' }, timeout: '50ms', result: { not_empty: true } },
    }
    const report = judge(runOf({ attributes: tool('order_query', {}, []) }), { version: 1, nodes })
    expect(report.findings.map(describeFinding)).toEqual(['empty_result:error', 'timeout:error'])
    const turned = Object.fromEntries(Object.entries(nodes).toReversed())
    expect(
      canonicalReport(
        judge(runOf({ attributes: tool('order_query', {}, []) }), { version: 1, nodes: turned }),
      ),
    ).toBe(canonicalReport(report))
  })

  it('takes no glob for the name of a node without match', () => {
    const { findings } = judge(runOf({}), { version: 1, nodes: { '*': { timeout: '1ms' } } })
    expect(findings).toEqual([])
  })
})

describe('retry_key', () => {
  const script: readonly ScriptSpan[] = [
    { id: 'run', at: 0, ms: 100, attributes: agent('support') },
    {
      id: 'a',
      parent: 'run',
      at: 10,
      attributes: tool('search', { topic: 'rain', page: 1 }),
      ...threw('Error', 'x'),
    },
    { id: 'b', parent: 'run', at: 20, attributes: tool('search', { topic: 'rain', page: 2 }, ['wet']) },
  ]

  it('makes a further call with the same values the next attempt', () => {
    const search = (rules: RulesFile | null): unknown =>
      judge(script, rules).nodes.find(({ node_name }) => node_name === 'search')?.status
    expect(search(null)).toBe('unreachable')
    expect(search({ version: 1, nodes: { search: { retry_key: ['topic'] } } })).toBe('reached')
    expect(search({ version: 1, nodes: { search: { retry_key: ['topic', 'page'] } } })).toBe('unreachable')
    expect(search({ version: 1, nodes: { search: { retry_key: ['absent'] } } })).toBe('unreachable')
  })
})

describe('guards.loop', () => {
  const loop = (calls: number): readonly ScriptSpan[] => [
    { id: 'run', at: 0, ms: 1_000, attributes: agent('support') },
    ...Array.from({ length: calls }, (_, n) => ({
      id: `c${n}`,
      parent: 'run',
      at: 10 + n * 10,
      attributes: tool('wait_order', { id: 1 }, { status: 'open' }),
    })),
  ]
  const alerts = (
    calls: number,
    rule: NonNullable<RulesFile['guards']>['loop'] & object,
  ): readonly string[] =>
    judge(loop(calls), { version: 1, guards: { loop: rule } }).alerts.map(({ severity }) => severity)

  it('changes from how many equal calls on there is a warning, and an error', () => {
    expect(alerts(2, {})).toEqual([])
    expect(alerts(2, { repeats: 2 })).toEqual(['warn'])
    expect(alerts(3, { stop_at: 3 })).toEqual(['error'])
    expect(alerts(6, { repeats: 7 })).toEqual([])
    expect(alerts(6, { window: 5, stop_at: 5, repeats: 5 })).toEqual(['error'])
  })

  it('lets exempt nodes repeat their calls', () => {
    expect(alerts(9, { exempt: ['order_query', 'wait_*'] })).toEqual([])
    expect(alerts(9, { exempt: ['wait'] })).toEqual(['error'])
  })
})

describe('guards.budget', () => {
  const script: readonly ScriptSpan[] = [
    { id: 'run', at: 0, ms: 5_000, attributes: agent('support', tokens(300, 30)) },
    { id: 'm1', parent: 'run', at: 10, ms: 900, attributes: model('Let me see.', tokens(100, 10)) },
    { id: 't1', parent: 'run', at: 1_000, ms: 900, attributes: tool('search', { q: 1 }, ['a']) },
    { id: 'm2', parent: 'run', at: 2_000, ms: 900, attributes: model('And more.', tokens(200, 20)) },
    { id: 't2', parent: 'run', at: 3_000, ms: 900, attributes: tool('fetch', { q: 2 }, ['b']) },
  ]
  const exceeded = (budget: NonNullable<RulesFile['guards']>['budget'] & object): readonly unknown[] =>
    judge(script, { version: 1, guards: { budget } }).alerts.map(({ type, kind, severity, span_id }) => [
      `${type} ${kind} ${severity}`,
      Buffer.from(span_id, 'hex').toString().replaceAll('\0', ''),
    ])

  it('has an error alert for each limit, at the step that goes beyond it', () => {
    expect(exceeded({ tokens: 330 })).toEqual([])
    expect(exceeded({ tokens: 329 })).toEqual([['budget tokens error', 'm2']])
    expect(exceeded({ model_calls: 2, tool_calls: 2 })).toEqual([])
    expect(exceeded({ model_calls: 1, tool_calls: 0 })).toEqual([
      ['budget tool_calls error', 't1'],
      ['budget model_calls error', 'm2'],
    ])
    expect(exceeded({ duration: '5s' })).toEqual([])
    expect(exceeded({ duration: '3s' })).toEqual([['budget duration error', 't2']])
    expect(exceeded({ duration: '4.999s' })).toEqual([['budget duration error', 'run']])
    expect(exceeded({ usd: 0 })).toEqual([['budget usd error', 'm1']])
    expect(exceeded({ usd: 10, at_limit: 'warn' })).toEqual([])
  })

  it('fails the chain, and no node', () => {
    const report = judge(script, { version: 1, guards: { budget: { tokens: 100 } } })
    expect(report.overall_status).toBe('partial_failed')
    expect(report.nodes.map(({ status }) => status)).toEqual(report.nodes.map(() => 'reached'))
    expect(report.root_cause).toMatchObject({ code: 'budget_exceeded' })
    expect(report.alerts[0]).toMatchObject({
      action: 'none',
      count: null,
      message: expect.stringContaining('110 tokens, 100 allowed'),
    })
    expect(report.findings[0]).toMatchObject({
      message: 'the run used more than its budget: 110 tokens, 100 allowed',
      evidence: [{ path: 'tokens', expected: 'at most 100', actual: 110 }],
    })
  })
})

describe('findings', () => {
  const script = runOf({ attributes: tool('order_query', { id: 1 }, []) })
  const found = (findings: RulesFile['findings'] & object): readonly string[] =>
    judge(script, { version: 1, findings }).findings.map(describeFinding)

  it('changes severities, and leaves out what is off', () => {
    expect(found({})).toEqual(['empty_result:warn'])
    expect(found({ empty_result: 'error' })).toEqual(['empty_result:error'])
    expect(found({ empty_result: 'info' })).toEqual(['empty_result:info'])
    expect(found({ empty_result: 'off' })).toEqual([])
  })

  it('decides the state of the node and of the chain', () => {
    const report = judge(script, { version: 1, findings: { empty_result: 'error' } })
    expect(report.overall_status).toBe('partial_failed')
    const thrown = runOf({ ...threw('Error', 'boom') })
    expect(judge(thrown, { version: 1, findings: { exception: 'warn' } }).overall_status).toBe('success')
  })

  it('has the last word over the rules of a node', () => {
    const rules: RulesFile = {
      version: 1,
      nodes: { order_query: { result: { not_empty: true } } },
      findings: { empty_result: 'info' },
    }
    expect(judge(script, rules).findings.map(describeFinding)).toEqual(['empty_result:info'])
  })

  it('decides whether a blank answer fails the run', () => {
    const blank: readonly ScriptSpan[] = [
      { id: 'run', at: 0, ms: 100, attributes: agent('support', { 'gen_ai.output.messages': '[]' }) },
    ]
    const status = (severity: 'error' | 'warn' | 'off'): string =>
      judge(blank, { version: 1, findings: { empty_result: severity } }).overall_status
    expect(judge(blank, null).overall_status).toBe('failed')
    expect(status('error')).toBe('failed')
    expect(status('warn')).toBe('success')
    expect(status('off')).toBe('success')
  })

  it('holds for alerts as for their findings', () => {
    const loop: readonly ScriptSpan[] = [
      { id: 'run', at: 0, ms: 1_000, attributes: agent('support') },
      ...[10, 20, 30].map((at) => ({
        id: `c${at}`,
        parent: 'run',
        at,
        attributes: tool('a', { q: 1 }, ['x']),
      })),
    ]
    const severities = (rules: RulesFile): unknown => {
      const { alerts, findings } = judge(loop, rules)
      return [...alerts, ...findings].map(({ severity }) => severity)
    }
    expect(severities({ version: 1 })).toEqual(['warn', 'warn'])
    expect(severities({ version: 1, findings: { loop: 'error' } })).toEqual(['error', 'error'])
    expect(severities({ version: 1, findings: { loop: 'off' } })).toEqual([])
  })
})
