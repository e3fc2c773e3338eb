import { holdsOtherSignal } from './holds-other-signal.ts'
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
  /** Spans that are left out, whether their trace is among these or not. A list that is lost from some place on counts as one. */
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

/** How many traces of a request are taken. Each costs some hundred bytes, and a span of 30 bytes can be one of its own. */
export const MAX_TRACES = 100_000
/** The same of the scopes in each of its traces: they cost as much where each has a span. */
const MAX_SEGMENTS = 200_000
const TRACES = `At most ${MAX_TRACES} traces in a request`
const PARTS = `At most ${MAX_SEGMENTS} scopes in the traces of a request`

/**
 * Splits an `ExportTraceServiceRequest` in protobuf by trace, in one pass and without reading the content of its spans.
 * A span that is damaged or lacks an id is left out and counted, and so is what follows a damage outside of a span in its
 * list, and what there is of more than {@link MAX_TRACES} traces, or of twice as many scopes in them. Nothing is repaired:
 * what is kept are the bytes that came.
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
  #segmentCount = 0
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
    const segment = trace && this.#segmentOf(trace, scope)
    if (trace === undefined || segment === undefined) {
      this.#reject(traceId)
      if (trace === undefined) this.log.reject('too_many_parts', 'traceId', TRACES, traceId)
      else this.log.reject('too_many_parts', '', PARTS, 'a span of another')
      return
    }
    const last = segment.spans.at(-1)
    // Mostly spans of a trace follow each other, and are copied in one go.
    if (last?.end === span.fieldAt) last.end = span.end
    else segment.spans.push({ start: span.fieldAt, end: span.end })
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

  /** The last of the trace, or a new one; `undefined` for one more than may be. */
  #segmentOf({ segments }: TraceParts, scope: ScopeParts): ScopeSegment | undefined {
    const last = segments.at(-1)
    if (last?.scope === scope) return last
    if (this.#segmentCount >= MAX_SEGMENTS) return undefined
    this.#segmentCount += 1
    const segment: ScopeSegment = { scope, spans: [] }
    segments.push(segment)
    return segment
  }

  #reject(traceId: string | undefined): void {
    this.#rejectedSpans += 1
    const trace = traceId === undefined ? undefined : this.#traceOf(traceId)
    if (trace !== undefined) trace.rejectedSpans += 1
  }

  /** `undefined` for one more than may be. */
  #traceOf(traceId: string): TraceParts | undefined {
    const known = this.#traces.get(traceId)
    if (known !== undefined || this.#traces.size >= MAX_TRACES) return known
    const trace: TraceParts = { traceId, spans: [], segments: [], rejectedSpans: 0 }
    this.#traces.set(traceId, trace)
    return trace
  }
}
