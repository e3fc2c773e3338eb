import { trace } from '@opentelemetry/api'
import { capture } from 'agent-reach'
import { z } from 'zod'

/**
 * Records a tool's own definition on the span of each of its calls.
 *
 * Arguments and result are handed to agent-reach as well, so that they are judged even where the AI SDK is told not to
 * record them.
 *
 * The AI SDK neither checks `outputSchema` nor writes it down. With the definition beside the result,
 * whoever reads the span can judge the result and needs no configuration for it.
 *
 * @template {import('ai').Tool} T
 * @param {string} name the name the model calls the tool by
 * @param {T} tool a tool with zod schemas and an `execute` function
 * @returns {T}
 */
export function withContract(name, tool) {
  const { description, execute } = tool
  if (!execute) return tool
  const definition = {
    type: 'function',
    name,
    description,
    parameters: jsonSchema(tool.inputSchema, 'input'),
    outputSchema: jsonSchema(tool.outputSchema, 'output'),
  }
  const definitions = JSON.stringify([definition])
  return {
    ...tool,
    /** @type {NonNullable<import('ai').Tool['execute']>} */
    execute: async (input, options) => {
      const span = trace.getActiveSpan()
      // Before the call, so that a call that throws or never ends carries it too.
      span?.setAttribute('gen_ai.tool.definitions', definitions)
      if (span) capture(span, { input })
      const output = await execute(input, options)
      if (span) capture(span, { output })
      return output
    },
  }
}

/**
 * @param {unknown} schema
 * @param {'input' | 'output'} io
 */
function jsonSchema(schema, io) {
  return schema instanceof z.ZodType ? z.toJSONSchema(schema, { io }) : undefined
}
