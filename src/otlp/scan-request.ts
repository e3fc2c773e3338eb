import { holdsOtherSignal } from './decode-message.ts'
import { readIsRemote } from './decode-span.ts'
import { IdReader } from './id-reader.ts'
import { type Rejection, RejectionLog } from './rejection-log.ts'
import { countSharedBytes, type ScopeSegment, writeTraceBody } from './trace-body.ts'
import { RequestWalker } from './walk-request.ts'
import type { ScopeParts, SpanFields, SpanSink } from './request-parts.ts'
import { WireFault } from './wire-cursor.ts'

/** What is read of a span without its content. */
export interface ScannedSpan {
  /** 16 lower-case hex digits. */
  readonly spanId: string
  /** `null` where the span has none. */
  readonly parentSpanId: string | null
  /** The sender says that the parent is in another process; `undefined` where it says nothing. */
  readonly isRemote: boolean | undefined
}

/** The spans of one trace in a request. */
export interface ScannedTrace {
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /**
   * An `ExportTraceServiceRequest` with these spans only; the bytes of resource, scope and spans are those that came.
   * Empty where no span of the trace can be read.
   */
  readonly body: Buffer
  /** In the order of the request. */
  readonly spans: readonly ScannedSpan[]
  /** Spans of the trace that cannot be read, and are left out. */
  readonly rejectedSpans: number
}

/** What a request brings. */
export interface ScannedRequest {
  /** In the order in which the traces are first mentioned. */
  readonly traces: readonly ScannedTrace[]
  readonly spanCount: number
  /** Spans that are left out, whether their trace is known or not. A list that is lost from some place on counts as one. */
  readonly rejectedSpans: number
  /** What could not be read as it stands, at most the first 1,000 of it. */
  readonly rejected: readonly Rejection[]
}

/**
 * What the bodies may repeat of resources and scopes, beyond some times the size of the request: a resource is copied
 * for each of its traces, and a request may have one large resource and very many traces.
 */
const MAX_SHARED_BYTES = 16 * 1024 * 1024
const MAX_SHARED_SIZES = 4

/**
 * Splits an `ExportTraceServiceRequest` in protobuf by trace, in one pass and without reading the content of its spans.
 * A span that is damaged or lacks an id is left out and counted, and so is what follows a damage outside of a span in its
 * list. Nothing is repaired: what is kept are the bytes that came.
 *
 * @throws {WireFault} where the bytes are no such request: damaged before any span, or of metrics, logs or profiles
 */
export function scanRequest(bytes: Buffer): ScannedRequest {
  const splitter = new TraceSplitter(bytes)
  const { fault, lostParts, elements, hasSpans } = new RequestWalker(bytes, splitter, splitter.log).walk()
  if (elements === 0 && fault !== undefined) throw fault
  if (elements > 0 && !hasSpans && (splitter.isWhole(fault) || holdsOtherSignal(bytes))) {
    throw new WireFault('Spans', 'metrics, logs or profiles')
  }
  return splitter.finish(lostParts)
}

interface TraceParts {
  readonly traceId: string
  readonly spans: ScannedSpan[]
  readonly segments: ScopeSegment[]
  rejectedSpans: number
}

class TraceSplitter implements SpanSink {
  readonly log: RejectionLog = new RejectionLog()
  readonly #bytes: Buffer
  readonly #ids: IdReader
  readonly #traces = new Map<string, TraceParts>()
  #spanCount = 0
  #rejectedSpans = 0
  #isDamaged = false
  #sharedBytes: number

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#ids = new IdReader(bytes)
    this.#sharedBytes = MAX_SHARED_BYTES + MAX_SHARED_SIZES * bytes.length
  }

  isWhole(fault: WireFault | undefined): boolean {
    return fault === undefined && !this.#isDamaged
  }

  take(span: SpanFields, scope: ScopeParts): void {
    const traceId = this.#ids.readTraceId(span)
    const spanId = traceId === undefined ? undefined : this.#ids.readSpanId(span)
    if (traceId === undefined || spanId === undefined) {
      this.#reject(traceId)
      this.#ids.rejectIds(span, traceId, this.log)
      return
    }
    const trace = this.#traceOf(traceId)
    let segment = trace.segments.at(-1)
    if (segment?.scope !== scope) {
      segment = { scope, spans: [] }
      trace.segments.push(segment)
    }
    segment.spans.push({ start: span.start, end: span.end })
    const parentSpanId = this.#ids.readParentSpanId(span) ?? null
    const isRemote = parentSpanId === null ? undefined : readIsRemote(span.flags)
    trace.spans.push({ spanId, parentSpanId, isRemote })
    this.#spanCount += 1
  }

  leaveOut(span: SpanFields): void {
    this.#isDamaged = true
    this.#reject(this.#ids.readTraceId(span))
  }

  /** @param lostParts How many lists are lost from some place on. */
  finish(lostParts: number): ScannedRequest {
    const traces = Array.from(this.#traces.values(), (trace) => this.#toTrace(trace))
    return {
      traces,
      spanCount: this.#spanCount,
      rejectedSpans: this.#rejectedSpans + lostParts,
      rejected: this.log.entries,
    }
  }

  #toTrace({ traceId, spans, segments, rejectedSpans }: TraceParts): ScannedTrace {
    const sharedBytes = countSharedBytes(this.#bytes, segments)
    if (sharedBytes <= this.#sharedBytes) {
      this.#sharedBytes -= sharedBytes
      return { traceId, body: writeTraceBody(this.#bytes, segments), spans, rejectedSpans }
    }
    this.#spanCount -= spans.length
    this.#rejectedSpans += spans.length
    const expected = 'A resource and scopes that can be copied for each trace'
    this.log.reject('invalid_shape', '', expected, `${sharedBytes} bytes more for trace ${traceId}`)
    return { traceId, body: Buffer.alloc(0), spans: [], rejectedSpans: rejectedSpans + spans.length }
  }

  #reject(traceId: string | undefined): void {
    this.#rejectedSpans += 1
    if (traceId !== undefined) this.#traceOf(traceId).rejectedSpans += 1
  }

  #traceOf(traceId: string): TraceParts {
    const known = this.#traces.get(traceId)
    if (known !== undefined) return known
    const trace: TraceParts = { traceId, spans: [], segments: [], rejectedSpans: 0 }
    this.#traces.set(traceId, trace)
    return trace
  }
}
