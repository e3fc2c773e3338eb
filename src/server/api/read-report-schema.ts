import { readFileSync } from 'node:fs'
import type { JsonSchema } from './json-schema.ts'

/** Where the schema lies: beside the parts of the package as it is built, else beside its type. */
const PLACES: readonly string[] = ['../../chain-report.schema.json', '../../report/chain-report.schema.json']

/**
 * Reads the JSON Schema of the report.
 *
 * @throws {Error} where the package is not complete
 */
export function readReportSchema(): JsonSchema {
  for (const place of PLACES) {
    const text = readIfThere(new URL(place, import.meta.url))
    if (text !== null) return JSON.parse(text) as JsonSchema
  }
  throw new Error(`Cannot read the schema of the report: expected ${PLACES.join(' or ')}, found neither`)
}

function readIfThere(url: URL): string | null {
  try {
    return readFileSync(url, 'utf8')
  } catch {
    return null
  }
}
