import { toTraceId } from '../otlp/openai-agents-id.ts'

const SPAN_PATH =
  /^resourceSpans\[(\d+)\]\.(scopeSpans|instrumentationLibrarySpans)\[(\d+)\]\.spans\[(\d+)\]/u
const TRACE_ID = /^[0-9a-f]{32}$/iu

/** An object of the OpenAI Agents SDK, which may stand alone, in a list, or in a list below a key. */
const TRACING_OBJECT_PATH = /^(?:(data)?\[(\d+)\]\.)?(?:id|started_at|ended_at)$/u

/**
 * The id of the trace, in lower case, that a span of an OTLP/JSON document says it belongs to, although the span
 * itself could not be read; `null` where that is not to be seen.
 *
 * @param body the parsed document
 * @param path where the trouble is, as the decoder tells it
 */
export function readRejectedTrace(body: unknown, path: string): string | null {
  const object = TRACING_OBJECT_PATH.exec(path)
  if (object !== null) return readTracingObject(body, object)
  const [, resource, scopes, scope, span] = SPAN_PATH.exec(path) ?? []
  const keys = ['resourceSpans', resource, scopes, scope, 'spans', span]
  const found = keys.reduce<unknown>((value, key) => readMember(value, key), body)
  const traceId = readMember(found, 'traceId')
  return typeof traceId === 'string' && TRACE_ID.test(traceId) ? traceId.toLowerCase() : null
}

function readTracingObject(body: unknown, [, list, index]: RegExpExecArray): string | null {
  const keys = [list, index].filter((key) => key !== undefined)
  const traceId = readMember(keys.reduce<unknown>(readMember, body), 'trace_id')
  return typeof traceId === 'string' && traceId !== '' ? toTraceId(traceId) : null
}

/** Keys may be in lowerCamelCase or in snake_case. */
function readMember(value: unknown, key: string | undefined): unknown {
  if (typeof value !== 'object' || value === null || key === undefined) return undefined
  const members = value as Readonly<Record<string, unknown>>
  return members[key] ?? members[key.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)]
}
