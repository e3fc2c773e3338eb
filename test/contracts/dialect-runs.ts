import { describe, expect, it } from 'vitest'
import type { ChainReport } from '../../src/report/chain-report.ts'
import type { Attributes } from '../../src/steps/span-view.ts'
import { agent, reportOf, type ScriptSpan, tokens } from '../chain/trace-script.ts'
import { type DialectTable, isNotRecorded, type UsageWriter } from './dialect-table.ts'

/** Runs what every dialect must pass over whole runs: tokens are counted once, a streamed call is a call. */
export function testRuns(table: DialectTable): void {
  testUsage(table)
  testAggregates(table)
  testStreaming(table)
}

const ROOT: ScriptSpan = { id: 'root', at: 0, ms: 900, attributes: agent('desk') }

/** Two calls of a model below a step: 100 and 200 tokens in, 10 and 20 out. */
function twoCalls(parent: string, write: UsageWriter): readonly ScriptSpan[] {
  return [
    { id: 'one', parent, at: 10, ms: 20, attributes: write(100, 10) },
    { id: 'two', parent, at: 40, ms: 20, attributes: write(200, 20) },
  ]
}

function testUsage({ usage }: DialectTable): void {
  if (isNotRecorded(usage)) return
  it('counts the tokens of each call of a model once', () => {
    expect(reportOf([ROOT, ...twoCalls('root', usage)])).toMatchObject({
      token_count: 330,
      tokens: { input: 300, output: 30 },
      model_calls: 2,
    })
  })
}

function testAggregates({ aggregates, usage, model }: DialectTable): void {
  if (isNotRecorded(aggregates)) return
  const byConvention: UsageWriter = (input, output) => ({
    'gen_ai.operation.name': 'chat',
    ...tokens(input, output),
  })
  const write = isNotRecorded(usage) ? byConvention : usage
  describe.each(aggregates)('a sum that is reported by %s', (_recorded, writeSum) => {
    const run = (sum: Attributes, calls: readonly ScriptSpan[]): ChainReport =>
      reportOf([ROOT, { id: 'sum', parent: 'root', at: 1, ms: 80, attributes: sum }, ...calls])

    it('is not added to the calls below', () => {
      const report = run(writeSum(300, 30), twoCalls('sum', write))
      expect(report).toMatchObject({ token_count: 330, model_calls: 2, usage_check: { consistent: true } })
      expect(codesOf(report)).not.toContain('usage_mismatch')
    })

    it('is told where it is another one, and the calls count', () => {
      const report = run(writeSum(200, 20), twoCalls('sum', write))
      expect(report).toMatchObject({ token_count: 330, usage_check: { consistent: false } })
      expect(codesOf(report)).toContain('usage_mismatch')
    })

    it('counts where the calls below report nothing', () => {
      const silent = isNotRecorded(model) ? { 'gen_ai.operation.name': 'chat' } : model
      const report = run(
        writeSum(300, 30),
        twoCalls('sum', () => silent),
      )
      expect(report).toMatchObject({ token_count: 330, model_calls: 2, usage_check: { consistent: true } })
    })
  })
}

const codesOf = (report: ChainReport): readonly string[] => report.findings.map(({ code }) => code)

function testStreaming(table: DialectTable): void {
  const { model, tool } = table
  if (isNotRecorded(model) || isNotRecorded(tool)) return
  it.each(['beside the call', 'below the call'])(
    'takes a streamed answer whose tool has run before it ends for one call of each: %s',
    (place) => {
      const call = { id: 'chat', parent: 'root', at: 10, ms: 80, attributes: streamedCall(table, model) }
      const parent = place === 'beside the call' ? 'root' : 'chat'
      const ran = { id: 'ran', name: 'forecast', parent, at: 30, ms: 20, attributes: ranTool(table, tool) }
      const report = reportOf([ran, call, ROOT])
      expect(codesOf(report)).toEqual([])
      expect(report).toMatchObject({
        overall_status: 'success',
        model_calls: 1,
        tool_calls: 1,
        token_count: isNotRecorded(table.usage) ? 0 : 110,
      })
    },
  )
}

function streamedCall({ calls, streamed, usage }: DialectTable, model: Attributes): Attributes {
  const asked = [{ id: 'call_1', name: 'forecast', args: '{"city":"Paris"}' }]
  const [writer] = isNotRecorded(calls) ? [] : calls
  return {
    ...model,
    ...(isNotRecorded(usage) ? {} : usage(100, 10)),
    ...writer?.write(asked),
    ...(isNotRecorded(streamed) ? {} : streamed),
  }
}

function ranTool({ toolArguments, toolResult }: DialectTable, tool: Attributes): Attributes {
  return {
    ...tool,
    ...(isNotRecorded(toolArguments) ? {} : toolArguments.write('{"city":"Paris"}')),
    ...(isNotRecorded(toolResult) ? {} : toolResult.write('{"rain":true}')),
  }
}
