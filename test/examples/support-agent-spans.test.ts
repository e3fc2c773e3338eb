import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

interface Fault {
  readonly name: string
  readonly node: string
  readonly code: string
}

/** What these tests look at in a span; `node` is the name a person would give the step. */
interface SpanView {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly node: string | undefined
  readonly attributes: Readonly<Record<string, unknown>>
  readonly failed: boolean
  readonly exceptionTypes: readonly unknown[]
  readonly milliseconds: number
}

interface OtlpValue {
  readonly stringValue?: string
  readonly intValue?: number
  readonly boolValue?: boolean
  readonly arrayValue?: { readonly values: readonly OtlpValue[] }
}

interface OtlpAttribute {
  readonly key: string
  readonly value: OtlpValue
}

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: readonly OtlpAttribute[]
  readonly status: { readonly code: number }
  readonly events: readonly { readonly name: string; readonly attributes: readonly OtlpAttribute[] }[]
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

const STATUS_ERROR = 2

const example = new URL('../../examples/support-agent/', import.meta.url)

// The example is plain JavaScript, so its types have to be named here.
const { faults } = (await import(new URL('faults.mjs', example).href)) as { faults: readonly Fault[] }

const runs = ['healthy', ...faults.map(({ name }) => name)]

const directory = mkdtempSync(join(tmpdir(), 'support-agent-'))
const spansByRun = new Map<string, readonly SpanView[]>()

beforeAll(async () => {
  await Promise.all(runs.map(async (run) => spansByRun.set(run, await record(run))))
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** How each fault shows in the spans of a run. */
const signs: Readonly<Record<string, (spans: readonly SpanView[]) => boolean>> = {
  'missing-status': (spans) => {
    const result = orderResult(spans)
    return result !== undefined && !('status' in result) && !('error' in result)
  },
  'empty-items': (spans) => {
    const items = orderResult(spans)?.['items']
    return Array.isArray(items) && items.length === 0
  },
  'circling-search': (spans) => {
    const searches = toolCalls(spans, 'policy_search')
    return searches.length === 5 && distinct(searches, 'args') === 1 && distinct(searches, 'result') === 1
  },
  'tool-exception': (spans) => {
    const [query] = toolCalls(spans, 'order_query')
    return query?.failed === true && query.exceptionTypes.includes('StoreConnectionError')
  },
  'slow-tool': (spans) => {
    const [query] = toolCalls(spans, 'order_query')
    // The look-up takes two seconds unless it is really cancelled.
    return (
      query?.failed === true && query.exceptionTypes.includes('TimeoutError') && query.milliseconds < 1000
    )
  },
  'truncated-answer': (spans) =>
    modelCalls(spans, 'summary_generator').every(
      ({ attributes }) =>
        attributes['ai.response.finishReason'] === 'length' &&
        /[a-z ]$/.test(String(attributes['ai.response.text'])),
    ),
  'failed-query': (spans) => {
    const [query] = toolCalls(spans, 'order_query')
    return query?.failed === false && orderResult(spans)?.['error'] === 'order not found'
  },
}

test('every fault has a sign of its own', () => {
  expect(Object.keys(signs)).toEqual(faults.map(({ name }) => name))
})

test('the readme lists the faults as they are', () => {
  const readme = readFileSync(new URL('README.md', example), 'utf8')
  const rows = [...readme.matchAll(/^\| `(.+?)` \| .+? \| `(.+?)` \| `(.+?)` \|$/gm)]
  expect(rows.map(([, name, node, code]) => ({ name, node, code }))).toEqual(
    faults.map(({ name, node, code }) => ({ name, node, code })),
  )
})

test('a healthy run has no failed, repeated or empty step', () => {
  const spans = spansOf('healthy')
  const tools = toolCalls(spans)
  expect(spans.filter(({ failed, exceptionTypes }) => failed || exceptionTypes.length > 0)).toEqual([])
  expect(tools.map(({ node }) => node)).toEqual(['order_query', 'policy_search'])
  expect(tools.filter(({ attributes }) => /\[\]|\{\}|""|null/.test(resultText(attributes)))).toEqual([])
})

describe.each(runs)('%s', (run) => {
  test('shows its own fault and no other', () => {
    const shown = Object.keys(signs).filter((name) => signs[name]?.(spansOf(run)))
    expect(shown).toEqual(run === 'healthy' ? [] : [run])
  })

  test('is one trace below one agent span', () => {
    const spans = spansOf(run)
    const ids = new Set(spans.map(({ spanId }) => spanId))
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
    expect(spans.filter(({ parentSpanId }) => !parentSpanId)).toEqual([rootOf(spans)])
    expect(spans.every(({ parentSpanId }) => !parentSpanId || ids.has(parentSpanId))).toBe(true)
  })

  test('tells task, conversation, question and answer on the agent span', () => {
    const { attributes, failed } = rootOf(spansOf(run))
    expect(failed).toBe(false)
    expect(attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'support-agent',
      'gen_ai.conversation.id': `conversation-support-${run}`,
      'agent_reach.task.id': `support-${run}`,
    })
    const [formatted] = modelCalls(spansOf(run), 'reply_formatter')
    expect(json(attributes['gen_ai.input.messages'])).toMatchObject([{ role: 'user' }])
    expect(json(attributes['gen_ai.output.messages'])).toEqual([
      {
        role: 'assistant',
        parts: [{ type: 'text', content: formatted?.attributes['ai.response.text'] }],
        finish_reason: 'stop',
      },
    ])
  })

  test('gives every span below the agent its phase', () => {
    const phases: Record<string, string> = {
      intent_router: 'planning',
      summary_generator: 'summarizing',
      reply_formatter: 'summarizing',
    }
    for (const { node, attributes, parentSpanId } of spansOf(run)) {
      const expected = parentSpanId === undefined ? undefined : (phases[node ?? ''] ?? 'executing')
      expect(attributes['agent_reach.phase'], node).toBe(expected)
    }
  })

  test('counts the tokens of every model call under an id of its own', () => {
    const calls = spansOf(run).filter(({ name }) => name.endsWith('.doGenerate'))
    for (const { attributes } of calls) {
      expect(attributes).toMatchObject({ 'gen_ai.request.model': 'gpt-4o-mini', 'gen_ai.system': 'openai' })
      expect(attributes['gen_ai.usage.input_tokens']).toBeGreaterThan(0)
      expect(attributes['gen_ai.usage.output_tokens']).toBeGreaterThan(0)
    }
    expect(new Set(calls.map(({ attributes }) => attributes['gen_ai.response.id'])).size).toBe(calls.length)
  })

  test('carries a definition on each tool call that judges its result', () => {
    const misfits = toolCalls(spansOf(run)).filter((span) => !fitsContract(span))
    const broken = run === 'missing-status' || run === 'empty-items'
    expect(misfits.map(({ node }) => node)).toEqual(broken ? ['order_query'] : [])
  })
})

/** Runs the chain as a user would and reads the file the exporter's requests went to. */
async function record(run: string): Promise<readonly SpanView[]> {
  const file = join(directory, `${run}.jsonl`)
  const fault = run === 'healthy' ? [] : ['--fault', run]
  await promisify(execFile)(process.execPath, [
    fileURLToPath(new URL('main.mjs', example)),
    '--file',
    file,
    ...fault,
  ])
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as OtlpBody)
    .flatMap(({ resourceSpans }) => resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map(viewOf)
}

function viewOf(span: OtlpSpan): SpanView {
  const attributes = recordOf(span.attributes)
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    name: span.name,
    node: textOf(attributes['ai.toolCall.name'] ?? attributes['ai.telemetry.functionId']),
    attributes,
    // What agent-reach raised is its verdict, not what the agent recorded.
    failed: span.status.code === STATUS_ERROR && attributes['agent_reach.status.set'] !== true,
    exceptionTypes: span.events
      .filter(({ name }) => name === 'exception')
      .map((event) => recordOf(event.attributes)['exception.type']),
    milliseconds: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
  }
}

function recordOf(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]))
}

function valueOf({ stringValue, intValue, boolValue, arrayValue }: OtlpValue): unknown {
  return stringValue ?? intValue ?? boolValue ?? arrayValue?.values.map(valueOf)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function spansOf(run: string): readonly SpanView[] {
  return spansByRun.get(run) ?? []
}

function rootOf(spans: readonly SpanView[]): SpanView {
  const root = spans.find(({ name }) => name === 'invoke_agent support-agent')
  if (!root) throw new Error('no agent span')
  return root
}

function toolCalls(spans: readonly SpanView[], tool?: string): readonly SpanView[] {
  return spans.filter(({ name, node }) => name === 'ai.toolCall' && (tool === undefined || node === tool))
}

function modelCalls(spans: readonly SpanView[], node: string): readonly SpanView[] {
  return spans.filter((span) => span.name.endsWith('.doGenerate') && span.node === node)
}

function orderResult(spans: readonly SpanView[]): Record<string, unknown> | undefined {
  const result = toolCalls(spans, 'order_query')[0]?.attributes['ai.toolCall.result']
  return result === undefined ? undefined : (json(result) as Record<string, unknown>)
}

function resultText(attributes: SpanView['attributes']): string {
  return textOf(attributes['ai.toolCall.result']) ?? 'null'
}

function distinct(spans: readonly SpanView[], part: 'args' | 'result'): number {
  return new Set(spans.map(({ attributes }) => attributes[`ai.toolCall.${part}`])).size
}

/** Whether the result fits the definition recorded beside it; a call without a result has nothing to fit. */
function fitsContract({ node, attributes }: SpanView): boolean {
  const [definition] = json(attributes['gen_ai.tool.definitions']) as {
    name: string
    parameters: object
    outputSchema: object
  }[]
  if (!definition || definition.name !== node) return false
  const result = attributes['ai.toolCall.result']
  return (
    fits(definition.parameters, attributes['ai.toolCall.args']) &&
    (result === undefined || fits(definition.outputSchema, result))
  )
}

function fits(schema: object, text: unknown): boolean {
  return new Ajv2020().validate(schema, json(text))
}

function json(text: unknown): unknown {
  return JSON.parse(String(text))
}
