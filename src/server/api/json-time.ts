import { toIsoTime } from '../../report/iso-time.ts'
import type { JsonSchema } from './json-schema.ts'
import { reportRef } from './json-schema.ts'

/** Writes a time as reports do. @param ms milliseconds since the Unix epoch */
export function toJsonTime(ms: number): string {
  return toIsoTime(BigInt(Math.round(ms * 1_000)) * 1_000n)
}

/** Describes a time. */
export function timeSchema(description: string): JsonSchema {
  return { description, ...reportRef('Time') }
}
