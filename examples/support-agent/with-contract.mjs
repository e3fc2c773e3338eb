import { trace } from '@opentelemetry/api'
import { z } from 'zod'

/**
 * Records a tool's own definition on the span of each of its calls.
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
    execute: (input, options) => {
      // Before the call, so that a call that throws or never ends carries it too.
      trace.getActiveSpan()?.setAttribute('gen_ai.tool.definitions', definitions)
      return execute(input, options)
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
