import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

/** A span as a test says it. Times are milliseconds behind 2025-11-30T00:00:00Z. */
export interface TestSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startMs: number
  readonly endMs: number
  readonly attributes?: Readonly<Record<string, string | number | boolean>>
  /** OTLP's status code: 0 unset, 1 ok, 2 error. */
  readonly status?: { readonly code: number; readonly message?: string }
}

/** What goes wrong in a chain; `plain` is a trace without any agent step. */
export type TestFault = 'none' | 'error_result' | 'root_failed' | 'warned_loop' | 'missing_parent' | 'plain'

/** 2025-11-30T00:00:00Z. */
const EPOCH_MS = 1_764_460_800_000

/** Trace ids that are easy to tell apart: `traceId(1)` begins with eight times `01`. */
export function traceId(number: number): string {
  return number.toString(16).padStart(2, '0').repeat(16)
}

/** The id of a span within a trace of {@link chainSpans}. */
export function spanId(number: number, position: number): string {
  return number.toString(16).padStart(8, '0') + position.toString(16).padStart(8, '0')
}

/**
 * The spans of a run of an agent: the root (position 0), the model `intent_router` (1), the tool `order_query` (2 and
 * on), each child before its root, as they end.
 */
export function chainSpans(number: number, fault: TestFault = 'none'): readonly TestSpan[] {
  const base = { traceId: traceId(number), startMs: number * 10_000 }
  if (fault === 'plain') {
    return [{ ...base, spanId: spanId(number, 0), name: 'GET /health', endMs: base.startMs + 5 }]
  }
  const root = spanId(number, 0)
  const calls = fault === 'warned_loop' ? 3 : 1
  return [
    {
      ...base,
      spanId: spanId(number, 1),
      parentSpanId: root,
      name: 'chat intent_router',
      startMs: base.startMs + 10,
      endMs: base.startMs + 400,
      attributes: modelAttributes(),
    },
    ...Array.from({ length: calls }, (_, at) => orderQuery(number, at, fault)),
    {
      ...base,
      spanId: root,
      ...(fault === 'missing_parent' ? { parentSpanId: 'feedfeedfeedfeed' } : {}),
      name: 'invoke_agent support-agent',
      endMs: base.startMs + 9_000,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'support-agent',
        'agent_reach.task.id': `task-${number}`,
        'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"Done."}]}]',
      },
      ...(fault === 'root_failed' ? { status: { code: 2, message: 'the run broke' } } : {}),
    },
  ]
}

function modelAttributes(): TestSpan['attributes'] & object {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-4o-mini',
    'agent_reach.node.name': 'intent_router',
    'gen_ai.usage.input_tokens': 200,
    'gen_ai.usage.output_tokens': 10,
    'gen_ai.output.messages':
      '[{"role":"assistant","parts":[{"type":"text","content":"An order question."}]}]',
  }
}

function orderQuery(number: number, at: number, fault: TestFault): TestSpan {
  const result = fault === 'error_result' ? { error: 'no such order' } : { order_id: 'ORD-1', status: 'sent' }
  const startMs = number * 10_000 + 500 + at * 1_000
  return {
    traceId: traceId(number),
    spanId: spanId(number, 2 + at),
    parentSpanId: spanId(number, 0),
    name: 'execute_tool order_query',
    startMs,
    endMs: startMs + 800,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'order_query',
      'gen_ai.tool.call.id': `call-${at}`,
      'gen_ai.tool.call.arguments': '{"order_id":"ORD-1"}',
      'gen_ai.tool.call.result': JSON.stringify(result),
    },
  }
}

/** One request as the Collector's file exporter writes it: one line of OTLP/JSON, without the line feed. */
export function toLine(spans: readonly TestSpan[], service = 'support'): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
        scopeSpans: [{ scope: { name: 'test' }, spans: spans.map(toOtlp) }],
      },
    ],
  })
}

/** Writes lines, each with its line feed; gzip where the name ends in `.gz`. Gives the path back. */
export function writeLines(path: string, lines: readonly string[]): string {
  const text = lines.map((line) => `${line}\n`).join('')
  writeFileSync(path, path.endsWith('.gz') ? gzipSync(text) : text)
  return path
}

/** Writes chains into a file, one line each. Gives the path back. */
export function writeChains(path: string, chains: readonly (readonly TestSpan[])[]): string {
  return writeLines(
    path,
    chains.map((spans) => toLine(spans)),
  )
}

function toOtlp(span: TestSpan): object {
  const { startMs, endMs, attributes = {}, parentSpanId, status } = span
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name: span.name,
    kind: 1,
    startTimeUnixNano: toNano(startMs),
    endTimeUnixNano: toNano(endMs),
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: toAnyValue(value) })),
    ...(status === undefined ? {} : { status }),
  }
}

function toNano(ms: number): string {
  return `${BigInt(EPOCH_MS + ms) * 1_000_000n}`
}

function toAnyValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value }
  return typeof value === 'number' ? { intValue: `${value}` } : { boolValue: value }
}
