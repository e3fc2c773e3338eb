import { describe, expect, it } from 'vitest'
import { decodeTraces } from '../../../../src/otlp/decode-json.ts'
import type { Attributes } from '../../../../src/steps/span-view.ts'
import {
  agent,
  model,
  reportOf,
  reportsOf,
  type ScriptSpan,
  threw,
  tokens,
} from '../../../chain/trace-script.ts'
import { startRecording } from '../../../processors/record-run.ts'
import { readModel, readTool } from '../../read-span.ts'
import { codesOf, forecastIn, forecastRun, inEachDialect } from './recorded-tools.ts'

describe('trap 20: two instrumentations may record one call', () => {
  const counts = tokens(100, 10)
  const script = (inner: Attributes, parent: string): readonly ScriptSpan[] => [
    { id: 'a', at: 0, ms: 90, attributes: agent('support') },
    {
      id: 's',
      parent: 'a',
      at: 1,
      ms: 20,
      attributes: {
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.model.id': 'gpt-4o',
        'ai.model.provider': 'openai.chat',
        ...inner,
        ...counts,
      },
    },
    {
      id: 'p',
      parent,
      at: 2,
      ms: 10,
      attributes: model('Hi', {
        'gen_ai.response.id': 'resp_1',
        'gen_ai.response.model': 'gpt-4o-2024-08-06',
        ...counts,
      }),
    },
  ]

  it.each([
    ['gen_ai.response.id', 'a', 'side by side'],
    ['ai.response.id', 'a', 'side by side'],
    ['gen_ai.response.id', 's', 'one below the other'],
    ['ai.response.id', 's', 'one below the other'],
  ])('which counts once where both have one response id: %s, below %s, %s', (key, parent) => {
    const report = reportOf(script({ [key]: 'resp_1' }, parent))
    expect(report).toMatchObject({ token_count: 110, model_calls: 1, usage_check: { consistent: true } })
    // The price of 100 tokens in and 10 out of gpt-4o: 100 * 2.5 / 1M + 10 * 10 / 1M dollars.
    expect(report.estimated_cost_usd).toBeCloseTo(0.000_35, 10)
  })

  it.each(['gen_ai.response.id', 'ai.response.id'])('and two calls are two: another %s', (key) => {
    expect(reportOf(script({ [key]: 'resp_2' }, 'a'))).toMatchObject({ token_count: 220, model_calls: 2 })
  })

  it.each(['first', 'second'])('which counts where one of both tells no tokens: the %s does', (which) => {
    const call = (id: string, told: boolean, at: number): ScriptSpan => ({
      id,
      parent: 'a',
      at,
      ms: 30 - at,
      attributes: model('Hi', { 'gen_ai.response.id': 'resp_1', ...(told ? counts : {}) }),
    })
    const report = reportOf([
      { id: 'a', at: 0, ms: 90, attributes: agent('support', counts) },
      call('b', which === 'first', 1),
      call('c', which === 'second', 2),
    ])
    expect(report).toMatchObject({ token_count: 110, model_calls: 1, usage_check: { consistent: true } })
    expect(report.usage_check.aggregates.every(({ incomplete }) => !incomplete)).toBe(true)
    expect(report.estimated_cost_usd).toBeCloseTo(0.000_35, 10)
  })

  it('which counts while the run goes on, too: a budget of one call and 110 tokens is kept', async () => {
    const alertsWith = async (tokenLimit: number): Promise<readonly object[]> => {
      const budget = { tokens: tokenLimit, model_calls: 1 }
      const recorder = startRecording({ options: { rules: { version: 1, guards: { budget } } } })
      const same = { 'gen_ai.response.id': 'resp_1' }
      recorder.run({
        name: 'run',
        attributes: agent('support'),
        below: [
          { name: 'sdk', attributes: model('Hi', same) },
          { name: 'provider', attributes: model('Hi', { ...same, ...counts }) },
          { name: 'gateway', attributes: model('Hi', { ...same, ...counts }) },
        ],
      })
      return (await recorder.oneReport()).alerts
    }
    expect(await alertsWith(110)).toEqual([])
    expect(await alertsWith(109)).toHaveLength(1)
  })

  it('and two calls are two where neither has an id', () => {
    const report = reportOf([
      { id: 'a', at: 0, ms: 90, attributes: agent('support') },
      { id: 'b', parent: 'a', at: 1, attributes: model('Hi', counts) },
      { id: 'c', parent: 'a', at: 9, attributes: model('Hi', counts) },
    ])
    expect(report).toMatchObject({ token_count: 220, model_calls: 2 })
  })
})

describe('trap 21: answers that Laminar replays repeat the usage of another run', () => {
  const llm = (type: string, input: number, output: number): Attributes => ({
    'lmnr.span.type': type,
    'lmnr.span.original_type': 'LLM',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.system': 'openai',
    ...tokens(input, output),
    'gen_ai.usage.cost': (input + output) / 1_000,
  })
  const run = (second: string): readonly ScriptSpan[] => [
    {
      id: 'root',
      at: 0,
      ms: 90,
      // The AI SDK 6 sums up what it was told, replayed or not.
      attributes: {
        'ai.operationId': 'ai.generateText',
        'ai.usage.inputTokens': 300,
        'ai.usage.outputTokens': 30,
      },
    },
    { id: 'one', parent: 'root', at: 10, ms: 5, attributes: llm('CACHED', 100, 10) },
    { id: 'two', parent: 'root', at: 20, ms: 5, attributes: llm(second, 200, 20) },
  ]

  it('they cost nothing and use nothing; those that were not replayed do', () => {
    const report = reportOf(run('LLM'))
    expect(report).toMatchObject({ token_count: 220, estimated_cost_usd: 0.22, model_calls: 2, findings: [] })
  })

  it('nothing is left to count where all are replayed, also not the sum above them', () => {
    const report = reportOf(run('CACHED'))
    expect(report).toMatchObject({ token_count: 0, estimated_cost_usd: 0, tokens: { input: 0, output: 0 } })
    expect(report.findings).toEqual([])
    expect(report.usage_check.aggregates.every(({ incomplete }) => incomplete)).toBe(true)
  })
})

describe('trap 22: a call whose arguments did not pass has a span in one SDK and none in another', () => {
  it('OpenAI Agents: it is a failed call, and its empty arguments and result are no findings', () => {
    const at = { started_at: '2026-11-30T12:00:00Z', ended_at: '2026-11-30T12:00:01Z' }
    const base = { object: 'trace.span', trace_id: 'trace_0af7651916cd43dd8448eb211c80319c', ...at }
    const { spans } = decodeTraces([
      { ...base, id: 'span_a', span_data: { type: 'agent', name: 'support' } },
      {
        ...base,
        id: 'span_f',
        parent_id: 'span_a',
        span_data: { type: 'function', name: 'forecast', input: '', output: '' },
        error: { message: 'Error running tool (non-fatal)', data: { tool_name: 'forecast' } },
      },
    ])
    const [report] = reportsOf(spans)
    expect(report).toMatchObject({ tool_calls: 1, overall_status: 'partial_failed' })
    expect(report?.findings.map(({ code, node_name: node }) => `${node} ${code}`)).toEqual([
      'forecast exception',
    ])
  })

  it.each([
    ['AI SDK 4', 'args'],
    ['AI SDK 5 and 6', 'input'],
  ])('%s: it is one that never ran, and the other one did', (_version, member) => {
    const asked = [
      { toolCallId: 'c1', toolName: 'forecast', [member]: '{"town":1}' },
      { toolCallId: 'c2', toolName: 'current_time', [member]: '{}' },
    ]
    const report = reportOf([
      { id: 'r', at: 0, ms: 90, attributes: { 'ai.operationId': 'ai.generateText' } },
      {
        id: 'a',
        parent: 'r',
        at: 1,
        attributes: {
          'ai.operationId': 'ai.generateText.doGenerate',
          'ai.response.toolCalls': JSON.stringify(asked),
        },
      },
      {
        id: 't',
        parent: 'r',
        at: 3,
        attributes: {
          'ai.operationId': 'ai.toolCall',
          'ai.toolCall.name': 'current_time',
          'ai.toolCall.id': 'c2',
          'ai.toolCall.args': '{}',
          'ai.toolCall.result': '"noon"',
        },
      },
    ])
    const told = report.findings.filter(({ code }) => code === 'call_never_executed')
    expect(told.map(({ message }) => message.includes('forecast'))).toEqual([true])
    expect(report.tool_calls).toBe(1)
  })
})

describe('trap 23: the conventions move, and a rename is one more row', () => {
  const read = (attributes: Attributes): ReturnType<typeof readModel> =>
    readModel({ 'gen_ai.operation.name': 'chat', ...attributes })

  it.each([
    ['cache_write.input_tokens, the newest name', 'gen_ai.usage.cache_write.input_tokens'],
    ['cache_creation.input_tokens, before it', 'gen_ai.usage.cache_creation.input_tokens'],
    ['cache_creation_input_tokens, of vendors', 'gen_ai.usage.cache_creation_input_tokens'],
  ])('what was written to a cache is read by all its names: %s', (_name, key) => {
    expect(read({ 'gen_ai.usage.input_tokens': 100, [key]: 30 }).usage).toMatchObject({
      input: 100,
      cacheWrite: 30,
      cacheWasBeside: false,
    })
  })

  it.each([
    ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens', 'input'],
    ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens', 'output'],
    ['gen_ai.usage.cache_write.input_tokens', 'gen_ai.usage.cache_creation.input_tokens', 'cacheWrite'],
    ['gen_ai.usage.cache_read.input_tokens', 'gen_ai.usage.cache_read_input_tokens', 'cacheRead'],
    ['gen_ai.usage.reasoning.output_tokens', 'gen_ai.usage.reasoning_tokens', 'reasoning'],
  ] as const)('a span with both names counts the newer one, and once: %s before %s', (newer, older, part) => {
    expect(read({ [newer]: 30, [older]: 10 }).usage[part]).toBe(30)
    expect(read({ [older]: 10 }).usage[part]).toBe(10)
  })

  it('so with names', () => {
    expect(read({ 'gen_ai.system': 'old', 'gen_ai.provider.name': 'new' }).provider).toBe('new')
    expect(read({ 'gen_ai.system': 'old' }).provider).toBe('old')
  })
})

describe('trap 24: no dialect has an attribute for a loop, a budget, a skip or what could not be reached', () => {
  it.each(inEachDialect)(
    'our own keys tell of a skip and an attempt on a span of any, in %s',
    (_name, recorded) => {
      const plain = readTool(recorded.tool)
      expect([plain.skippedReason, plain.attempt, plain.stopAction]).toEqual([null, null, null])
      const told = { 'agent_reach.node.skipped_reason': 'no order', 'agent_reach.node.attempt': 2 }
      expect(readTool({ ...recorded.tool, ...told })).toMatchObject({ skippedReason: 'no order', attempt: 2 })
      const report = reportOf(forecastRun(recorded, told))
      expect(forecastIn(report)).toMatchObject({
        status: 'skipped',
        reason: expect.stringContaining('no order'),
      })
    },
  )

  it.each(inEachDialect)('a step that threw could not be reached, in %s', (_name, recorded) => {
    const report = reportOf(forecastRun(recorded, {}, threw('Error', 'no route to host')))
    expect(forecastIn(report)?.status).toBe('unreachable')
  })

  it('a loop and a budget are told by findings, and by keys of our own alone', async () => {
    const recorder = startRecording({
      options: { rules: { version: 1, guards: { budget: { tool_calls: 4 } } } },
    })
    const call = {
      name: 'forecast',
      attributes: {
        'openinference.span.kind': 'TOOL',
        'tool.name': 'forecast',
        'input.value': '{"city":"Paris"}',
      },
    }
    recorder.run({
      name: 'run',
      attributes: { 'openinference.span.kind': 'AGENT' },
      below: [call, call, call, call, call],
    })
    const report = await recorder.oneReport()
    expect(codesOf(report)).toEqual(expect.arrayContaining(['loop', 'budget_exceeded']))
    const written = recorder.spans.flatMap(({ attributes }) => Object.keys(attributes))
    const foreign = written.filter((key) => !key.startsWith('agent_reach.') && !(key in call.attributes))
    expect(foreign).toEqual([])
    expect(written).toContain('agent_reach.budget.tool_call.limit')
  })

  it('the cost that the conventions have no key for is estimated, once per call', () => {
    const report = reportOf([
      { id: 'a', at: 0, ms: 90, attributes: agent('support', tokens(2_000, 200)) },
      {
        id: 'b',
        parent: 'a',
        at: 1,
        attributes: model('x', { 'gen_ai.system': 'openai', ...tokens(2_000, 200) }),
      },
    ])
    // gpt-4o: 2.5 dollars a million in, 10 out.
    expect(report.estimated_cost_usd).toBeCloseTo(0.005 + 0.002, 10)
  })
})
