import { isRecord } from './content-parts.ts'
import type { SchemaError } from './schema-error.ts'

/** The most errors that are looked at. */
const LIMIT = 1_000

/**
 * Replaces the errors of a union (`anyOf`, `oneOf`) that no branch satisfies by those of its closest branch. Of the
 * keywords that ask for something to be among others (`contains`), only the keyword itself is told.
 *
 * A validator tells the errors of all branches and then that of the union. Which branch an error belongs to is told
 * by the subschema it stands in, since its path begins anew below a reference.
 */
export function closestBranches(errors: readonly SchemaError[], root: object): readonly SchemaError[] {
  const kept: SchemaError[] = []
  for (const error of errors.slice(0, LIMIT)) {
    const branches = branchesOf(error)
    if (branches === null) {
      kept.push(error)
      continue
    }
    const reaches = branches.map((branch) => reachOf(branch, root))
    const inner = takeInner(kept, error, reaches)
    kept.push(...((isUnmatched(error) ? pickClosest(inner, error, reaches) : null) ?? [error]))
  }
  return kept
}

/** The subschemas whose errors stand before the error of a keyword that holds them. */
function branchesOf({ keyword, schema }: SchemaError): readonly unknown[] | null {
  if (keyword === 'contains' || keyword === 'propertyNames') return [schema]
  return (keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(schema) ? schema : null
}

/** A union that more than one branch satisfies (`oneOf`) is not told by any of them. */
function isUnmatched({ keyword, params }: SchemaError): boolean {
  return keyword === 'anyOf' || (keyword === 'oneOf' && params['passingSchemas'] === null)
}

/** Takes from the end of the list the errors that were found inside the branches of a union. */
function takeInner(
  kept: SchemaError[],
  union: SchemaError,
  reaches: readonly ReadonlySet<object>[],
): readonly SchemaError[] {
  let start = kept.length
  while (start > 0) {
    const { instancePath, parentSchema } = kept[start - 1] as SchemaError
    const inside = instancePath === union.instancePath || instancePath.startsWith(`${union.instancePath}/`)
    if (!inside || parentSchema === undefined || !reaches.some((reach) => reach.has(parentSchema))) break
    start--
  }
  return kept.splice(start)
}

function pickClosest(
  inner: readonly SchemaError[],
  union: SchemaError,
  reaches: readonly ReadonlySet<object>[],
): readonly SchemaError[] | null {
  let closest: readonly SchemaError[] | null = null
  let least = Infinity
  for (const reach of reaches) {
    const own = inner.filter(({ parentSchema }) => parentSchema !== undefined && reach.has(parentSchema))
    const distance = own.reduce((sum, error) => sum + weigh(error, union), 0)
    if (own.length === 0 || distance >= least) continue
    closest = own
    least = distance
  }
  return closest
}

/** A value of another type, or with another tag, is further from a branch than one with fields that are wrong. */
function weigh({ keyword, instancePath }: SchemaError, union: SchemaError): number {
  if (keyword === 'type' && instancePath === union.instancePath) return 100
  return keyword === 'const' || keyword === 'enum' ? 10 : 1
}

/** Every subschema below one, local references followed. */
function reachOf(schema: unknown, root: object): ReadonlySet<object> {
  const reach = new Set<object>()
  const open: unknown[] = [schema]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null || reach.has(value)) continue
    reach.add(value)
    open.push(...Object.values(value))
    const reference = isRecord(value) ? value['$ref'] : undefined
    if (typeof reference === 'string') open.push(resolveLocal(reference, root))
  }
  return reach
}

function resolveLocal(reference: string, root: object): unknown {
  let value: unknown = root
  for (const token of reference.slice(1).split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Readonly<Record<string, unknown>>)[unescapeToken(token)]
  }
  return value
}

function unescapeToken(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return token
  }
}
