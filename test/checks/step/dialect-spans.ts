import { stepChecks } from '../../../src/checks/step/catalog.ts'
import type { Finding } from '../../../src/findings/finding.ts'
import { readStep } from '../../../src/steps/read-step.ts'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { createSpan, type SpanParts } from '../../steps/span.ts'

/** How the spans of these tests are recorded. */
export const dialects = ['gen-ai', 'openinference', 'ai-sdk 4', 'ai-sdk 5', 'ai-sdk 6'] as const
export type DialectOfTest = (typeof dialects)[number]

interface CallParts {
  readonly id?: string
  readonly name: string
  /** JSON text as the model wrote it. */
  readonly args: string
}

export interface ModelParts {
  readonly text?: string
  readonly calls?: readonly CallParts[]
  readonly finish?: string
  /** Parameter schemas by tool name. */
  readonly tools?: Readonly<Record<string, unknown>>
}

/** Runs every step check over one span. */
export function judgeSpan(parts: SpanParts): readonly Finding[] {
  const step = readStep(createSpan(parts))
  return stepChecks.flatMap((check) => check.check(step))
}

/** Findings as `code` or, where not an error, `code:severity`. */
export function codesOf(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ code, severity }) => (severity === 'error' ? code : `${code}:${severity}`))
}

/** What every step check says of a span with these attributes. */
export function codesFor(attributes: Attributes, parts: SpanParts = {}): readonly string[] {
  return codesOf(judgeSpan({ ...parts, attributes }))
}

/** A tool span; `result` is a value that the dialect writes as JSON text, unless it is text already. */
export function toolSpan(dialect: DialectOfTest, result: unknown, name = 'order_query'): Attributes {
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  switch (dialect) {
    case 'gen-ai':
      return {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': name,
        'gen_ai.tool.call.result': text,
      }
    case 'openinference':
      return {
        'openinference.span.kind': 'TOOL',
        'tool.name': name,
        'output.value': text,
        'output.mime_type': typeof result === 'string' ? 'text/plain' : 'application/json',
      }
    default:
      return {
        'ai.operationId': 'ai.toolCall',
        'ai.toolCall.name': name,
        'ai.toolCall.result': JSON.stringify(result),
      }
  }
}

/** A model span with an answer. */
export function modelSpan(dialect: DialectOfTest, parts: ModelParts): Attributes {
  if (dialect === 'gen-ai') return genAiModel(parts)
  return dialect === 'openinference' ? openinferenceModel(parts) : aiSdkModel(dialect, parts)
}

function genAiModel({ text, calls = [], finish = 'stop', tools }: ModelParts): Attributes {
  const content = text === undefined ? [] : [{ type: 'text', content: text }]
  const requested = calls.map(({ id, name, args }) => ({ type: 'tool_call', id, name, arguments: args }))
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'm-1',
    'gen_ai.response.finish_reasons': [finish],
    'gen_ai.output.messages': JSON.stringify([
      { role: 'assistant', parts: [...content, ...requested], finish_reason: finish },
    ]),
    ...(tools === undefined ? {} : { 'gen_ai.tool.definitions': JSON.stringify(declarations(tools)) }),
  }
}

function openinferenceModel({ text, calls = [], finish = 'stop', tools = {} }: ModelParts): Attributes {
  const message = 'llm.output_messages.0.message'
  const requested = calls.flatMap(({ id, name, args }, n) => {
    const at = `${message}.tool_calls.${n}.tool_call`
    return [
      [`${at}.id`, id],
      [`${at}.function.name`, name],
      [`${at}.function.arguments`, args],
    ]
  })
  const declared = declarations(tools).map(({ name, description, parameters }, n) => [
    `llm.tools.${n}.tool.json_schema`,
    JSON.stringify({ type: 'function', function: { name, description, parameters } }),
  ])
  return {
    'openinference.span.kind': 'LLM',
    'llm.model_name': 'm-1',
    'llm.finish_reason': finish,
    [`${message}.role`]: 'assistant',
    ...(text === undefined ? {} : { [`${message}.content`]: text }),
    ...(Object.fromEntries([...requested, ...declared]) as Attributes),
  }
}

function aiSdkModel(dialect: DialectOfTest, parts: ModelParts): Attributes {
  const { text = '', calls = [], finish = 'stop', tools } = parts
  const requested = calls.map(({ id, name, args }) => ({
    toolCallType: 'function',
    toolCallId: id,
    toolName: name,
    // Version 4 calls them `args`; 5 and 6 write text inside the text.
    ...(dialect === 'ai-sdk 4' ? { args } : { input: args }),
  }))
  return {
    'ai.operationId': 'ai.generateText.doGenerate',
    'ai.model.id': 'm-1',
    'ai.response.text': text,
    'ai.response.finishReason': finish,
    ...(calls.length === 0 ? {} : { 'ai.response.toolCalls': JSON.stringify(requested) }),
    ...(tools === undefined
      ? {}
      : {
          'ai.prompt.tools': declarations(tools).map(({ parameters, ...tool }) =>
            JSON.stringify({ ...tool, inputSchema: parameters }),
          ),
        }),
  }
}

function declarations(tools: Readonly<Record<string, unknown>>): readonly {
  readonly type: string
  readonly name: string
  readonly description: string
  readonly parameters: unknown
}[] {
  return Object.entries(tools).map(([name, parameters]) => ({
    type: 'function',
    name,
    description: `the tool ${name}`,
    parameters,
  }))
}
