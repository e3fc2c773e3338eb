import { TraceCollector } from '../../src/pipeline/trace-collector.ts'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { loadRules } from '../../src/rules/load-rules.ts'
import type { LoopRule } from '../../src/rules/rules-file.ts'
import { agent, model, type ScriptSpan, threw, tool, toSpans } from './trace-script.ts'

/** One call of a script of calls. */
export interface ScriptCall {
  readonly name?: string
  readonly args?: unknown
  readonly result?: unknown
  /** The message of the error that the call ends with. */
  readonly error?: string
  /** When it starts, in milliseconds; else ten after the one before. */
  readonly at?: number
}

/** The report of a run of one agent that makes the calls one after another. */
export function reportCalls(calls: readonly ScriptCall[], loop?: LoopRule): ChainReport {
  return reportLoops(
    calls.map(({ name = 'web_search', args, result, error, at }, n): ScriptSpan => ({
      id: `c${n}`,
      parent: 'run',
      at: at ?? 10 * (n + 1),
      ms: 5,
      attributes: tool(name, args, result),
      ...(error !== undefined && threw('TypeError', error)),
    })),
    loop,
  )
}

/** The report of a run of one agent whose model writes the answers, each a turn. */
export function reportAnswers(answers: readonly string[]): ChainReport {
  return reportLoops(
    answers.map((answer, n): ScriptSpan => ({
      id: `m${n}`,
      name: 'chat gpt-4o',
      parent: 'run',
      at: 10 * (n + 1),
      ms: 5,
      attributes: model(answer),
    })),
  )
}

function reportLoops(steps: readonly ScriptSpan[], loop?: LoopRule): ChainReport {
  const rules = loop === undefined ? {} : { rules: loadRules({ version: 1, guards: { loop } }) }
  const collector = new TraceCollector(rules)
  const run = { id: 'run', at: 0, ms: 10_000, attributes: agent('support') }
  for (const span of toSpans([run, ...steps])) collector.add(span)
  const [report] = [...collector.closeAll()]
  if (report === undefined) throw new Error('expected a report')
  return report
}

/** The alerts of a report as `kind severity count`. */
export function alertsOf(report: ChainReport): readonly string[] {
  return report.alerts.map(({ kind, severity, count }) => `${kind} ${severity} ${count}`)
}
