// Writes a file of agent traces as the Collector's file exporter does: one export request a line, spans in the order
// in which they ended, a trace spread over several lines. The workload is deterministic: per trace 1 root, 13 model
// calls (prompts of 2 to 20 KB), 18 tool calls (arguments 0.1 to 2 KB, results 0.2 to 50 KB), 8 plain spans; sizes
// are log-uniform, 3 texts in 10 hold characters beyond Latin-1, dialects take turns.
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { hex, logUniform, rows, seeded, text } from './agent-workload.mjs'

/** How each instrumentation says the same. */
export const dialects = {
  genAi: {
    model: (prompt, answer) => ({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.provider.name': 'openai',
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: prompt }] }]),
      'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: answer, finish_reason: 'stop' }]),
    }),
    tool: (name, id, args, result) => ({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': id,
      'gen_ai.tool.call.arguments': JSON.stringify(args),
      'gen_ai.tool.call.result': JSON.stringify(result),
    }),
    usage: (input, output) => ({ 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output }),
  },
  aiSdk: {
    model: (prompt, answer) => ({
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.model.id': 'gpt-4o-mini',
      'ai.model.provider': 'openai.chat',
      'ai.prompt.messages': JSON.stringify([{ role: 'user', content: [{ type: 'text', text: prompt }] }]),
      'ai.response.finishReason': 'stop',
      ...(answer[0].type === 'text'
        ? { 'ai.response.text': answer[0].content }
        : {
            'ai.response.toolCalls': JSON.stringify(
              answer.map((call) => ({
                toolCallId: call.id,
                toolName: call.name,
                input: JSON.stringify(call.arguments),
              })),
            ),
          }),
    }),
    tool: (name, id, args, result) => ({
      'ai.operationId': 'ai.toolCall',
      'ai.toolCall.name': name,
      'ai.toolCall.id': id,
      'ai.toolCall.args': JSON.stringify(args),
      'ai.toolCall.result': JSON.stringify(result),
    }),
    usage: (input, output) => ({ 'ai.usage.inputTokens': input, 'ai.usage.outputTokens': output }),
  },
  openinference: {
    model: (prompt, answer) => ({
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'gpt-4o-mini',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': prompt,
      'llm.output_messages.0.message.role': 'assistant',
      ...(answer[0].type === 'text'
        ? { 'llm.output_messages.0.message.content': answer[0].content }
        : {
            'llm.output_messages.0.message.tool_calls.0.tool_call.id': answer[0].id,
            'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': answer[0].name,
            'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': JSON.stringify(
              answer[0].arguments,
            ),
          }),
    }),
    tool: (name, id, args, result) => ({
      'openinference.span.kind': 'TOOL',
      'tool.name': name,
      'tool.id': id,
      'input.value': JSON.stringify(args),
      'output.value': JSON.stringify(result),
      'output.mime_type': 'application/json',
    }),
    usage: (input, output) => ({ 'llm.token_count.prompt': input, 'llm.token_count.completion': output }),
  },
}

function encode(attributes) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))
}

/** The spans of one trace, as OTLP/JSON has them, in the order in which they end; the root is the last. */
export function traceSpans(random, dialect, startMs) {
  const traceId = hex(random, 32)
  const root = hex(random, 16)
  let now = startMs
  const spans = []
  const push = (name, attributes, kind = 1) => {
    const start = now
    now += 1 + Math.floor(random() * 40)
    spans.push({
      traceId,
      spanId: hex(random, 16),
      parentSpanId: root,
      name,
      kind,
      startTimeUnixNano: `${start}000000`,
      endTimeUnixNano: `${now}000000`,
      attributes: encode(attributes),
      status: {},
    })
  }
  let tools = 18
  for (let n = 0; n < 13; n++) {
    const call = { type: 'tool_call', id: `call_${hex(random, 8)}`, name: `tool_${n % 5}`, arguments: {} }
    call.arguments = { order_id: hex(random, 8), note: text(random, logUniform(random, 60, 1_900)) }
    const answer = n === 12 ? [{ type: 'text', content: text(random, 400) }] : [call]
    const prompt = text(random, logUniform(random, 2_000, 20_000))
    push('chat', { ...dialect.model(prompt, answer), ...dialect.usage(Math.ceil(prompt.length / 4), 90) }, 3)
    const calls = n === 12 ? 0 : Math.min(n < 6 ? 2 : 1, tools)
    tools -= calls
    for (let t = 0; t < calls; t++) {
      const id = t === 0 ? call.id : `call_${hex(random, 8)}`
      const args = t === 0 ? call.arguments : { order_id: hex(random, 8) }
      push('tool', dialect.tool(call.name, id, args, rows(random, logUniform(random, 200, 50_000))))
    }
    if (n < 8) push('GET', { 'http.request.method': 'GET', 'url.full': 'http://store.internal/orders' }, 3)
  }
  const own = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'support' }
  spans.push({
    traceId,
    spanId: root,
    name: 'invoke_agent support',
    kind: 1,
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${now + 1}000000`,
    attributes: encode(own),
    status: {},
  })
  return spans
}

/**
 * Writes at least `bytes` bytes of traces.
 *
 * @param {string} path
 * @param {number} bytes
 * @returns {Promise<{bytes: number, traces: number, spans: number, lines: number}>}
 */
export async function writeAgentTraces(path, bytes) {
  const random = seeded(7)
  const out = createWriteStream(path)
  const resource = { attributes: encode({ 'service.name': 'bench', 'service.version': '1.0.0' }) }
  const written = { bytes: 0, traces: 0, spans: 0, lines: 0 }
  const kinds = Object.values(dialects)
  while (written.bytes < bytes) {
    const spans = traceSpans(
      random,
      kinds[written.traces % kinds.length],
      1_764_460_800_000 + written.traces * 1_000,
    )
    written.traces++
    written.spans += spans.length
    for (let at = 0; at < spans.length; at += 10) {
      const scopeSpans = [{ scope: { name: 'bench' }, spans: spans.slice(at, at + 10) }]
      const line = `${JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })}\n`
      written.bytes += Buffer.byteLength(line)
      written.lines++
      if (!out.write(line)) await once(out, 'drain')
    }
  }
  out.end()
  await once(out, 'finish')
  return written
}
