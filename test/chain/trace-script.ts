import { TraceCollector } from '../../src/pipeline/trace-collector.ts'
import type { ChainReport } from '../../src/report/chain-report.ts'
import type { Attributes, SpanView } from '../../src/steps/span-view.ts'
import { createSpan, type SpanParts } from '../steps/span.ts'

/** A span in a trace script; ids are short names, times are milliseconds since the start of the script. */
export interface ScriptSpan extends Omit<SpanParts, 'startMs' | 'endMs' | 'spanId' | 'parentSpanId'> {
  readonly id: string
  readonly parent?: string
  readonly at: number
  readonly ms?: number
}

const EPOCH_MS = 1_764_460_800_000

/** The span id behind a short name: its characters as hex, filled up to 16 digits. */
export function spanId(name: string): string {
  return Buffer.from(name).toString('hex').padEnd(16, '0').slice(0, 16)
}

/** Turns a script into finished spans. */
export function toSpans(script: readonly ScriptSpan[]): readonly SpanView[] {
  return script.map(({ id, parent, at, ms = 1, ...parts }) =>
    createSpan({
      name: id,
      ...parts,
      spanId: spanId(id),
      parentSpanId: parent === undefined ? null : spanId(parent),
      startMs: EPOCH_MS + at,
      endMs: EPOCH_MS + at + ms,
    }),
  )
}

/** The reports of a list of spans, in the order of their traces. */
export function reportsOf(spans: readonly SpanView[]): readonly ChainReport[] {
  const collector = new TraceCollector()
  for (const span of spans) collector.add(span)
  return [...collector.closeAll()]
}

/** The report of a script of one chain. */
export function reportOf(script: readonly ScriptSpan[]): ChainReport {
  const reports = reportsOf(toSpans(script))
  if (reports.length !== 1) throw new Error(`expected one report, found ${reports.length}`)
  return reports[0] as ChainReport
}

/** Attributes of an agent's span by the GenAI conventions. */
export function agent(name: string, more: Attributes = {}): Attributes {
  return { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name, ...more }
}

/** Attributes of a model call by the GenAI conventions: its text, or the tool calls it asks for. */
export function model(
  answer: string | readonly { readonly id?: string; readonly name: string; readonly arguments?: unknown }[],
  more: Attributes = {},
): Attributes {
  const parts =
    typeof answer === 'string'
      ? [{ type: 'text', content: answer }]
      : answer.map((call) => ({ type: 'tool_call', ...call }))
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts }]),
    ...more,
  }
}

/** Attributes of a tool call by the GenAI conventions. */
export function tool(name: string, args: unknown, result?: unknown, more: Attributes = {}): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    ...(args === undefined ? {} : { 'gen_ai.tool.call.arguments': JSON.stringify(args) }),
    ...(result === undefined ? {} : { 'gen_ai.tool.call.result': JSON.stringify(result) }),
    ...more,
  }
}

/** Tokens by the GenAI conventions. */
export function tokens(input: number, output: number): Attributes {
  return { 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output }
}

/** Status and exception event of a step that threw. */
export function threw(type: string, message: string): Pick<SpanParts, 'status' | 'events'> {
  return {
    status: { code: 2, message },
    events: [{ name: 'exception', attributes: { 'exception.type': type, 'exception.message': message } }],
  }
}
