/** What a JSON Schema validator says about one place of a value, with the parts of schema and value it looked at. */
export interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string | undefined
  readonly schema?: unknown
  readonly parentSchema?: object | undefined
  readonly data?: unknown
}
