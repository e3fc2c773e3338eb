/**
 * A schema of any library that implements Standard Schema version 1, https://standardschema.dev: zod, valibot, arktype
 * and others. The part of that interface which is used here.
 */
export interface StandardSchema {
  readonly '~standard': StandardProperties
}

/** What stands under `~standard`. */
export interface StandardProperties {
  /** Version of the standard. */
  readonly version: 1
  /** The name of the library. */
  readonly vendor: string
  readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>
}

/** What a validator answers. */
export interface StandardResult {
  /** What does not fit; absent where all does. */
  readonly issues?: readonly StandardIssue[] | undefined
}

/** One thing that does not fit. */
export interface StandardIssue {
  readonly message: string
  /** The keys that lead to the place, bare or as `{ key }`; none for the whole value. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** What is expected of an object or a function with the key `~standard`, in errors. */
export const STANDARD_SCHEMA = 'a Standard Schema of version 1'

/** True for a schema of the standard, and for what only looks like one: see {@link findStandardDefect}. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  // The schemas of arktype are functions.
  return (
    ((typeof schema === 'object' && schema !== null) || typeof schema === 'function') && '~standard' in schema
  )
}

/** What keeps something that looks like a Standard Schema from being used as one; `null` where nothing does. */
export function findStandardDefect(schema: StandardSchema): string | null {
  const properties: unknown = schema['~standard']
  if (typeof properties !== 'object' || properties === null) return 'one that says nothing of itself'
  const { version, vendor, validate } = properties as Partial<Record<keyof StandardProperties, unknown>>
  if (version !== 1) {
    return typeof version === 'number' ? `one of version ${version}` : 'one without a version'
  }
  if (typeof validate !== 'function') return 'one without a validate function'
  return typeof vendor === 'string' ? null : 'one without a vendor'
}
