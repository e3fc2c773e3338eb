import { type OtlpSignal, signalOf } from './decode-json.ts'
import { type AttributeTarget, encodeAttributes } from './encode-any-value.ts'
import { encodeSpan, writeCount, writeText } from './encode-span.ts'
import { readHexId, TRACE_ID_DIGITS } from './hex-id.ts'
import { type Rejection, RejectionLog } from './rejection-log.ts'
import { MAX_TRACES } from './scan-request.ts'
import { WireWriter } from './wire-writer.ts'

/** A request in protobuf that was one in JSON. */
export interface EncodedRequest {
  /** What the document holds by its keys; only one of `traces` has anything in its body. */
  readonly signal: OtlpSignal
  readonly body: Buffer
  /** How many spans are left out; exact, also beyond what `rejected` lists. */
  readonly rejectedSpans: number
  /** How many of them say to which trace they belong, by its id in lower-case hex digits; of the first 100,000 traces. */
  readonly rejectedByTrace: ReadonlyMap<string, number>
  /** What could not be read as it stands, at most the first 1,000 of it. */
  readonly rejected: readonly Rejection[]
}

type Json = Readonly<Record<string, unknown>>

/**
 * Writes a parsed OTLP/JSON trace document in protobuf, with all fields of OTLP 1.11. It reads what the decoder of JSON
 * reads, as liberally, and leaves out and tells what that leaves out and tells; it never throws. A request with
 * `instrumentationLibrarySpans` becomes one with scopes.
 *
 * What JSON has and protobuf has not: half a surrogate pair is written as U+FFFD, a count beyond 32 bits as the greatest of
 * them. A number beyond 2^53 that is no text in the document has lost digits before it comes here.
 */
export function encodeRequest(json: unknown): EncodedRequest {
  const signal = signalOf(json)
  const encoder = new RequestEncoder()
  if (signal === 'traces') encoder.write(json as Json)
  const { writer, log, rejectedSpans, rejectedByTrace } = encoder
  return { signal, body: writer.finish(), rejectedSpans, rejectedByTrace, rejected: log.entries }
}

class RequestEncoder implements AttributeTarget {
  readonly writer: WireWriter = new WireWriter(4_096)
  readonly log: RejectionLog = new RejectionLog()
  readonly rejectedByTrace = new Map<string, number>()
  rejectedSpans = 0

  write(json: Json): void {
    const list = json['resourceSpans'] ?? json['resource_spans']
    this.#forEach('resourceSpans', list, (entry) => this.#writeResourceSpans(entry))
  }

  #writeResourceSpans(json: Json): void {
    const { writer } = this
    const start = writer.begin(1)
    this.#writeResource(json['resource'])
    const scopes = json['scopeSpans'] ?? json['scope_spans']
    const libraries = json['instrumentationLibrarySpans'] ?? json['instrumentation_library_spans']
    const write = (entry: Json): void => this.#writeScopeSpans(entry)
    this.#forEach('scopeSpans', scopes, write)
    this.#forEach('instrumentationLibrarySpans', libraries, write)
    writeText(writer, 3, json['schemaUrl'] ?? json['schema_url'])
    writer.end(start)
  }

  #writeResource(json: unknown): void {
    if (json === undefined || json === null) return
    const { writer } = this
    const resource = json as Json
    const start = writer.begin(1)
    encodeAttributes(1, resource['attributes'], 'resource.attributes', this)
    writeCount(writer, 2, resource['droppedAttributesCount'] ?? resource['dropped_attributes_count'])
    writer.end(start)
  }

  #writeScopeSpans(json: Json): void {
    const { writer, log } = this
    const start = writer.begin(2)
    this.#writeScope(json['scope'] ?? json['instrumentationLibrary'] ?? json['instrumentation_library'])
    const spans = this.#entriesOf('spans', json['spans'])
    log.position.push('spans', 0)
    for (let i = 0; i < spans.length; i++) {
      log.position[log.position.length - 1] = i
      if (!encodeSpan(spans[i], this)) this.#leaveOut(spans[i])
    }
    log.position.length -= 2
    writeText(writer, 3, json['schemaUrl'] ?? json['schema_url'])
    writer.end(start)
  }

  #leaveOut(span: unknown): void {
    this.rejectedSpans += 1
    if (typeof span !== 'object' || span === null) return
    const json = span as Json
    const traceId = readHexId(json['traceId'] ?? json['trace_id'], TRACE_ID_DIGITS)
    if (traceId === undefined || traceId === '') return
    const count = this.rejectedByTrace.get(traceId)
    if (count === undefined && this.rejectedByTrace.size >= MAX_TRACES) return
    this.rejectedByTrace.set(traceId, (count ?? 0) + 1)
  }

  #writeScope(json: unknown): void {
    if (typeof json !== 'object' || json === null) return
    const { writer } = this
    const scope = json as Json
    const start = writer.begin(1)
    writeText(writer, 1, scope['name'])
    writeText(writer, 2, scope['version'])
    encodeAttributes(3, scope['attributes'], 'scope.attributes', this)
    writeCount(writer, 4, scope['droppedAttributesCount'] ?? scope['dropped_attributes_count'])
    writer.end(start)
  }

  #forEach(key: string, list: unknown, write: (entry: Json) => void): void {
    const entries = this.#entriesOf(key, list)
    const { position } = this.log
    position.push(key, 0)
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i]
      position[position.length - 1] = i
      if (typeof entry === 'object' && entry !== null) write(entry as Json)
      else this.log.reject('invalid_shape', '', 'An object', entry)
    }
    position.length -= 2
  }

  #entriesOf(key: string, list: unknown): readonly unknown[] {
    if (Array.isArray(list)) return list as readonly unknown[]
    if (list !== undefined && list !== null) this.log.reject('invalid_shape', key, 'An array', list)
    return []
  }
}
