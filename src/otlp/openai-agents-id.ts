import { createHash } from 'node:crypto'
import { readHexId, SPAN_ID_DIGITS, TRACE_ID_DIGITS } from './hex-id.ts'

/** Hex digits of a span id of the OpenAI Agents SDK, behind `span_`. */
const AGENTS_SPAN_DIGITS = 24

/**
 * The trace id that stands for an id of the OpenAI Agents SDK: the 32 hex digits behind `trace_`. Of any other text,
 * which a program may choose, the first 32 hex digits of its SHA-256.
 */
export function toTraceId(id: string): string {
  return readDigits(id, 'trace_', TRACE_ID_DIGITS) ?? hash(id, TRACE_ID_DIGITS)
}

/**
 * The span id that stands for an id of the OpenAI Agents SDK: the first 16 of the 24 hex digits behind `span_`. Of any
 * other text the first 16 hex digits of its SHA-256.
 */
export function toSpanId(id: string): string {
  const digits = readDigits(id, 'span_', AGENTS_SPAN_DIGITS)?.slice(0, SPAN_ID_DIGITS)
  // OTLP takes zeros alone for no id.
  return digits === undefined || /^0+$/u.test(digits) ? hash(id, SPAN_ID_DIGITS) : digits
}

function readDigits(id: string, prefix: string, digits: number): string | undefined {
  const read = id.startsWith(prefix) ? readHexId(id.slice(prefix.length), digits) : undefined
  return read === '' ? undefined : read
}

function hash(id: string, digits: number): string {
  return createHash('sha256').update(id).digest('hex').slice(0, digits)
}
