/** A JSON Schema (2020-12), as a part of the OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** An object that has all of these properties; later versions may add others. */
export function objectSchema(
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  return { description, type: 'object', required: Object.keys(properties), properties }
}

/** A list of what one schema describes. */
export function listSchema(description: string, items: JsonSchema): JsonSchema {
  return { description, type: 'array', items }
}

/** What a schema describes, or null. */
export function nullableSchema(description: string, schema: JsonSchema): JsonSchema {
  return { description, anyOf: [schema, { type: 'null' }] }
}

/** A value of a type of JSON, or one of several. */
export function valueSchema(description: string, type: string | readonly string[]): JsonSchema {
  return { description, type }
}

/** A number from 0 that counts something. */
export function countSchema(description: string): JsonSchema {
  return { description, type: 'integer', minimum: 0 }
}

/** A schema of the document by its name. */
export function schemaRef(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** A schema that the report's own schema defines, such as `ReportStep`. */
export function reportRef(definition: string): JsonSchema {
  return schemaRef(`ChainReport/$defs/${definition}`)
}
