import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { MockLanguageModelV3 } from 'ai/test'

/**
 * @typedef {import('@ai-sdk/provider').LanguageModelV3CallOptions} Call
 * @typedef {import('@ai-sdk/provider').LanguageModelV3Content} Content
 * @typedef {import('@ai-sdk/provider').LanguageModelV3ToolResultPart} ToolResult
 */

const CHARACTERS_PER_TOKEN = 4

const ORDER_ID = /\bORD-\d+\b/g

/** Words of a question that are no search terms. */
const FILLER = new Set(
  (
    'about also and are can could did does for from has have how into long please still take than that the ' +
    'their them there this was what when where which will with would you your order'
  ).split(' '),
)

/**
 * A small deterministic model behind the AI SDK's mock: no network, no dice. It decides from the call it is
 * given, as a model does: asked for JSON it routes, given tools it researches, else it writes. Everything
 * it says comes from its prompt.
 *
 * @param {object} [options]
 * @param {number} [options.searches] how often it searches before it believes a result
 */
export function createModel({ searches = 1 } = {}) {
  return new MockLanguageModelV3({
    provider: 'openai',
    modelId: 'gpt-4o-mini',
    doGenerate: async (call) => {
      const { content, cut } = withinLimit(decide(call, searches), call.maxOutputTokens)
      const usage = usageOf(call, content)
      // A pace that lets the steps be told apart by time and keeps a run below a second.
      await delay(10 + usage.outputTokens.total / 2, undefined, { signal: call.abortSignal })
      return {
        content: [content],
        finishReason: finishReason(content, cut),
        usage,
        warnings: [],
        response: { id: `chatcmpl-${randomUUID()}`, timestamp: new Date() },
      }
    },
  })
}

/**
 * @param {Call} call
 * @param {number} searches
 * @returns {Content}
 */
function decide(call, searches) {
  const system = call.prompt.find((message) => message.role === 'system')?.content ?? ''
  const text = userText(call)
  if (call.responseFormat?.type === 'json') return { type: 'text', text: route(text) }
  if (call.tools?.length) return research(call, text, searches)
  return { type: 'text', text: /summar/i.test(system) ? summarize(text) : format(text) }
}

/** @param {string} question */
function route(question) {
  const [orderId = null] = question.match(ORDER_ID) ?? []
  const wantsReturn = /\b(?:return|refund|send back)/i.test(question)
  const intent = wantsReturn ? 'return' : orderId ? 'order_status' : 'policy_question'
  return JSON.stringify({ intent, order_id: orderId })
}

/**
 * Looks up every order of the question, then the policies, then writes down what the tools said.
 * @param {Call} call
 * @param {string} text
 * @param {number} searches
 * @returns {Content}
 */
function research(call, text, searches) {
  const calls = parts(call, 'assistant', 'tool-call')
  const asked = new Set(calls.map(({ input }) => /** @type {{ order_id?: string }} */ (input).order_id))
  const open = (text.match(ORDER_ID) ?? []).find((id) => !asked.has(id))
  if (open) return toolCall('order_query', { order_id: open })

  const query = searchTerms(field(text, 'Question'))
  const searched = calls.filter(({ toolName }) => toolName === 'policy_search').length
  if (query && searched < searches) return toolCall('policy_search', { query })

  return { type: 'text', text: notes(parts(call, 'tool', 'tool-result')) }
}

/** @param {ToolResult[]} results */
function notes(results) {
  return [...new Set(results.flatMap(noteLines))].join('\n')
}

/**
 * @param {ToolResult} result
 * @returns {string[]}
 */
function noteLines({ toolName, output }) {
  if (output.type === 'error-text') return [`Open: ${toolName} gave no answer (${output.value})`]
  if (output.type !== 'json') return []
  const value = /** @type {Record<string, any>} */ (output.value)
  if (toolName === 'order_query') return [orderNote(value)]
  return value.passages.map((/** @type {any} */ { title, text }) => `Policy ${title}: ${text}`)
}

/** @param {Record<string, any>} order */
function orderNote({ order_id, status, items, total, error }) {
  if (error) return `Open: ${order_id} ${error}`
  const list = items.map((/** @type {any} */ { name, quantity }) => `${quantity} x ${name}`).join(', ')
  return `Order ${order_id}: status ${status ?? '-'}; items ${list || '-'}; total ${total.toFixed(2)}`
}

/**
 * Turns the notes of the research into sentences.
 * @param {string} text
 */
function summarize(text) {
  const sentences = text.split('\n').map((line) => {
    const order = line.match(/^Order (\S+): status (.+); items (.+); total (.+)$/)
    if (order) return orderSentence(order)
    const policy = line.match(/^Policy (.+?): (.+)$/)
    if (policy) return `${policy[1]}: ${policy[2]}`
    return line.startsWith('Open: ') ? `I could not look everything up: ${line.slice(6)}.` : ''
  })
  return sentences.filter(Boolean).join(' ') || 'I have found nothing about this.'
}

/** @param {string[]} match */
function orderSentence([, id, status, items, total]) {
  const goods = items === '-' ? '' : ` with ${items}`
  const state = status === '-' ? 'is in our books' : `is ${status}`
  return `Your order ${id}${goods} for ${total} in total ${state}.`
}

/** @param {string} summary */
function format(summary) {
  return `Hello,\n\n${summary}\n\nKind regards\nCustomer service`
}

/**
 * @param {string} toolName
 * @param {Record<string, string>} input
 * @returns {Content}
 */
function toolCall(toolName, input) {
  return {
    type: 'tool-call',
    toolCallId: `call_${randomUUID().slice(0, 8)}`,
    toolName,
    input: JSON.stringify(input),
  }
}

/** @param {string} question */
function searchTerms(question) {
  const words =
    question
      .replace(ORDER_ID, ' ')
      .toLowerCase()
      .match(/[a-z]{3,}/g) ?? []
  return words.filter((word) => !FILLER.has(word)).join(' ')
}

/** @param {Call} call */
function userText(call) {
  return parts(call, 'user', 'text')
    .map(({ text }) => text)
    .join('\n')
}

/**
 * @param {string} text
 * @param {string} name
 */
function field(text, name) {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name}: `))
  return line?.slice(name.length + 2) ?? text
}

/**
 * All message parts of a type from the messages of a role.
 * @param {Call} call
 * @param {string} role
 * @param {string} type
 * @returns {any[]}
 */
function parts({ prompt }, role, type) {
  return prompt
    .filter((message) => message.role === role)
    .flatMap(({ content }) => (typeof content === 'string' ? [] : /** @type {any[]} */ (content)))
    .filter((part) => part.type === type)
}

/**
 * Stops in mid sentence where the call allows no more tokens.
 * @param {Content} content
 * @param {number} [maxOutputTokens]
 */
function withinLimit(content, maxOutputTokens = Infinity) {
  const limit = maxOutputTokens * CHARACTERS_PER_TOKEN
  if (content.type !== 'text' || content.text.length <= limit) return { content, cut: false }
  return { content: { ...content, text: content.text.slice(0, limit) }, cut: true }
}

/**
 * @param {Content} content
 * @param {boolean} cut
 * @returns {import('@ai-sdk/provider').LanguageModelV3FinishReason}
 */
function finishReason(content, cut) {
  if (content.type === 'tool-call') return { unified: 'tool-calls', raw: 'tool_calls' }
  return cut ? { unified: 'length', raw: 'length' } : { unified: 'stop', raw: 'stop' }
}

/**
 * @param {Call} call
 * @param {Content} content
 */
function usageOf({ prompt, tools }, content) {
  const input = tokens(JSON.stringify([prompt, tools ?? []]))
  const output = tokens(content.type === 'text' ? content.text : JSON.stringify(content))
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: 0 },
  }
}

/** @param {string} text */
function tokens(text) {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}
