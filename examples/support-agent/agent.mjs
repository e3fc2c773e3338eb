import { SpanStatusCode, trace } from '@opentelemetry/api'
import { generateObject, generateText, stepCountIs } from 'ai'
import { z } from 'zod'
import { settingsFor } from './faults.mjs'
import { createModel } from './model.mjs'
import { withPhase } from './phase.mjs'
import { createTools } from './tools.mjs'

/**
 * @typedef {object} Task
 * @property {string} id the caller's own id of the task
 * @property {string} question what the customer asks
 * @property {string} [conversationId] default: made from the id
 */

/**
 * What the four model calls of a run share.
 * @typedef {object} Run
 * @property {Task} task what to answer
 * @property {import('./faults.mjs').Settings} settings what is broken
 * @property {import('ai').LanguageModel} model answers all calls
 * @property {(functionId: string) => import('ai').TelemetrySettings} telemetry names a call's spans
 */

/** What the customer asks unless told otherwise. */
export const DEFAULT_QUESTION = 'Where is my order ORD-1007, and can I still return the desk lamp?'

const routing = z.object({
  intent: z.enum(['order_status', 'return', 'policy_question']),
  order_id: z.string().nullable(),
})

/**
 * Answers one customer question. All spans of the run are below one `invoke_agent` span.
 *
 * @param {object} options
 * @param {Task} options.task
 * @param {string | undefined} [options.fault] a name from `faults.mjs`; nothing is broken without
 * @param {boolean} [options.recordContent] whether spans carry prompts, answers, arguments and results; default: true
 * @param {import('@opentelemetry/api').Tracer} [options.tracer] makes all spans of the run; default: the
 *   global tracers of this agent and of the AI SDK
 * @returns {Promise<{ answer: string, traceId: string }>}
 */
export async function runSupportAgent({ task, fault, recordContent = true, tracer }) {
  const settings = settingsFor(fault)
  /** @type {Run} */
  const run = {
    task,
    settings,
    model: createModel({ searches: settings.searches }),
    telemetry: (functionId) => ({
      isEnabled: true,
      functionId,
      recordInputs: recordContent,
      recordOutputs: recordContent,
      ...(tracer && { tracer }),
    }),
  }
  const ownTracer = tracer ?? trace.getTracer('support-agent')
  return ownTracer.startActiveSpan(
    'invoke_agent support-agent',
    { attributes: rootAttributes(task, recordContent) },
    async (span) => {
      try {
        const answer = await answerQuestion(run)
        if (recordContent) span.setAttribute('gen_ai.output.messages', messages('assistant', answer, 'stop'))
        return { answer, traceId: span.spanContext().traceId }
      } catch (error) {
        fail(span, error)
        throw error
      } finally {
        span.end()
      }
    },
  )
}

/** @param {Run} run */
async function answerQuestion(run) {
  const { intent } = await withPhase('planning', () => routeIntent(run))
  const notes = await withPhase('executing', () => research(run, intent))
  return withPhase('summarizing', async () => formatReply(run, await summarize(run, notes)))
}

/** @param {Run} run */
async function routeIntent({ model, task, telemetry }) {
  const { object } = await generateObject({
    model,
    schema: routing,
    system: 'Find out what the customer wants.',
    prompt: task.question,
    experimental_telemetry: telemetry('intent_router'),
  })
  return object
}

/**
 * @param {Run} run
 * @param {string} intent
 */
async function research({ model, task, settings, telemetry }, intent) {
  const { text } = await generateText({
    model,
    system: 'Collect what is needed to answer the customer. Use the tools and note what they say.',
    prompt: `Question: ${task.question}\nIntent: ${intent}`,
    tools: createTools(settings.store),
    stopWhen: stepCountIs(10),
    experimental_telemetry: telemetry('researcher'),
  })
  return text
}

/**
 * @param {Run} run
 * @param {string} notes
 */
async function summarize({ model, task, settings, telemetry }, notes) {
  const { text } = await generateText({
    model,
    system: 'Summarize the notes for the customer in a few sentences.',
    prompt: `Question: ${task.question}\nNotes:\n${notes}`,
    maxOutputTokens: settings.summaryTokens,
    experimental_telemetry: telemetry('summary_generator'),
  })
  return text
}

/**
 * @param {Run} run
 * @param {string} summary
 */
async function formatReply({ model, telemetry }, summary) {
  const { text } = await generateText({
    model,
    system: 'Put the text into the form of a reply to a customer.',
    prompt: summary,
    experimental_telemetry: telemetry('reply_formatter'),
  })
  return text
}

/**
 * @param {Task} task
 * @param {boolean} recordContent
 */
function rootAttributes({ id, question, conversationId = `conversation-${id}` }, recordContent) {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'support-agent',
    'gen_ai.conversation.id': conversationId,
    ...(recordContent && { 'gen_ai.input.messages': messages('user', question) }),
    'agent_reach.task.id': id,
  }
}

/**
 * One message in the shape of the GenAI conventions.
 * @param {'user' | 'assistant'} role
 * @param {string} content
 * @param {string} [finishReason]
 */
function messages(role, content, finishReason) {
  const parts = [{ type: 'text', content }]
  return JSON.stringify([{ role, parts, ...(finishReason && { finish_reason: finishReason }) }])
}

/**
 * @param {import('@opentelemetry/api').Span} span
 * @param {unknown} error
 */
function fail(span, error) {
  const exception = error instanceof Error ? error : new Error(String(error))
  span.recordException(exception)
  span.setAttribute('error.type', exception.name)
  span.setStatus({ code: SpanStatusCode.ERROR, message: exception.message })
}
