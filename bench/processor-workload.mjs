// Agent traces as instrumentations make them through a tracer: which attributes a span gets at its start and which when
// the answer is there. A trace has 40 spans: 1 root, 13 model calls (prompts of 2 to 20 KB), 18 tool calls (arguments
// 0.1 to 2 KB, results 0.2 to 50 KB), 8 plain spans below tools; sizes are log-uniform, 3 texts in 10 hold characters
// beyond Latin-1, and no two texts are equal.
import { hex, logUniform, rows, seeded, text } from './agent-workload.mjs'

const MODEL_CALLS = 13
const PLAIN_SPANS = 8

/** OpenTelemetry's `SpanKind`. */
const INTERNAL = 0
const CLIENT = 2

const MODEL = 'gpt-4o-mini'
const ANSWERED_BY = 'gpt-4o-mini-2024-07-18'

/** A prompt of four messages that are `size` characters together. */
function toMessages(random, size) {
  const isWide = random() < 0.3
  const part = Math.ceil(size / 4)
  return ['system', 'user', 'assistant', 'user'].map((role) => ({
    role,
    content: text(random, part, isWide),
  }))
}

const toChatMessage = ({ role, content }) => ({ role, parts: [{ type: 'text', content }] })

/** As `@opentelemetry/instrumentation-openai` and agent frameworks write the GenAI conventions. */
const genAi = {
  root: ({ id, question, answer }) => ({
    name: 'invoke_agent support',
    start: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'openai',
      'gen_ai.agent.name': 'support',
      'gen_ai.conversation.id': id,
      'gen_ai.input.messages': JSON.stringify([toChatMessage({ role: 'user', content: question })]),
    },
    end: {
      'gen_ai.output.messages': JSON.stringify([
        { ...toChatMessage({ role: 'assistant', content: answer }), finish_reason: 'stop' },
      ]),
    },
  }),
  model: ({ id, messages, calls, answer, usage }) => ({
    name: `chat ${MODEL}`,
    start: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': MODEL,
      'gen_ai.request.temperature': 0.2,
      'gen_ai.request.max_tokens': 1_024,
      'server.address': 'api.openai.com',
      'server.port': 443,
      'gen_ai.input.messages': JSON.stringify(messages.map(toChatMessage)),
    },
    end: {
      'gen_ai.output.messages': JSON.stringify([
        {
          role: 'assistant',
          parts: answer === null ? calls.map(toGenAiCall) : [{ type: 'text', content: answer }],
          finish_reason: answer === null ? 'tool_call' : 'stop',
        },
      ]),
      'gen_ai.response.finish_reasons': [answer === null ? 'tool_calls' : 'stop'],
      'gen_ai.response.id': id,
      'gen_ai.response.model': ANSWERED_BY,
      'gen_ai.usage.input_tokens': usage.input,
      'gen_ai.usage.output_tokens': usage.output,
    },
  }),
  tool: ({ id, name, input, output }) => ({
    name: `execute_tool ${name}`,
    start: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': id,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.arguments': JSON.stringify(input),
    },
    end: { 'gen_ai.tool.call.result': JSON.stringify(output) },
  }),
}

const toGenAiCall = ({ id, name, input }) => ({ type: 'tool_call', id, name, arguments: input })

const aiSdkBase = (operation) => ({
  'operation.name': `${operation} support`,
  'resource.name': 'support',
  'ai.operationId': operation,
  'ai.telemetry.functionId': 'support',
})

const aiSdkModel = {
  'ai.model.provider': 'openai.chat',
  'ai.model.id': MODEL,
  'ai.settings.maxOutputTokens': 1_024,
  'ai.settings.temperature': 0.2,
  'ai.settings.maxRetries': 2,
  'ai.request.headers.user-agent': 'ai/6.0.326',
}

const aiSdkUsage = ({ input, output }) => ({
  'ai.usage.inputTokens': input,
  'ai.usage.inputTokenDetails.noCacheTokens': input,
  'ai.usage.inputTokenDetails.cacheReadTokens': 0,
  'ai.usage.outputTokens': output,
  'ai.usage.outputTokenDetails.textTokens': output,
  'ai.usage.outputTokenDetails.reasoningTokens': 0,
  'ai.usage.totalTokens': input + output,
  'ai.usage.reasoningTokens': 0,
  'ai.usage.cachedInputTokens': 0,
})

/** As `ai` 6 writes its spans. */
const aiSdk = {
  root: ({ question, answer, usage }) => ({
    name: 'ai.generateText',
    start: {
      ...aiSdkBase('ai.generateText'),
      ...aiSdkModel,
      'ai.prompt': JSON.stringify({ messages: [{ role: 'user', content: question }] }),
    },
    end: { 'ai.response.finishReason': 'stop', 'ai.response.text': answer, ...aiSdkUsage(usage) },
  }),
  model: ({ id, messages, calls, answer, usage }) => ({
    name: 'ai.generateText.doGenerate',
    start: {
      ...aiSdkBase('ai.generateText.doGenerate'),
      ...aiSdkModel,
      'ai.prompt.messages': JSON.stringify(
        messages.map(({ role, content }) => ({ role, content: [{ type: 'text', text: content }] })),
      ),
      'ai.prompt.toolChoice': '{"type":"auto"}',
      'gen_ai.system': 'openai.chat',
      'gen_ai.request.model': MODEL,
      'gen_ai.request.max_tokens': 1_024,
      'gen_ai.request.temperature': 0.2,
    },
    end: {
      'ai.response.finishReason': answer === null ? 'tool-calls' : 'stop',
      ...(answer === null
        ? {
            'ai.response.toolCalls': JSON.stringify(
              calls.map(({ id: toolCallId, name, input }) => ({ toolCallId, toolName: name, input })),
            ),
          }
        : { 'ai.response.text': answer }),
      'ai.response.id': id,
      'ai.response.model': ANSWERED_BY,
      'ai.response.timestamp': '2026-11-30T12:00:00.000Z',
      'ai.response.providerMetadata': '{"openai":{}}',
      ...aiSdkUsage(usage),
      'gen_ai.response.finish_reasons': [answer === null ? 'tool-calls' : 'stop'],
      'gen_ai.response.id': id,
      'gen_ai.response.model': ANSWERED_BY,
      'gen_ai.usage.input_tokens': usage.input,
      'gen_ai.usage.output_tokens': usage.output,
    },
  }),
  tool: ({ id, name, input, output }) => ({
    name: 'ai.toolCall',
    start: {
      ...aiSdkBase('ai.toolCall'),
      'ai.toolCall.name': name,
      'ai.toolCall.id': id,
      'ai.toolCall.args': JSON.stringify(input),
    },
    end: { 'ai.toolCall.result': JSON.stringify(output) },
  }),
}

const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain'

const toOpenAiCall = ({ id, name, input }) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
})

/** As `@arizeai/openinference-instrumentation-openai` does: a prompt is recorded twice, whole and message by message. */
const openinference = {
  root: ({ id, question, answer }) => ({
    name: 'support',
    start: {
      'openinference.span.kind': 'AGENT',
      'agent.name': 'support',
      'session.id': id,
      'input.value': question,
      'input.mime_type': TEXT_TYPE,
    },
    end: { 'output.value': answer, 'output.mime_type': TEXT_TYPE },
  }),
  model: ({ id, messages, calls, answer, usage }) => ({
    name: 'OpenAI Chat Completions',
    start: {
      'openinference.span.kind': 'LLM',
      'llm.model_name': MODEL,
      'input.value': JSON.stringify({ model: MODEL, messages }),
      'input.mime_type': JSON_TYPE,
      'llm.invocation_parameters': '{"model":"gpt-4o-mini","temperature":0.2,"max_tokens":1024}',
      'llm.system': 'openai',
      'llm.provider': 'openai',
      ...Object.fromEntries(
        messages.flatMap(({ role, content }, at) => [
          [`llm.input_messages.${at}.message.role`, role],
          [`llm.input_messages.${at}.message.content`, content],
        ]),
      ),
    },
    end: {
      'output.value': JSON.stringify({
        id,
        object: 'chat.completion',
        model: ANSWERED_BY,
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: answer,
              ...(answer === null && { tool_calls: calls.map(toOpenAiCall) }),
            },
            finish_reason: answer === null ? 'tool_calls' : 'stop',
          },
        ],
        usage: { prompt_tokens: usage.input, completion_tokens: usage.output },
      }),
      'output.mime_type': JSON_TYPE,
      'llm.model_name': ANSWERED_BY,
      'llm.output_messages.0.message.role': 'assistant',
      ...(answer !== null && { 'llm.output_messages.0.message.content': answer }),
      ...(answer === null && Object.fromEntries(calls.flatMap(toFlatCall))),
      'llm.token_count.prompt': usage.input,
      'llm.token_count.completion': usage.output,
      'llm.token_count.total': usage.input + usage.output,
    },
  }),
  tool: ({ id, name, input, output }) => ({
    name,
    start: {
      'openinference.span.kind': 'TOOL',
      'tool.name': name,
      'tool.id': id,
      'input.value': JSON.stringify(input),
      'input.mime_type': JSON_TYPE,
    },
    end: { 'output.value': JSON.stringify(output), 'output.mime_type': JSON_TYPE },
  }),
}

function toFlatCall({ id, name, input }, at) {
  const place = `llm.output_messages.0.message.tool_calls.${at}.tool_call`
  return [
    [`${place}.id`, id],
    [`${place}.function.name`, name],
    [`${place}.function.arguments`, JSON.stringify(input)],
  ]
}

const tables = { 'gen-ai': genAi, 'ai-sdk': aiSdk, openinference }

/** The dialects that there are traces of. */
export const dialects = Object.keys(tables)

const plain = (random) => ({
  name: 'GET',
  kind: CLIENT,
  start: { 'http.request.method': 'GET', 'url.full': `http://store.internal/orders/${hex(random, 8)}` },
  end: { 'http.response.status_code': 200 },
  inner: [],
})

/**
 * Strings that are built piece by piece stay in pieces until somebody reads them; those of a program come whole, from a
 * parser or a socket. Whoever reads first would pay for that otherwise.
 */
const whole = (attributes) => JSON.parse(JSON.stringify(attributes))

function toSpan(kind, { name, start, end }, inner = []) {
  return { name, kind, start: whole(start), end: whole(end), inner }
}

function toCall(random, name) {
  const input = { order_id: hex(random, 8), note: text(random, logUniform(random, 60, 1_900)) }
  const output = rows(random, logUniform(random, 200, 50_000), random() < 0.3)
  return { id: `call_${hex(random, 8)}`, name, input, output }
}

/** What happens in one run, before any dialect: 13 turns, the last of which answers. */
function toRun(random) {
  const turns = Array.from({ length: MODEL_CALLS }, (_, n) => {
    const isLast = n === MODEL_CALLS - 1
    const size = logUniform(random, 2_000, 20_000)
    return {
      id: `chatcmpl-${hex(random, 16)}`,
      messages: toMessages(random, size),
      answer: isLast ? text(random, 400) : null,
      calls: isLast
        ? []
        : Array.from({ length: n < 6 ? 2 : 1 }, (__, t) => toCall(random, `tool_${(n + t) % 5}`)),
      usage: { input: Math.ceil(size / 4), output: 90 },
    }
  })
  const usage = { input: turns.reduce((sum, turn) => sum + turn.usage.input, 0), output: 90 * MODEL_CALLS }
  return { id: hex(random, 16), question: text(random, 200), answer: turns.at(-1).answer, turns, usage }
}

function toTrace(random, table) {
  const run = toRun(random)
  let plainSpans = PLAIN_SPANS
  const inner = run.turns.flatMap((turn) => [
    toSpan(CLIENT, table.model(turn)),
    ...turn.calls.map((call) => toSpan(INTERNAL, table.tool(call), plainSpans-- > 0 ? [plain(random)] : [])),
  ])
  return toSpan(INTERNAL, table.root(run), inner)
}

/**
 * Makes the roots of so many traces of a dialect, each with the spans below it.
 *
 * @param {string} dialect one of `dialects`
 * @param {number} count
 */
export function createTraces(dialect, count) {
  const random = seeded(7)
  return Array.from({ length: count }, () => toTrace(random, tables[dialect]))
}

/**
 * Makes spans with `size` characters of content each: tool calls with such a result, and model calls with such a prompt.
 *
 * @param {string} dialect one of `dialects`
 */
export function createLargeSpans(dialect, size, count) {
  const random = seeded(11)
  const table = tables[dialect]
  const tools = Array.from({ length: count }, () =>
    toSpan(INTERNAL, table.tool({ ...toCall(random, 'tool_0'), output: rows(random, size, random() < 0.3) })),
  )
  const models = Array.from({ length: count }, () => {
    const { id, calls, answer, usage } = toRun(random).turns[0]
    return toSpan(CLIENT, table.model({ id, calls, answer, usage, messages: toMessages(random, size) }))
  })
  return { tools, models }
}
