// Traces made from a seed: the same seed gives the same spans, and what their report has to say of them.
import { createHash } from 'node:crypto'

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
export function createRandom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const digest = (text, length) => createHash('sha256').update(text).digest('hex').slice(0, length)

/** The name of the only chain of a trace. */
export const toChainName = (traceId) => `${traceId}-${digest(traceId, 8)}`

const EPOCH_MS = 1_764_460_800_000
const TOOLS = ['order_query', 'policy_search', 'refund', 'format_reply']

/**
 * Makes one trace: an agent that calls a model and a tool in turn. Some tools throw.
 *
 * @returns its spans, and what is expected of its report
 */
export function makeTrace(seed, number) {
  const random = createRandom(Number.parseInt(digest(`${seed}/${number}`, 8), 16))
  const traceId = digest(`trace ${seed}/${number}`, 32)
  const idOf = (name) => digest(`${traceId} ${name}`, 16)
  const turns = 1 + Math.floor(random() * 6)
  const startMs = EPOCH_MS + number * 10
  const spans = []
  const expected = {
    span_count: 0,
    step_count: 0,
    model_calls: turns,
    tool_calls: 0,
    token_count: 0,
    failing: null,
  }
  let atMs = startMs + 1
  for (let turn = 0; turn < turns; turn++) {
    const input = 10 + Math.floor(random() * 1_000)
    const output = 1 + Math.floor(random() * 100)
    const tool = TOOLS[Math.floor(random() * TOOLS.length)]
    const isLast = turn === turns - 1
    const call = {
      type: 'tool_call',
      id: `call ${turn}`,
      name: tool,
      arguments: { number: turn, text: 'ä'.repeat(turn) },
    }
    const parts = isLast ? [{ type: 'text', content: 'Done.' }] : [call]
    spans.push({
      name: 'chat',
      spanId: idOf(`model ${turn}`),
      startMs: atMs,
      endMs: atMs + 20,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.usage.input_tokens': input,
        'gen_ai.usage.output_tokens': output,
        'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts }]),
      },
    })
    expected.token_count += input + output
    atMs += 25
    if (isLast) break
    const fails = random() < 0.1
    spans.push({
      name: `execute_tool ${tool}`,
      spanId: idOf(`tool ${turn}`),
      startMs: atMs,
      endMs: atMs + 5,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
        'gen_ai.tool.call.id': `call ${turn}`,
        'gen_ai.tool.call.arguments': JSON.stringify(call.arguments),
        ...(fails
          ? {}
          : { 'gen_ai.tool.call.result': JSON.stringify({ found: turn, note: '结果'.repeat(1 + turn) }) }),
      },
      ...(fails ? { error: { type: 'RangeError', message: `tool ${turn} broke` } } : {}),
    })
    expected.tool_calls++
    if (fails) expected.failing ??= tool
    atMs += 10
  }
  const root = {
    name: 'invoke_agent soak',
    spanId: idOf('root'),
    startMs,
    endMs: atMs + 1,
    attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'soak' },
  }
  spans.push(root)
  expected.span_count = spans.length
  expected.step_count = spans.length
  return {
    traceId,
    expected,
    spans: spans.map((span) => ({ ...span, traceId, parentSpanId: span === root ? null : root.spanId })),
  }
}

/** What is wrong with a report; empty where nothing is. */
export function compareReport(report, { traceId, expected }) {
  const wrong = []
  const expect = (field, found, wanted) => {
    if (found !== wanted) wrong.push(`${traceId} ${field}: expected ${wanted}, found ${found}`)
  }
  for (const field of ['span_count', 'step_count', 'model_calls', 'tool_calls', 'token_count']) {
    expect(field, report[field], expected[field])
  }
  expect('overall_status', report.overall_status, expected.failing === null ? 'success' : 'partial_failed')
  expect('root_cause', report.root_cause?.node_name ?? null, expected.failing)
  expect('steps', new Set(report.steps.map((step) => step.span_id)).size, expected.span_count)
  return wrong
}
