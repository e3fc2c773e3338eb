// Traces for the benchmark of the fold: an agent with 13 model calls, 18 tool calls and 8 plain spans below it, as spans
// that an SDK hands over when they end. Ids, responses and arguments are new in each, so that no call repeats another.

const STARTED_MS = 1_796_000_000_000

const hex = (number, digits) => number.toString(16).padStart(digits, '0')

/** Nanoseconds that a clock in whole milliseconds does not have. */
const ODD_NS = 137

const toHrTime = (ms, ns = 0) => [Math.floor(ms / 1_000), (ms % 1_000) * 1e6 + ns]

const chat = (id) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-4o-mini',
  'gen_ai.provider.name': 'openai',
  'gen_ai.response.id': id,
  'gen_ai.usage.input_tokens': 500,
  'gen_ai.usage.output_tokens': 60,
  'gen_ai.output.messages': JSON.stringify([
    { role: 'assistant', parts: [{ type: 'text', content: 'hello there' }], finish_reason: 'stop' },
  ]),
})

const callTool = (n) => ({
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': `tool${n % 5}`,
  'gen_ai.tool.call.id': `c${n}`,
  'gen_ai.tool.call.arguments': JSON.stringify({ order_id: n }),
  'gen_ai.tool.call.result': '{"a":1}',
})

const runAgent = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 's' }

/** What happens below the agent, one after another: name, attributes, milliseconds. */
const listSteps = (trace) => [
  ...Array.from({ length: 13 }, (_, n) => ['chat', chat(`r${trace}-${n}`), 10]),
  ...Array.from({ length: 18 }, (_, n) => ['execute_tool', callTool(n), 5]),
  ...Array.from({ length: 8 }, () => ['GET', { 'http.request.method': 'GET' }, 1]),
]

function createTrace(trace) {
  const traceId = hex(trace + 1, 32)
  let sequence = 0
  const createSpan = (id, name, attributes, [startMs, endMs]) => ({
    name,
    spanContext: () => ({ traceId, spanId: hex(trace * 1_000 + id, 16) }),
    parentSpanContext: id === 1 ? undefined : { spanId: hex(trace * 1_000 + 1, 16) },
    startTime: toHrTime(startMs),
    endTime: toHrTime(endMs, ODD_NS),
    status: { code: 0 },
    attributes: { ...attributes, 'agent_reach.step.sequence': ++sequence },
    events: [],
    resource: { attributes: { 'service.name': 'bench' } },
  })
  let now = STARTED_MS
  const children = listSteps(trace).map(([name, attributes, ms], n) => {
    now += ms
    return createSpan(n + 2, name, attributes, [now - ms, now])
  })
  return [...children, createSpan(1, 'agent', runAgent, [STARTED_MS, now])]
}

/** So many traces of 40 spans, each in the order in which its spans end. */
export function createFoldTraces(count) {
  return Array.from({ length: count }, (_, trace) => createTrace(trace))
}
