import { decodeAttributes } from './any-value.ts'
import { createOpenaiAgentsDecoder } from './decode-openai-agents.ts'
import { decodeSpan, type SpanSurroundings } from './decode-span.ts'
import type { DecodedSpan, DecodedSpanFields } from './decoded-span.ts'
import { type Rejection, RejectionLog } from './rejection-log.ts'
import { type DecodedResource, ResourceCache } from './resource-cache.ts'

/**
 * What a document holds: `traces` has `resourceSpans`, or tracing objects of the OpenAI Agents SDK; `other` is a
 * document of metrics, logs or profiles, with nothing to read here; `unknown` is no OTLP document.
 */
export type OtlpSignal = 'traces' | 'other' | 'unknown'

/** The spans of one OTLP/JSON document. */
export interface DecodedTraces {
  readonly signal: OtlpSignal
  /** In the order of the document. */
  readonly spans: readonly DecodedSpan[]
  /** What could not be read as it stands, at most the first 1,000 of it. */
  readonly rejected: readonly Rejection[]
  /** How many spans were left out; exact, also beyond what `rejected` lists. */
  readonly rejectedSpans: number
}

/** Reads one parsed OTLP/JSON document; see {@link createTraceDecoder}. */
export type TraceDecoder = (body: unknown) => DecodedTraces

interface BodyJson {
  readonly resourceSpans?: unknown
  readonly resource_spans?: unknown
  readonly resourceMetrics?: unknown
  readonly resource_metrics?: unknown
  readonly resourceLogs?: unknown
  readonly resource_logs?: unknown
  readonly resourceProfiles?: unknown
  readonly resource_profiles?: unknown
}

interface ResourceSpansJson {
  readonly resource?: unknown
  readonly scopeSpans?: unknown
  readonly scope_spans?: unknown
  readonly instrumentationLibrarySpans?: unknown
  readonly instrumentation_library_spans?: unknown
}

interface ScopeSpansJson {
  readonly scope?: unknown
  readonly instrumentationLibrary?: unknown
  readonly instrumentation_library?: unknown
  readonly spans?: unknown
}

interface ScopeJson {
  readonly name?: unknown
  readonly version?: unknown
}

interface Walk {
  readonly log: RejectionLog
  readonly resources: ResourceCache
  readonly spans: DecodedSpan[]
  rejectedSpans: number
}

const NO_ENTRIES: readonly unknown[] = []

/**
 * Makes a decoder of OTLP/JSON trace documents (`ExportTraceServiceRequest`, `TracesData`; OTLP 1.x, and the
 * `instrumentationLibrarySpans` of 0.x). Give all documents of one source to one decoder: it shares equal
 * resources between them.
 *
 * It reads what the Collector reads: lowerCamelCase and snake_case keys, enums as numbers, quoted numbers or
 * names, 64-bit integers as text or number, hex ids in either case, absent zero values, unknown fields. The tracing
 * objects of the OpenAI Agents SDK, which are no OTLP, are read as {@link createOpenaiAgentsDecoder} says. It never
 * throws. A span whose trace id, span id or time cannot be read is left out, the others are not touched by it.
 */
export function createTraceDecoder(): TraceDecoder {
  const resources = new ResourceCache()
  const decodeTracingObjects = createOpenaiAgentsDecoder()
  return (body) => {
    const found = decodeTracingObjects(body)
    return found === null ? decodeBody(body, resources) : { signal: 'traces', ...found }
  }
}

/** Reads one parsed OTLP/JSON document on its own; see {@link createTraceDecoder}. */
export function decodeTraces(body: unknown): DecodedTraces {
  return createTraceDecoder()(body)
}

function decodeBody(body: unknown, resources: ResourceCache): DecodedTraces {
  const walk: Walk = { log: new RejectionLog(), resources, spans: [], rejectedSpans: 0 }
  const signal = signalOf(body)
  if (signal === 'traces') {
    const { resourceSpans, resource_spans: snakeCase } = body as BodyJson
    forEachEntry('resourceSpans', resourceSpans ?? snakeCase, walk, readResourceSpans)
  }
  return { signal, spans: walk.spans, rejected: walk.log.entries, rejectedSpans: walk.rejectedSpans }
}

/** What a parsed document holds by its keys; tracing objects of the OpenAI Agents SDK are `unknown` here. */
export function signalOf(body: unknown): OtlpSignal {
  if (typeof body !== 'object' || body === null) return 'unknown'
  const json = body as BodyJson
  if ((json.resourceSpans ?? json.resource_spans) !== undefined) return 'traces'
  const others =
    json.resourceMetrics ??
    json.resource_metrics ??
    json.resourceLogs ??
    json.resource_logs ??
    json.resourceProfiles ??
    json.resource_profiles
  return others === undefined ? 'unknown' : 'other'
}

function readResourceSpans(entry: object, walk: Walk): void {
  const json = entry as ResourceSpansJson
  const resource = walk.resources.intern(json.resource, () => readResource(json.resource, walk.log))
  const scopes = json.scopeSpans ?? json.scope_spans
  const libraries = json.instrumentationLibrarySpans ?? json.instrumentation_library_spans
  const read = (scope: object): void => readScopeSpans(scope, resource, walk)
  forEachEntry('scopeSpans', scopes, walk, read)
  forEachEntry('instrumentationLibrarySpans', libraries, walk, read)
}

function readResource(json: unknown, log: RejectionLog): DecodedResource {
  const { attributes } = (json ?? {}) as { readonly attributes?: unknown }
  return { attributes: decodeAttributes(attributes, 'resource.attributes', log) }
}

function readScopeSpans(entry: object, resource: DecodedResource, walk: Walk): void {
  const json = entry as ScopeSpansJson
  const scope = json.scope ?? json.instrumentationLibrary ?? json.instrumentation_library
  const around: SpanSurroundings = { resource, instrumentationScope: readScope(scope) }
  const spans = entriesOf('spans', json.spans, walk)
  const { position } = walk.log
  position.push('spans', 0)
  for (let i = 0; i < spans.length; i++) {
    position[position.length - 1] = i
    const span = decodeSpan(spans[i], around, walk.log)
    if (span === undefined) walk.rejectedSpans += 1
    else walk.spans.push(span)
  }
  position.length -= 2
}

function readScope(json: unknown): DecodedSpanFields['instrumentationScope'] {
  if (typeof json !== 'object' || json === null) return undefined
  const { name, version } = json as ScopeJson
  return {
    name: typeof name === 'string' ? name : '',
    version: typeof version === 'string' && version !== '' ? version : undefined,
  }
}

function forEachEntry(
  key: string,
  list: unknown,
  walk: Walk,
  read: (entry: object, walk: Walk) => void,
): void {
  const entries = entriesOf(key, list, walk)
  const { position } = walk.log
  position.push(key, 0)
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i]
    position[position.length - 1] = i
    if (typeof entry === 'object' && entry !== null) read(entry, walk)
    else walk.log.reject('invalid_shape', '', 'An object', entry)
  }
  position.length -= 2
}

function entriesOf(key: string, list: unknown, walk: Walk): readonly unknown[] {
  if (Array.isArray(list)) return list as readonly unknown[]
  if (list !== undefined && list !== null) walk.log.reject('invalid_shape', key, 'An array', list)
  return NO_ENTRIES
}
