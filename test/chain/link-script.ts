import type { ChainReport, ReportStep } from '../../src/report/chain-report.ts'
import type { Attributes } from '../../src/steps/span-view.ts'
import { type ScriptSpan, spanId } from './trace-script.ts'

/** For each step of a report that somebody asked for, the short names of both: `tool < model`. */
export function askedBy(report: ChainReport, script: readonly ScriptSpan[]): readonly string[] {
  return list(report, script, '<', (step) => step.producer_span_id)
}

/** For each step of a report whose result somebody read, the short names of both: `tool > model`. */
export function readBy(report: ChainReport, script: readonly ScriptSpan[]): readonly string[] {
  return list(report, script, '>', (step) => step.read_by_span_id)
}

function list(
  report: ChainReport,
  script: readonly ScriptSpan[],
  sign: string,
  read: (step: ReportStep) => string | null,
): readonly string[] {
  const names = new Map(script.map(({ id }) => [spanId(id), id]))
  return report.steps
    .filter((step) => read(step) !== null)
    .map((step) => `${names.get(step.span_id)} ${sign} ${names.get(read(step) ?? '')}`)
    .toSorted()
}

/** Codes of the findings of a report, each with the short names of its step and of the step that is blamed. */
export function blames(report: ChainReport, script: readonly ScriptSpan[]): readonly string[] {
  const names = new Map(script.map(({ id }) => [spanId(id), id]))
  return report.findings.map(
    ({ code, span_id, blamed_span_id }) =>
      `${code} ${names.get(span_id)} < ${blamed_span_id === null ? 'nobody' : names.get(blamed_span_id)}`,
  )
}

/** Attributes of a model call by the OpenAI Agents SDK that asks for tools by name. */
export function openaiAgentsModel(...calls: readonly string[]): Attributes {
  const output = calls.map((name, n) => ({ type: 'function_call', call_id: `c${n}`, name, arguments: '{}' }))
  return {
    'openai_agents.span_data.type': 'response',
    'openai_agents.response._response': JSON.stringify({ id: 'r', output }),
  }
}

/** Attributes of a span of the OpenAI Agents SDK. */
export function openaiAgents(type: string, name?: string): Attributes {
  return {
    'openai_agents.span_data.type': type,
    ...(name !== undefined && { [`openai_agents.${type}.name`]: name }),
  }
}

/** Attributes of a span of OpenInference. */
export function openInference(kind: string, more: Attributes = {}): Attributes {
  return { 'openinference.span.kind': kind, ...more }
}
