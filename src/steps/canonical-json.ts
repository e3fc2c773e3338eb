/**
 * Writes a value as canonical JSON (RFC 8785, JSON Canonicalization Scheme): object keys sorted by UTF-16 code
 * units, no white space, numbers as ECMAScript prints them. Beyond the standard, so that any value has one text:
 * strings are made well-formed (a lone surrogate becomes U+FFFD), NaN and infinities are `null`, a bigint is its
 * decimal text in quotes, bytes are base64 text, and what JSON cannot hold (`undefined`, functions) is left out
 * of objects and is `null` elsewhere. Nesting below 200 levels is written as `null`.
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0) ?? 'null'
}

const MAX_DEPTH = 200

function write(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.toWellFormed())
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value) : 'null'
    case 'boolean':
      return value ? 'true' : 'false'
    case 'bigint':
      return `"${value}"`
    case 'object':
      return value === null || depth >= MAX_DEPTH ? 'null' : writeObject(value, depth)
    default:
      return undefined
  }
}

function writeObject(value: object, depth: number): string {
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1) ?? 'null').join(',')}]`
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`
  const members: string[] = []
  const record = value as Record<string, unknown>
  for (const key of Object.keys(record).sort(compareCodeUnits)) {
    const text = write(record[key], depth + 1)
    if (text !== undefined) members.push(`${JSON.stringify(key.toWellFormed())}:${text}`)
  }
  return `{${members.join(',')}}`
}

/** Orders two strings by their UTF-16 code units, the order of RFC 8785 and of every tie-break in a report. */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
