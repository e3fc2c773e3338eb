import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { TraceCollector } from '../../src/pipeline/trace-collector.ts'
import type { ChainReport, ReportFinding } from '../../src/report/chain-report.ts'
import { loadRules } from '../../src/rules/load-rules.ts'
import type { NodeRule, RulesFile } from '../../src/rules/rules-file.ts'
import { RulesError } from '../../src/rules/rules-error.ts'
import type { StandardProperties, StandardSchema } from '../../src/rules/standard-schema.ts'
import type { Attributes } from '../../src/steps/span-view.ts'
import { agent, model, threw, tool, toSpans } from '../chain/trace-script.ts'
import { expectValidReport } from '../report/expect-valid-report.ts'

/** A schema by hand: what is not in the standard is not in it. */
function createSchema(validate: StandardProperties['validate']): StandardSchema {
  return { '~standard': { version: 1, vendor: 'hand-made', validate } }
}

function judge(attributes: Attributes, rules: Omit<RulesFile, 'version'>): ChainReport {
  const collector = new TraceCollector({ rules: loadRules({ version: 1, ...rules }) })
  const spans = toSpans([
    { id: 'run', at: 0, ms: 1_000, attributes: agent('support') },
    { id: 'step', parent: 'run', at: 10, ms: 100, attributes },
  ])
  for (const span of spans) collector.add(span)
  const [report] = [...collector.closeAll()]
  expectValidReport(report)
  expect(report?.dropped.check_errors).toBe(0)
  return report as ChainReport
}

/** What is found at a step of the node `order_query` by the schema of its result. */
function findResult(attributes: Attributes, schema: StandardSchema): readonly ReportFinding[] {
  return judge(attributes, { nodes: { order_query: { result: { schema } } } }).findings
}

function codesOf(findings: readonly ReportFinding[]): readonly string[] {
  return findings.map(({ code, severity }) => `${code}:${severity}`)
}

function returned(result: unknown): Attributes {
  return tool('order_query', { id: 1 }, result)
}

const order = z.object({
  status: z.enum(['open', 'sent']),
  items: z.array(z.object({ sku: z.string(), count: z.number().min(1) })).min(1),
})
const good = { status: 'sent', items: [{ sku: 'a', count: 2 }] }

describe('a Standard Schema of a result', () => {
  it('finds what does not fit, and says where, what was expected and what was found', () => {
    expect(findResult(returned(good), order)).toEqual([])
    const findings = findResult(returned({ items: [{ sku: 7, count: 0 }] }), order)
    expect(codesOf(findings)).toEqual(['schema_violation:error'])
    expect(findings[0]).toMatchObject({
      message: expect.stringContaining(
        'result does not fit its schema: /status is missing, /items/0/sku is 7, expected string',
      ),
      evidence: [
        { path: '/status', expected: 'one of "open"|"sent"', actual: null },
        { path: '/items/0/sku', expected: 'string', actual: 7 },
        { path: '/items/0/count', expected: 'number to be >=1', actual: 0 },
      ],
    })
  })

  it('makes the node reached_invalid', () => {
    const report = judge(returned({}), { nodes: { order_query: { result: { schema: order } } } })
    expect(report.root_cause).toMatchObject({ node_name: 'order_query', code: 'schema_violation' })
    expect(report.nodes.find(({ node_name }) => node_name === 'order_query')?.status).toBe('reached_invalid')
  })

  it('reads paths of keys and of objects with a key', () => {
    const schema = createSchema(() => ({
      issues: [
        { message: 'a/b must be a list (was a text)', path: ['a/b', { key: 0 }, { key: 'c~d' }] },
        { message: 'Invalid type: Expected number but received null', path: [{ key: 'none' }] },
        { message: 'no sum' },
      ],
    }))
    const [finding] = findResult(returned({ 'a/b': [{ 'c~d': 'text' }], none: null }), schema)
    expect(finding?.evidence).toEqual([
      { path: '/a~1b/0/c~0d', expected: 'a list', actual: 'text' },
      { path: '/none', expected: 'number', actual: 'null' },
      { path: '', expected: 'no sum', actual: 'object' },
    ])
  })

  it('tells five places at most, and each once', () => {
    const list = { status: 'sent', items: Array.from({ length: 9 }, () => ({ sku: 1, count: 1 })) }
    expect(findResult(returned(list), order)[0]?.evidence.map(({ path }) => path)).toEqual(
      [0, 1, 2, 3, 4].map((at) => `/items/${at}/sku`),
    )
    const twice = createSchema(() => ({ issues: [{ message: 'no' }, { message: 'no' }] }))
    expect(findResult(returned(good), twice)[0]?.evidence).toHaveLength(1)
  })

  it('takes a failure without issues for one of the whole', () => {
    const [finding] = findResult(
      returned(good),
      createSchema(() => ({ issues: [] })),
    )
    expect(finding?.evidence).toEqual([{ path: '', expected: 'what the schema accepts', actual: 'object' }])
  })

  it('shows messages and values masked and cut', () => {
    const schema = createSchema((value) => ({
      issues: [
        { message: `${JSON.stringify(value)} is not known`, path: ['mail'] },
        { message: 'x'.repeat(1_000), path: ['long'] },
      ],
    }))
    const [finding] = findResult(returned({ mail: 'ann@example.com', long: 'y'.repeat(1_000) }), schema)
    const [mail, long] = finding?.evidence ?? []
    expect(mail).toMatchObject({ actual: '[e-mail]', expected: expect.stringContaining('[e-mail]') })
    expect(JSON.stringify(finding)).not.toContain('ann@')
    expect(long).toEqual({
      path: '/long',
      expected: `${'x'.repeat(199)}…`,
      actual: `${'y'.repeat(199)}…`,
    })
  })

  it.each<[string, Attributes]>([
    ['was not recorded', tool('order_query', {})],
    ['is redacted', returned('[REDACTED]')],
    ['is cut', { ...tool('order_query', {}), 'gen_ai.tool.call.result': `{"items":[${'1,'.repeat(500)}` }],
    [
      'is longer than what is looked at',
      { ...tool('order_query', {}), 'gen_ai.tool.call.result': `{"a":"${'x'.repeat(70_000)}"}` },
    ],
    [
      'turns out to be cut',
      { ...tool('order_query', {}), 'gen_ai.tool.call.result': `{"a":"${'x'.repeat(5_000)}","b":{"c":1}` },
    ],
  ])('is not asked about a result that %s', (_, attributes) => {
    const validate = vi.fn(() => ({ issues: [{ message: 'never' }] }))
    expect(findResult(attributes, createSchema(validate))).toEqual([])
    expect(validate).not.toHaveBeenCalled()
  })

  it('says nothing of a step that threw, nor of an error in place of a result', () => {
    const rules: Omit<RulesFile, 'version'> = { nodes: { order_query: { result: { schema: order } } } }
    expect(codesOf(judge(returned({ error: 'no such order' }), rules).findings)).toEqual([
      'error_in_result:error',
    ])
    const thrown = toSpans([{ id: 'step', at: 0, attributes: returned({}), ...threw('Error', 'boom') }])
    const collector = new TraceCollector({ rules: loadRules({ version: 1, ...rules }) })
    for (const span of thrown) collector.add(span)
    expect([...collector.closeAll()].flatMap(({ findings }) => codesOf(findings))).toEqual([
      'exception:error',
    ])
  })

  it('says nothing of what is redacted inside a result, lies in it or holds it', () => {
    const schema = z.object({
      card: z.string().length(16),
      buyer: z.object({ name: z.string().max(5) }).refine(({ name }) => name !== '[REDACTED]'),
      status: z.string(),
    })
    const found = (result: unknown): readonly string[] | undefined =>
      findResult(returned(result), schema)[0]?.evidence.map(({ path }) => path)
    expect(found({ card: '[REDACTED]', buyer: { name: '[REDACTED]' }, status: 'sent' })).toBeUndefined()
    expect(found({ card: '1', buyer: '[REDACTED]', status: 3 })).toEqual(['/card', '/status'])
    expect(found({ card: '[REDACTED]', buyer: { name: 'Ann' } })).toEqual(['/status'])
    const deeper = createSchema(() => ({ issues: [{ message: 'no', path: ['card', 'number'] }] }))
    expect(findResult(returned({ card: '[REDACTED]' }), deeper)).toEqual([])
    expect(codesOf(findResult(returned({ card: '1' }), deeper))).toEqual(['schema_violation:error'])
  })

  it('speaks of the structured part of what a tool returned, or of its text', () => {
    const text = (content: string): unknown => ({ content: [{ type: 'text', text: content }] })
    expect(findResult(returned(text(JSON.stringify(good))), order)).toEqual([])
    expect(findResult(returned({ ...(text('sent') as object), structuredContent: good }), order)).toEqual([])
    expect(findResult(returned(text('It was sent.')), z.string().startsWith('It'))).toEqual([])
    expect(findResult(returned(text('{"status":"sent"}')), order)[0]?.evidence[0]?.path).toBe('/items')
    const number = { ...tool('order_query', {}), 'gen_ai.tool.call.result': '42' }
    expect(findResult(number, z.number())).toEqual([])
    expect(findResult(number, z.string())).toEqual([])
    expect(findResult(returned(good), z.string())).toEqual([])
    expect(codesOf(findResult(number, z.boolean()))).toEqual(['schema_violation:error'])
  })

  it('speaks of the JSON in the answer of a model, and of its text', () => {
    const found = (answer: Parameters<typeof model>[0], schema: StandardSchema): readonly string[] => {
      const nodes: RulesFile['nodes'] = { answers: { match: { kind: 'model' }, result: { schema } } }
      return codesOf(
        judge(model(answer), { nodes }).findings.filter(({ code }) => code === 'schema_violation'),
      )
    }
    expect(found(JSON.stringify(good), order)).toEqual([])
    expect(found('{"status":"sent"}', order)).toEqual(['schema_violation:error'])
    expect(found('It was sent.', order)).toEqual(['schema_violation:error'])
    expect(found('It was sent.', z.string().min(5))).toEqual([])
    expect(found('{}', z.string())).toEqual([])
    expect(found([{ name: 'a', arguments: {} }], order)).toEqual([])
  })

  it('speaks of the last message of an agent', () => {
    const output = (...parts: readonly object[]): Attributes =>
      agent('order_query', { 'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts }]) })
    const text = (content: string): object => ({ type: 'text', content })
    expect(findResult(output(text(JSON.stringify(good))), order)).toEqual([])
    expect(codesOf(findResult(output(text('{"status":"sent"}')), order))).toEqual(['schema_violation:error'])
    expect(findResult(output(text('[REDACTED]')), order)).toEqual([])
    expect(findResult(output(text(`{"status":"sent","items":[${'1,'.repeat(100)}`)), order)).toEqual([])
    expect(findResult(output(text('{}'), { type: 'tool_call', name: 'a' }), order)).toEqual([])
  })

  it('cannot change the step', () => {
    const greedy = createSchema((value) => {
      for (const key of Object.keys(value as object)) delete (value as Record<string, unknown>)[key]
      return {}
    })
    const nodes: RulesFile['nodes'] = {
      a: { match: { kind: 'tool' }, result: { schema: greedy }, arguments: { schema: greedy } },
      b: { match: { kind: 'tool' }, result: { schema: order } },
    }
    expect(judge(returned(good), { nodes }).findings).toEqual([])
  })

  it('may be a function, as those of arktype are', () => {
    const schema = Object.assign(
      () => null,
      createSchema(() => ({ issues: [{ message: 'no' }] })),
    )
    expect(codesOf(findResult(returned(good), schema))).toEqual(['schema_violation:error'])
  })

  it('and a severity of the rules go together', () => {
    const report = judge(returned({}), {
      nodes: { order_query: { result: { schema: order } } },
      findings: { schema_violation: 'warn' },
    })
    expect(codesOf(report.findings)).toContain('schema_violation:warn')
    expect(report.overall_status).toBe('success')
  })
})

describe('a Standard Schema of arguments', () => {
  const rule: NodeRule = { arguments: { schema: z.object({ order_id: z.string().startsWith('ORD-') }) } }
  const found = (args: unknown): readonly ReportFinding[] =>
    judge(tool('order_query', args, { id: 1 }), { nodes: { order_query: rule } }).findings

  it('finds arguments that do not fit', () => {
    expect(found({ order_id: 'ORD-1' })).toEqual([])
    expect(found({ kwargs: { order_id: 'ORD-1' } })).toEqual([])
    expect(found({ order_id: 1 })).toMatchObject([
      {
        code: 'invalid_arguments',
        severity: 'error',
        evidence: [{ path: '/order_id', expected: 'string', actual: 1 }],
        message: 'arguments for order_query do not fit its schema: /order_id is 1, expected string',
      },
    ])
  })

  it('says nothing of arguments that were not recorded, are redacted, or are in another notation', () => {
    for (const args of [undefined, '[REDACTED]', "{'order_id': 1}"]) expect(found(args)).toEqual([])
  })
})

describe('a validator that gives no answer', () => {
  it('by throwing is a rule_error, which fails nothing', () => {
    const schema = createSchema((value) => {
      throw new TypeError(`cannot read ${JSON.stringify(value)}`)
    })
    const report = judge(returned({ mail: 'ann@example.com' }), {
      nodes: { order_query: { result: { schema } } },
    })
    const failure = 'threw TypeError: cannot read {"mail":"[e-mail]"}'
    expect(report.findings).toMatchObject([
      {
        code: 'rule_error',
        severity: 'warn',
        message: `a rule could not be evaluated: nodes.order_query.result.schema ${failure}`,
        evidence: [{ path: 'nodes.order_query.result.schema', expected: 'an answer', actual: failure }],
      },
    ])
    expect(report.overall_status).toBe('success')
  })

  it.each<[string, () => never, string]>([
    ['a text', () => raise('boom'), 'threw boom'],
    ['nothing', () => raise(undefined), 'threw a value that is no error (undefined)'],
  ])('by throwing %s is one, too', (_, validate, expected) => {
    expect(findResult(returned(good), createSchema(validate))[0]?.evidence[0]?.actual).toBe(expected)
  })

  it('by answering something else is a rule_error', () => {
    for (const answer of [undefined, true, { issues: 'none' }, { issues: [null] }]) {
      const [finding] = findResult(
        returned(good),
        createSchema(() => answer as never),
      )
      expect(finding).toMatchObject({
        code: 'rule_error',
        message: expect.stringContaining('answered in another form than Standard Schema has'),
      })
    }
  })

  it('at once is a rule_error, whose promise is handled and asked for once', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    onTestFinished(() => void process.off('unhandledRejection', unhandled))
    let asked = 0
    const schema = createSchema(async () => {
      asked += 1
      return Promise.reject(new Error('late'))
    })
    const findings = findResult(returned({ content: [], structuredContent: good }), schema)
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(unhandled).not.toHaveBeenCalled()
    expect(asked).toBe(1)
    expect(findings).toMatchObject([
      {
        code: 'rule_error',
        message:
          'a rule could not be evaluated: nodes.order_query.result.schema validates asynchronously, which is not judged here',
      },
    ])
    const checked = order.refine(async ({ status }) => Promise.resolve(status === 'sent'))
    expect(codesOf(findResult(returned(good), checked))).toEqual(['rule_error:warn'])
  })

  it('about one reading may have one about another', () => {
    const trims = createSchema((value) => ({ issues: [{ message: (value as string).trim() }] }))
    const takesText = createSchema((value) => ((value as string).trim() === '' ? { issues: [] } : {}))
    expect(findResult(returned(good), takesText)).toEqual([])
    expect(codesOf(findResult(returned(good), trims))).toEqual(['rule_error:warn'])
  })

  it('about arguments is a rule_error of them', () => {
    const nodes: RulesFile['nodes'] = {
      order_query: { arguments: { schema: createSchema(() => raise('no')) } },
    }
    const { findings } = judge(returned(good), { nodes })
    expect(findings[0]?.evidence).toEqual([
      { path: 'nodes.order_query.arguments.schema', expected: 'an answer', actual: 'threw no' },
    ])
  })
})

function raise(value: unknown): never {
  throw value
}

describe('rules with a Standard Schema', () => {
  const load = (schema: unknown): unknown =>
    loadRules({ version: 1, nodes: { a: { result: { schema } } } } as unknown as RulesFile)

  it('are copied but for it', () => {
    const retryKey = ['id']
    const { nodes } = loadRules({
      version: 1,
      nodes: { a: { result: { schema: order }, retry_key: retryKey } },
    })
    retryKey.push('other')
    expect(nodes[0]?.retryKey).toEqual(['id'])
    expect(nodes[0]?.resultSchema?.schema).toBe(order)
  })

  it.each<[string, unknown, string]>([
    ['is of another version', { version: 2, vendor: 'a', validate: () => ({}) }, 'one of version 2'],
    ['has no version', { vendor: 'a', validate: () => ({}) }, 'one without a version'],
    ['has no validator', { version: 1, vendor: 'a' }, 'one without a validate function'],
    ['has no vendor', { version: 1, validate: () => ({}) }, 'one without a vendor'],
    ['says nothing', null, 'one that says nothing of itself'],
  ])('that %s are refused', (_, properties, found) => {
    const expected = `Cannot use the rules at nodes.a.result.schema: expected a Standard Schema of version 1, found ${found}`
    expect(() => load({ '~standard': properties })).toThrow(RulesError)
    expect(() => load({ '~standard': properties })).toThrow(expected)
  })

  it('inside a JSON Schema are refused', () => {
    for (const status of [z.string(), createSchema(() => ({}))]) {
      expect(() => load({ type: 'object', properties: { status } })).toThrow(
        'Cannot use the rules at nodes.a.result.schema: expected',
      )
    }
  })

  it('have a digest of their own, by library', () => {
    const digestOf = (schema: NonNullable<NodeRule['result']>['schema']): string =>
      judge(returned(good), { nodes: { a: schema === undefined ? {} : { result: { schema } } } }).rules_digest
    const ofZod = digestOf(order)
    expect(digestOf(z.object({}))).toBe(ofZod)
    const others = [digestOf(undefined), digestOf({}), digestOf(createSchema(() => ({})))]
    expect(new Set([ofZod, ...others]).size).toBe(4)
  })
})
