/** A tool as it was declared to a model. Schemas are JSON Schema objects, `null` where none is declared. */
export interface ToolDefinition {
  readonly name: string
  readonly parameters: Readonly<Record<string, unknown>> | null
  readonly outputSchema: Readonly<Record<string, unknown>> | null
}

/**
 * Reads tool declarations in any of their spellings: GenAI conventions and OpenAI (`parameters`, flat or under
 * `function`), MCP and AI SDK (`inputSchema`, `outputSchema`), Anthropic (`input_schema`), Pydantic AI
 * (`parameters_json_schema`). Entries may be objects or JSON text; what has no name is left out.
 *
 * @param declared one declaration, a list of them, or JSON text of either
 */
export function toToolDefinitions(declared: unknown): readonly ToolDefinition[] {
  const value = parsed(declared)
  const list = Array.isArray(value) ? value : [value]
  return list.flatMap((item) => {
    const definition = toToolDefinition(parsed(item))
    return definition === null ? [] : [definition]
  })
}

function toToolDefinition(value: unknown): ToolDefinition | null {
  if (!isObject(value)) return null
  const inner = isObject(value['function']) ? value['function'] : value
  const name = inner['name']
  if (typeof name !== 'string' || name === '') return null
  return {
    name,
    parameters: schema(inner, ['parameters', 'inputSchema', 'input_schema', 'parameters_json_schema']),
    outputSchema: schema(inner, ['outputSchema', 'output_schema']),
  }
}

function schema(
  value: Record<string, unknown>,
  keys: readonly string[],
): Readonly<Record<string, unknown>> | null {
  for (const key of keys) {
    const candidate = parsed(value[key])
    if (!isObject(candidate)) continue
    const wrapped = candidate['jsonSchema']
    return isObject(wrapped) ? wrapped : candidate
  }
  return null
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
