import { describe, expect, it } from 'vitest'
import { agent, model, reportOf, type ScriptSpan, tokens } from './trace-script.ts'

const mismatches = (script: readonly ScriptSpan[]): readonly string[] =>
  reportOf(script)
    .findings.filter(({ code }) => code === 'usage_mismatch')
    .map(({ message }) => message)

describe('tokens are counted once', () => {
  const aiSdk = (operation: string, usage: Record<string, number>): Record<string, unknown> => ({
    'ai.operationId': operation,
    'ai.telemetry.functionId': 'support',
    'ai.model.id': 'gpt-4o',
    'ai.model.provider': 'openai.chat',
    ...Object.fromEntries(Object.entries(usage).map(([key, value]) => [`ai.usage.${key}`, value])),
  })

  it('AI SDK 4 and 5, whose generateText root reports its last step only: the steps count, the total is told', () => {
    const script: readonly ScriptSpan[] = [
      {
        id: 'r',
        at: 0,
        ms: 90,
        attributes: aiSdk('ai.generateText', { promptTokens: 200, completionTokens: 20 }),
      },
      {
        id: 'a',
        parent: 'r',
        at: 1,
        attributes: aiSdk('ai.generateText.doGenerate', { promptTokens: 100, completionTokens: 10 }),
      },
      {
        id: 'b',
        parent: 'r',
        at: 9,
        attributes: aiSdk('ai.generateText.doGenerate', { promptTokens: 200, completionTokens: 20 }),
      },
    ]
    const report = reportOf(script)
    expect(report.token_count).toBe(330)
    expect(report.tokens).toMatchObject({ input: 300, output: 30 })
    expect(report.usage_check.consistent).toBe(false)
    expect(mismatches(script)).toEqual([
      'reports other token totals than its steps: 200 input tokens for 300, 20 output tokens for 30',
    ])
    expect(report.overall_status).toBe('success')
  })

  it('AI SDK 5 streamText and AI SDK 6, whose root reports the sum: counted once, nothing to tell', () => {
    const script: readonly ScriptSpan[] = [
      {
        id: 'r',
        at: 0,
        ms: 90,
        attributes: aiSdk('ai.streamText', { inputTokens: 300, outputTokens: 30, totalTokens: 330 }),
      },
      {
        id: 'a',
        parent: 'r',
        at: 1,
        attributes: aiSdk('ai.streamText.doStream', { inputTokens: 100, outputTokens: 10, totalTokens: 110 }),
      },
      {
        id: 'b',
        parent: 'r',
        at: 9,
        attributes: aiSdk('ai.streamText.doStream', { inputTokens: 200, outputTokens: 20, totalTokens: 220 }),
      },
    ]
    expect(reportOf(script)).toMatchObject({ token_count: 330, usage_check: { consistent: true } })
    expect(mismatches(script)).toEqual([])
  })

  it('AI SDK 7, whose invoke_agent reports the sum above steps without usage', () => {
    const step = (n: number): readonly ScriptSpan[] => [
      { id: `s${n}`, parent: 'r', at: n * 10, ms: 8, attributes: { 'gen_ai.operation.name': 'agent_step' } },
      { id: `c${n}`, parent: `s${n}`, at: n * 10 + 1, attributes: model('x', tokens(100 * n, 10 * n)) },
    ]
    const script = [
      { id: 'r', at: 0, ms: 90, attributes: agent('a', tokens(300, 30)) },
      ...step(1),
      ...step(2),
    ]
    expect(reportOf(script).token_count).toBe(330)
    expect(mismatches(script)).toEqual([])
  })

  it('OpenInference, whose agent carries totals as text: the model calls count', () => {
    const llm = (prompt: string, completion: string): Record<string, unknown> => ({
      'openinference.span.kind': 'LLM',
      'llm.token_count.prompt': prompt,
      'llm.token_count.completion': completion,
      'llm.token_count.total': String(Number(prompt) + Number(completion)),
    })
    const script: readonly ScriptSpan[] = [
      {
        id: 'r',
        at: 0,
        ms: 90,
        attributes: {
          'openinference.span.kind': 'AGENT',
          'llm.token_count.prompt': '70',
          'llm.token_count.completion': '7',
        },
      },
      { id: 'a', parent: 'r', at: 1, attributes: llm('30', '3') },
      { id: 'b', parent: 'r', at: 9, attributes: llm('70', '7') },
    ]
    expect(reportOf(script).tokens).toMatchObject({ input: 100, output: 10 })
    expect(mismatches(script)).toHaveLength(1)
  })

  it('two instrumentations on one call, side by side: the second with the same response id counts nothing', () => {
    const same = { 'gen_ai.response.id': 'resp_1', ...tokens(100, 10) }
    const report = reportOf([
      { id: 'r', at: 0, ms: 90, attributes: agent('a') },
      { id: 'sdk', parent: 'r', at: 1, ms: 9, attributes: model('x', same) },
      { id: 'http', parent: 'r', at: 2, ms: 7, attributes: model('x', same) },
    ])
    expect(report).toMatchObject({ token_count: 110, model_calls: 1 })
  })

  it('two instrumentations on one call, one inside the other: the inner one counts', () => {
    const same = { 'gen_ai.response.id': 'resp_1', ...tokens(100, 10) }
    const report = reportOf([
      { id: 'r', at: 0, ms: 90, attributes: agent('a') },
      { id: 'sdk', parent: 'r', at: 1, ms: 9, attributes: model('x', same) },
      { id: 'provider', parent: 'sdk', at: 2, ms: 7, attributes: model('x', same) },
    ])
    expect(report).toMatchObject({ token_count: 110, model_calls: 1, usage_check: { consistent: true } })
  })

  it('a wrapper that estimates tokens above a call that reports them adds nothing', () => {
    const report = reportOf([
      { id: 'r', at: 0, ms: 90, attributes: agent('a') },
      { id: 'wrap', parent: 'r', at: 1, ms: 9, attributes: model('x', tokens(120, 12)) },
      { id: 'call', parent: 'wrap', at: 2, ms: 7, attributes: model('x', tokens(100, 10)) },
    ])
    expect(report.token_count).toBe(110)
    expect(report.findings.map(({ code }) => code)).toEqual(['usage_mismatch'])
  })

  it('says nothing of a total above a model call that reports no usage', () => {
    const script: readonly ScriptSpan[] = [
      { id: 'r', at: 0, ms: 90, attributes: agent('a', tokens(300, 30)) },
      { id: 'm', parent: 'r', at: 1, attributes: model('x', tokens(100, 10)) },
      { id: 'n', parent: 'r', at: 5, attributes: model('y') },
    ]
    expect(mismatches(script)).toEqual([])
    expect(reportOf(script).usage_check.aggregates[0]?.incomplete).toBe(true)
  })

  it('a count that the user wrote without splitting it counts as it is', () => {
    const report = reportOf([{ id: 'r', at: 0, attributes: { phase: 'executing', token_count: 42 } }])
    expect(report).toMatchObject({ token_count: 42, step_count: 1 })
  })
})

describe('cached and reasoning tokens', () => {
  const usage = (more: Record<string, unknown>): ReturnType<typeof reportOf> =>
    reportOf([{ id: 'm', at: 0, attributes: model('x', { ...tokens(100, 50), ...more }) }])

  it('are inside input and output by the conventions', () => {
    const report = usage({
      'gen_ai.usage.cache_read.input_tokens': 80,
      'gen_ai.usage.cache_write.input_tokens': 10,
      'gen_ai.usage.reasoning.output_tokens': 30,
    })
    expect(report.token_count).toBe(150)
    expect(report.tokens).toEqual({ input: 100, output: 50, cache_read: 80, cache_write: 10, reasoning: 30 })
    expect(report.usage_check.normalised).toEqual([])
  })

  it('are added to the input where the numbers prove that they stand beside it', () => {
    const report = usage({ 'gen_ai.usage.cache_read_input_tokens': 400 })
    expect(report.tokens).toMatchObject({ input: 500, output: 50, cache_read: 400 })
    expect(report.usage_check.normalised).toMatchObject([{ reason: 'cache_beside_input' }])
  })

  it('are added to the input where the recorded total is the sum with them', () => {
    const report = usage({ 'gen_ai.usage.cache_read_input_tokens': 40, 'gen_ai.usage.total_tokens': 190 })
    expect(report.tokens.input).toBe(140)
  })

  it('are added to the output where the recorded total is the sum with the reasoning', () => {
    const report = usage({ 'gen_ai.usage.reasoning_tokens': 30, 'gen_ai.usage.total_tokens': 180 })
    expect(report.tokens).toMatchObject({ input: 100, output: 80, reasoning: 30 })
  })
})

describe('cost', () => {
  it('is estimated from the price data with the date of the call, once per call', () => {
    const report = reportOf([
      { id: 'r', at: 0, ms: 90, attributes: agent('a', tokens(1_000_000, 100_000)) },
      {
        id: 'm',
        parent: 'r',
        at: 1,
        attributes: model('x', { 'gen_ai.system': 'openai', ...tokens(1_000_000, 100_000) }),
      },
    ])
    // gpt-4o: 2.50 USD per million input tokens, 10 USD per million output tokens
    expect(report.estimated_cost_usd).toBe(3.5)
    expect(report.cost_source).toMatch(/^genai-prices@/u)
  })

  it('that the instrumentation recorded stands, and nothing below it is priced again', () => {
    const report = reportOf([
      { id: 'r', at: 0, ms: 90, attributes: agent('a', { 'gen_ai.usage.cost': 0.25 }) },
      { id: 'm', parent: 'r', at: 1, attributes: model('x', tokens(1_000, 100)) },
    ])
    expect(report).toMatchObject({ estimated_cost_usd: 0.25, cost_source: 'recorded' })
  })

  it('is unknown for a model that the price data does not know', () => {
    const report = reportOf([
      { id: 'm', at: 0, attributes: model('x', { 'gen_ai.request.model': 'in-house-7', ...tokens(10, 1) }) },
    ])
    expect(report).toMatchObject({ estimated_cost_usd: null, cost_source: null })
  })
})
