import type { Rejection } from './rejection-log.ts'

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
  /** An `ExportTraceServiceRequest` with these spans only; the bytes of resource, scope and spans are those that came. */
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
  /** Spans that are left out, whether their trace is known or not. */
  readonly rejectedSpans: number
  /** What could not be read as it stands, at most the first 1,000 of it. */
  readonly rejected: readonly Rejection[]
}
