import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeMessage } from '../../src/otlp/decode-message.ts'
import { decodeRequest } from '../../src/otlp/decode-request.ts'
import { type ScannedRequest, scanRequest } from '../../src/otlp/scan-request.ts'
import { WireFault } from '../../src/otlp/wire-cursor.ts'
import type { SpanView } from '../../src/steps/span-view.ts'
import { contentOf } from './span-content.ts'
import { damagedRequest, wireRequest } from './wire-requests.ts'

function groupByTrace(spans: readonly SpanView[]): Map<string, SpanView[]> {
  const traces = new Map<string, SpanView[]>()
  for (const span of spans) {
    const { traceId } = span.spanContext()
    traces.set(traceId, [...(traces.get(traceId) ?? []), span])
  }
  return traces
}

function scan(bytes: Buffer): ScannedRequest | undefined {
  try {
    return scanRequest(bytes)
  } catch (error) {
    expect(error).toBeInstanceOf(WireFault)
    return undefined
  }
}

function expectAllSpans(bytes: Buffer): void {
  const { spans, rejected, rejectedSpans } = decodeRequest(bytes)
  const scanned = scan(bytes)
  if (scanned === undefined) {
    expect(spans).toEqual([])
    return
  }
  const traces = groupByTrace(spans)
  const withSpans = scanned.traces.filter((trace) => trace.spans.length > 0)
  expect(withSpans.map(({ traceId }) => traceId).toSorted()).toEqual([...traces.keys()].toSorted())
  for (const { traceId, body, spans: outlines } of withSpans) {
    const read = decodeRequest(body)
    expect(decodeMessage(body).damage.filter(({ kept }) => !kept)).toEqual([])
    expect(read.rejectedSpans).toBe(0)
    expect(read.spans.map(contentOf)).toEqual(traces.get(traceId)?.map(contentOf))
    expect(outlines).toEqual(
      read.spans.map((span) => ({
        spanId: span.spanContext().spanId,
        parentSpanId: span.parentSpanContext?.spanId ?? null,
        isRemote: span.parentSpanContext?.isRemote,
      })),
    )
  }
  expect(scanned.spanCount).toBe(spans.length)
  expect(scanned.rejected).toEqual(rejected)
  const lostLists = rejected.filter(({ path }) => !path.includes('spans[')).length
  expect(scanned.rejectedSpans).toBe(rejectedSpans + lostLists)
}

describe('scanRequest() splits a request by trace', () => {
  it('so that the bodies have all spans that the request has', () => {
    fc.assert(fc.property(wireRequest, expectAllSpans), { numRuns: 500 })
  })

  it('and those that are whole where it is damaged', () => {
    fc.assert(fc.property(damagedRequest, expectAllSpans), { numRuns: 1_000 })
  })

  it('in the same way when what it gives is split again', () => {
    fc.assert(
      fc.property(wireRequest, (bytes) => {
        for (const { traceId, body, spans } of scan(bytes)?.traces ?? []) {
          if (spans.length === 0) continue
          const again = scanRequest(body)
          expect(again.traces.map((trace) => [trace.traceId, trace.body])).toEqual([[traceId, body]])
        }
      }),
      { numRuns: 300 },
    )
  })
})
