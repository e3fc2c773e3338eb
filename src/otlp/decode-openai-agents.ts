import { toOpenaiAgentsAttributes } from '../steps/dialects/openai-agents.ts'
import type { Attributes, HrTime } from '../steps/span-view.ts'
import { DecodedSpan } from './decoded-span.ts'
import { readIsoTime } from './iso-time.ts'
import { toSpanId, toTraceId } from './openai-agents-id.ts'
import { type Rejection, RejectionLog } from './rejection-log.ts'

/** The spans of the tracing objects in one document. */
export interface DecodedTracingObjects {
  /** In the order of the document. */
  readonly spans: readonly DecodedSpan[]
  /** What could not be read as it stands, at most the first 1,000 of it. */
  readonly rejected: readonly Rejection[]
  /** How many spans were left out; exact, also beyond what `rejected` lists. */
  readonly rejectedSpans: number
}

/** Reads the tracing objects of a parsed document; `null` where it holds none. */
export type OpenaiAgentsDecoder = (body: unknown) => DecodedTracingObjects | null

type Fields = Readonly<Record<string, unknown>>

/** Of how many traces it is remembered what they are called and whom they belong to: the last 10,000. */
const MAX_TRACES = 10_000

const NO_RESOURCE = { attributes: {} }
const NO_TRACE: Attributes = {}
const TIME = 'A time of ISO 8601'

interface Walk {
  readonly log: RejectionLog
  readonly traces: Map<string, Attributes>
  readonly spans: DecodedSpan[]
  rejectedSpans: number
}

/**
 * Makes a decoder of the tracing objects of the OpenAI Agents SDK (`toJSON()` of its spans and traces in JavaScript,
 * `export()` in Python): one object, a list of them, or `{"data": […]}` as its exporter sends them. Give all documents
 * of one source to one decoder: a trace object, which the SDK writes before the spans of its trace, tells of the spans
 * of its document and those behind it which group they belong to.
 *
 * It never throws. A span without an id, a start or an end is left out; ids are made as {@link toTraceId} and
 * {@link toSpanId} say.
 */
export function createOpenaiAgentsDecoder(): OpenaiAgentsDecoder {
  const traces = new Map<string, Attributes>()
  return (body) => {
    const found = findObjects(body)
    if (found === null) return null
    const walk: Walk = { log: new RejectionLog(), traces, spans: [], rejectedSpans: 0 }
    for (const { object } of found) {
      if (object['object'] === 'trace') rememberTrace(object, traces)
    }
    for (const { object, position } of found) {
      if (object['object'] === 'trace') continue
      walk.log.position.splice(0, Infinity, ...position)
      addSpan(object, walk)
    }
    return { spans: walk.spans, rejected: walk.log.entries, rejectedSpans: walk.rejectedSpans }
  }
}

interface Found {
  readonly object: Fields
  readonly position: readonly (string | number)[]
}

function findObjects(body: unknown): readonly Found[] | null {
  if (isTracingObject(body)) return [{ object: body, position: [] }]
  if (Array.isArray(body)) return listObjects(body, [])
  const data = isFields(body) ? body['data'] : null
  return Array.isArray(data) ? listObjects(data, ['data']) : null
}

/** A list is one of tracing objects by its first entry. An object that was not to be recorded is written as `null`. */
function listObjects(list: readonly unknown[], path: readonly string[]): readonly Found[] | null {
  const first = list.find((entry) => entry !== null)
  if (!isTracingObject(first)) return null
  return list.flatMap((object, index) =>
    isTracingObject(object) ? [{ object, position: [...path, index] }] : [],
  )
}

function isTracingObject(value: unknown): value is Fields {
  return isFields(value) && (value['object'] === 'trace.span' || value['object'] === 'trace')
}

function addSpan(object: Fields, walk: Walk): void {
  const span = readSpan(object, walk)
  if (span === null) walk.rejectedSpans += 1
  else walk.spans.push(span)
}

function rememberTrace({ id, group_id: group }: Fields, traces: Map<string, Attributes>): void {
  if (typeof id !== 'string' || typeof group !== 'string') return
  traces.delete(id)
  traces.set(id, { group_id: group })
  const [oldest] = traces.size > MAX_TRACES ? traces.keys() : []
  if (oldest !== undefined) traces.delete(oldest)
}

function readSpan(object: Fields, { log, traces }: Walk): DecodedSpan | null {
  const { id, trace_id: traceId, parent_id: parentId, started_at: start, ended_at: end } = object
  const startTime = readIsoTime(start)
  const endTime = readIsoTime(end)
  if (!isId(traceId)) log.reject('invalid_trace_id', 'trace_id', 'A trace id', traceId)
  else if (!isId(id)) log.reject('invalid_span_id', 'id', 'A span id', id)
  else if (startTime === null) log.reject('invalid_time', 'started_at', TIME, start)
  else if (endTime === null) log.reject('invalid_time', 'ended_at', TIME, end)
  else {
    const parent = isId(parentId) ? parentId : null
    const data = isFields(object['span_data']) ? object['span_data'] : {}
    const trace = traces.get(traceId) ?? NO_TRACE
    return toSpan({ id, traceId, parent, startTime, endTime, data, trace, error: object['error'] })
  }
  return null
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

interface SpanParts {
  readonly id: string
  readonly traceId: string
  readonly parent: string | null
  readonly startTime: HrTime
  readonly endTime: HrTime
  readonly data: Fields
  readonly trace: Attributes
  readonly error: unknown
}

function toSpan(parts: SpanParts): DecodedSpan {
  const { parent, data } = parts
  return new DecodedSpan(toTraceId(parts.traceId), toSpanId(parts.id), {
    name: toSpanName(data),
    kind: 0,
    parentSpanContext: parent === null ? undefined : { spanId: toSpanId(parent), isRemote: undefined },
    startTime: parts.startTime,
    endTime: parts.endTime,
    status: toStatus(parts.error),
    attributes: toOpenaiAgentsAttributes(data, parts.trace),
    events: [],
    resource: NO_RESOURCE,
    instrumentationScope: undefined,
    droppedAttributesCount: 0,
  })
}

/** What the SDK calls a span; a handoff by the tool that asks for it, and what has no name by its type. */
function toSpanName({ type, name, data, turn, to_agent: target, server }: Fields): string {
  if (type === 'handoff')
    return `transfer_to_${(isId(target) ? target : 'agent').replaceAll(/[^a-zA-Z0-9]/gu, '_')}`
  const custom = isFields(data) ? data : {}
  const number = turn ?? custom['turn']
  if (typeof number === 'number') return `turn ${number}`
  const told = [custom['name'], name].find((text) => typeof text === 'string' && text !== '')
  if (told !== undefined) return told as string
  const kind = typeof type === 'string' ? type : 'span'
  return typeof server === 'string' ? `${kind} ${server}` : kind
}

/** The message says what was done as it failed; the details, where they are text, say why. */
function toStatus(error: unknown): { code: number; message: string | undefined } {
  if (isId(error)) return { code: 2, message: error }
  if (!isFields(error)) return { code: 0, message: undefined }
  const detail = isFields(error['data']) ? error['data']['error'] : undefined
  const texts = [error['message'], detail].filter((text) => typeof text === 'string' && text !== '')
  return { code: 2, message: texts.length === 0 ? undefined : texts.join(': ') }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
