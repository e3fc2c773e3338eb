import type { SpanView } from '../steps/span-view.ts'
import { holdsOtherSignal } from './holds-other-signal.ts'
import type { DecodedSpanFields } from './decoded-span.ts'
import { IdReader } from './id-reader.ts'
import { LazySpan, type SharedParts } from './lazy-span.ts'
import { AttributeReader } from './read-attributes.ts'
import { type Rejection, RejectionLog } from './rejection-log.ts'
import type { DecodedResource } from './resource-cache.ts'
import { RequestWalker } from './walk-request.ts'
import type { ResourceParts, ScopeParts, SpanFields, SpanSink, WirePart } from './request-parts.ts'

/** The spans of a request in protobuf. */
export interface DecodedRequest {
  /** In the order of the request. */
  readonly spans: readonly SpanView[]
  /** What is left out, at most the first 1,000 of it. What is kept without a bad value is not told. */
  readonly rejected: readonly Rejection[]
  /** How many spans are left out; exact, also beyond what `rejected` lists. */
  readonly rejectedSpans: number
}

const NOTHING: DecodedRequest = { spans: [], rejected: [], rejectedSpans: 0 }

/**
 * Reads an `ExportTraceServiceRequest` or `TracesData` in protobuf: the same spans as `decodeMessage` and the decoder of
 * its JSON form give together, but attributes, events, resource and scope are read when they are asked for. It never
 * throws. A request of another signal has no spans.
 *
 * The spans hold the bytes, which must not change while one of them is in use.
 */
export function decodeRequest(bytes: Buffer): DecodedRequest {
  const collector = new SpanCollector(bytes)
  const { elements, hasSpans, fault } = new RequestWalker(bytes, collector, collector.log).walk()
  const { spans, rejectedSpans } = collector
  const rejected = collector.log.entries
  if (elements > 0 && !hasSpans) {
    const isWhole = fault === undefined && !collector.isDamaged
    if (isWhole || holdsOtherSignal(bytes)) return NOTHING
  }
  return { spans, rejected, rejectedSpans }
}

class SpanCollector implements SpanSink {
  readonly spans: LazySpan[] = []
  readonly log: RejectionLog = new RejectionLog()
  rejectedSpans = 0
  isDamaged = false
  readonly #ids: IdReader
  readonly #reader: AttributeReader
  readonly #resources: ResourceReader
  #scope: ScopeParts | undefined
  #shared: SharedParts | undefined

  constructor(bytes: Buffer) {
    this.#ids = new IdReader(bytes)
    this.#reader = new AttributeReader(bytes)
    this.#resources = new ResourceReader(bytes, this.#reader)
  }

  take(span: SpanFields, scope: ScopeParts): void {
    const traceId = this.#ids.readTraceId(span)
    const spanId = traceId === undefined ? undefined : this.#ids.readSpanId(span)
    if (traceId === undefined || spanId === undefined) {
      this.rejectedSpans += 1
      this.#ids.rejectIds(span, traceId, this.log)
      return
    }
    if (this.#shared === undefined || scope !== this.#scope) {
      this.#scope = scope
      this.#shared = new LazyShared(scope, this.#reader, this.#resources)
    }
    const parentSpanId = this.#ids.readParentSpanId(span)
    this.spans.push(new LazySpan({ traceId, spanId, parentSpanId }, span, this.#shared, this.#reader))
  }

  leaveOut(): void {
    this.rejectedSpans += 1
    this.isDamaged = true
  }
}

/** Equal resources of a request are one object. */
class ResourceReader {
  readonly #bytes: Buffer
  readonly #reader: AttributeReader
  readonly #byParts = new Map<ResourceParts, DecodedResource>()
  readonly #byBytes = new Map<string, DecodedResource>()

  constructor(bytes: Buffer, reader: AttributeReader) {
    this.#bytes = bytes
    this.#reader = reader
  }

  read(parts: ResourceParts): DecodedResource {
    const resource = this.#byParts.get(parts) ?? this.#intern(parts.resource)
    this.#byParts.set(parts, resource)
    return resource
  }

  #intern(parts: readonly WirePart[]): DecodedResource {
    const key = parts.map(({ start, end }) => this.#bytes.toString('latin1', start, end)).join('')
    const resource = this.#byBytes.get(key) ?? { attributes: this.#reader.readResourceAttributes(parts) }
    this.#byBytes.set(key, resource)
    return resource
  }
}

class LazyShared implements SharedParts {
  readonly #parts: ScopeParts
  readonly #reader: AttributeReader
  readonly #resources: ResourceReader
  #resource: DecodedResource | undefined
  #scope: { readonly value: DecodedSpanFields['instrumentationScope'] } | undefined

  constructor(parts: ScopeParts, reader: AttributeReader, resources: ResourceReader) {
    this.#parts = parts
    this.#reader = reader
    this.#resources = resources
  }

  get resource(): DecodedResource {
    this.#resource ??= this.#resources.read(this.#parts.around)
    return this.#resource
  }

  get instrumentationScope(): DecodedSpanFields['instrumentationScope'] {
    this.#scope ??= { value: this.#reader.readScope(this.#parts.scope) }
    return this.#scope.value
  }
}
