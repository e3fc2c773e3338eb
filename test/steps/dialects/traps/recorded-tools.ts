import { TraceCollector } from '../../../../src/pipeline/trace-collector.ts'
import type { ChainReport } from '../../../../src/report/chain-report.ts'
import { loadRules } from '../../../../src/rules/load-rules.ts'
import type { Rules } from '../../../../src/rules/rules.ts'
import type { Attributes } from '../../../../src/steps/span-view.ts'
import { agent, model, type ScriptSpan, toSpans } from '../../../chain/trace-script.ts'

/** How a dialect records a call of the tool `forecast`, on a span of that name. */
export interface RecordedTool {
  readonly name: string
  readonly tool: Attributes
  /** The key of the arguments. */
  readonly args: string
  /** The key of the result. */
  readonly result: string
}

const CONVENTION = { args: 'gen_ai.tool.call.arguments', result: 'gen_ai.tool.call.result' }
const EXECUTE = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'forecast' }

/** A call of a tool in every dialect that records one. */
const recordedTools: readonly RecordedTool[] = [
  { name: 'GenAI conventions', tool: EXECUTE, ...CONVENTION },
  {
    name: 'AI SDK 4 to 6',
    tool: { 'ai.operationId': 'ai.toolCall', 'ai.toolCall.name': 'forecast' },
    args: 'ai.toolCall.args',
    result: 'ai.toolCall.result',
  },
  { name: 'AI SDK 7', tool: { ...EXECUTE, 'gen_ai.tool.type': 'function' }, ...CONVENTION },
  {
    name: 'OpenInference',
    tool: { 'openinference.span.kind': 'TOOL', 'tool.name': 'forecast' },
    args: 'input.value',
    result: 'output.value',
  },
  {
    name: 'Traceloop',
    tool: { 'traceloop.span.kind': 'tool', 'traceloop.entity.name': 'forecast' },
    args: 'traceloop.entity.input',
    result: 'traceloop.entity.output',
  },
  {
    name: 'Langfuse',
    tool: { 'langfuse.observation.type': 'tool' },
    args: 'langfuse.observation.input',
    result: 'langfuse.observation.output',
  },
  { name: 'Mastra', tool: { ...EXECUTE, 'mastra.span.type': 'tool_call' }, ...CONVENTION },
  { name: 'Logfire', tool: { ...EXECUTE, 'logfire.span_type': 'span' }, ...CONVENTION },
  {
    name: 'Laminar',
    tool: { 'lmnr.span.type': 'TOOL' },
    args: 'lmnr.span.input',
    result: 'lmnr.span.output',
  },
  {
    name: 'LangSmith',
    tool: { ...EXECUTE, 'langsmith.span.kind': 'tool' },
    args: 'gen_ai.prompt',
    result: 'gen_ai.completion',
  },
  {
    name: 'Braintrust',
    tool: { 'braintrust.span_attributes': '{"type":"tool"}' },
    args: 'braintrust.input_json',
    result: 'braintrust.output_json',
  },
  {
    name: 'OpenAI Agents',
    tool: { 'openai_agents.span_data.type': 'function' },
    args: 'openai_agents.function.input',
    result: 'openai_agents.function.output',
  },
  { name: 'Agent 365', tool: { ...EXECUTE, 'microsoft.tenant.id': 't-1' }, ...CONVENTION },
  { name: 'any-agent', tool: EXECUTE, args: 'gen_ai.tool.args', result: 'gen_ai.output' },
  {
    name: 'Pydantic AI',
    tool: { 'gen_ai.tool.name': 'forecast', 'logfire.msg': 'running tool: forecast' },
    args: 'tool_arguments',
    result: 'tool_response',
  },
]

/** For `describe.each` and `it.each`: the name of the dialect, and how it records. */
export const inEachDialect: readonly (readonly [name: string, recorded: RecordedTool])[] = recordedTools.map(
  (recorded) => [recorded.name, recorded],
)

/** A run that asks for a forecast of Paris, in words of the conventions, and the tool in those of a dialect. */
export function forecastRun(
  { tool }: RecordedTool,
  attributes: Attributes,
  parts: Partial<ScriptSpan> = {},
): readonly ScriptSpan[] {
  const asked = [{ id: 'c1', name: 'forecast', arguments: { city: 'Paris' } }]
  return [
    { id: 'a', at: 0, ms: 90, attributes: agent('support') },
    { id: 'm', parent: 'a', at: 1, ms: 5, attributes: model(asked) },
    {
      id: 't',
      name: 'forecast',
      parent: 'a',
      at: 10,
      ms: 5,
      attributes: { ...tool, ...attributes },
      ...parts,
    },
  ]
}

/** The report of a script of one chain by rules. */
export function judgedBy(rules: Rules, script: readonly ScriptSpan[]): ChainReport {
  const collector = new TraceCollector({ rules })
  for (const span of toSpans(script)) collector.add(span)
  const [report] = [...collector.closeAll()]
  if (report === undefined) throw new Error('expected a report, found none')
  return report
}

/** Rules that ask for a list of days in the result of `forecast`. */
export const asksForDays: Rules = loadRules({
  version: 1,
  nodes: {
    forecast: {
      result: {
        not_empty: true,
        schema: { type: 'object', required: ['days'], properties: { days: { type: 'array', minItems: 1 } } },
      },
    },
  },
})

/** The codes of all findings. */
export function codesOf({ findings }: ChainReport): readonly string[] {
  return findings.map(({ code }) => code)
}

/** What is said of the node `forecast`. */
export function forecastIn({ nodes }: ChainReport): ChainReport['nodes'][number] | undefined {
  return nodes.find(({ node_name: name }) => name === 'forecast')
}
