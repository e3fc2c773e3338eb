import { SPAN_ID_DIGITS, TRACE_ID_DIGITS } from './hex-id.ts'
import type { RejectionLog } from './rejection-log.ts'
import type { SpanFields } from './request-parts.ts'

const TRACE_ID_BYTES = TRACE_ID_DIGITS / 2
const SPAN_ID_BYTES = SPAN_ID_DIGITS / 2

/**
 * Reads ids from the bytes of a request. Spans of one trace mostly follow each other, and so do those of one parent: they
 * share the text of its id.
 */
export class IdReader {
  readonly #bytes: Buffer
  #traceAt = -1
  #traceId = ''
  #parentAt = -1
  #parentId = ''

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** The id of the span's trace in lower-case hex, `undefined` where it has none. */
  readTraceId({ traceIdAt, traceIdBytes }: SpanFields): string | undefined {
    if (traceIdBytes !== TRACE_ID_BYTES) return undefined
    if (this.#traceAt >= 0 && this.#isSame(traceIdAt, this.#traceAt, TRACE_ID_BYTES)) return this.#traceId
    if (this.#isZero(traceIdAt, TRACE_ID_BYTES)) return undefined
    this.#traceAt = traceIdAt
    this.#traceId = this.#readHex(traceIdAt, TRACE_ID_BYTES)
    return this.#traceId
  }

  /** The id of the span in lower-case hex, `undefined` where it has none. */
  readSpanId({ spanIdAt, spanIdBytes }: SpanFields): string | undefined {
    return spanIdBytes === SPAN_ID_BYTES && !this.#isZero(spanIdAt, SPAN_ID_BYTES)
      ? this.#readHex(spanIdAt, SPAN_ID_BYTES)
      : undefined
  }

  /** The id of the span's parent in lower-case hex, `undefined` where it has none, or one of another length. */
  readParentSpanId({ parentAt, parentBytes }: SpanFields): string | undefined {
    if (parentBytes !== SPAN_ID_BYTES) return undefined
    if (this.#parentAt >= 0 && this.#isSame(parentAt, this.#parentAt, SPAN_ID_BYTES)) return this.#parentId
    if (this.#isZero(parentAt, SPAN_ID_BYTES)) return undefined
    this.#parentAt = parentAt
    this.#parentId = this.#readHex(parentAt, SPAN_ID_BYTES)
    return this.#parentId
  }

  /** Notes at the log's place that a span is left out for want of an id, in the words of the reader of JSON. */
  rejectIds(span: SpanFields, traceId: string | undefined, log: RejectionLog): void {
    if (traceId === undefined) {
      const found = this.#describe(span.traceIdAt, span.traceIdBytes)
      log.reject('invalid_trace_id', 'traceId', '32 hex digits, not all zero', found)
    } else {
      const found = this.#describe(span.spanIdAt, span.spanIdBytes)
      log.reject('invalid_span_id', 'spanId', '16 hex digits, not all zero', found)
    }
  }

  #describe(at: number, count: number): string | undefined {
    // No more of it is told in any case.
    return at < 0 ? undefined : this.#readHex(at, Math.min(count, TRACE_ID_DIGITS))
  }

  #readHex(at: number, count: number): string {
    return this.#bytes.toString('hex', at, at + count)
  }

  #isSame(at: number, other: number, count: number): boolean {
    for (let i = 0; i < count; i++) {
      if (this.#bytes[at + i] !== this.#bytes[other + i]) return false
    }
    return true
  }

  #isZero(at: number, count: number): boolean {
    for (let i = at; i < at + count; i++) {
      if (this.#bytes[i] !== 0) return false
    }
    return true
  }
}
