import { decodeRequest } from '../otlp/decode-request.ts'
import { rewriteRequest } from '../otlp/rewrite-request.ts'
import { TraceEvidence } from '../pipeline/trace-evidence.ts'
import type { Rules } from '../rules/rules.ts'
import type { StoredTrace } from './report-store.ts'

/** A stored trace, judged span by span. */
export interface CollectedTrace {
  readonly evidence: TraceEvidence
  /** All its spans in one body, each once; `null` where no copies are stored. */
  readonly compacted: Buffer | null
}

/** Judges what is stored of a trace. */
export function collectEvidence(stored: StoredTrace, rules: Rules, spansPerTrace: number): CollectedTrace {
  const evidence = new TraceEvidence(stored.traceId, rules, spansPerTrace)
  const held = new Map<string, string>()
  let hasRejected = false
  for (const [at, body] of stored.bodies.entries()) {
    const { spans, rejectedSpans } = decodeRequest(body)
    hasRejected ||= rejectedSpans > 0
    for (const [position, span] of spans.entries()) {
      if (evidence.add(span)) held.set(span.spanContext().spanId, placeOf(at, position))
    }
  }
  // Where a span is left out the places do not count as those of the bytes do; where too many came, copies are not told.
  const isWhole = !hasRejected && !evidence.hasOverflowed
  return { evidence, compacted: isWhole && evidence.records.duplicates > 0 ? compact(stored, held) : null }
}

function compact({ bodies }: StoredTrace, held: ReadonlyMap<string, string>): Buffer {
  const parts = bodies.map((body, at) =>
    rewriteRequest(body, () => null, {
      // What is not judged, as a stand-in for an open span, stays as it is.
      keeps: (spanId, position) => (held.get(spanId) ?? placeOf(at, position)) === placeOf(at, position),
    }),
  )
  // Requests in protobuf that stand behind each other are one request.
  return Buffer.concat(parts)
}

function placeOf(body: number, position: number): string {
  return `${body}/${position}`
}
