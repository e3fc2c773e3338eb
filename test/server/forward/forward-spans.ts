import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node'
import { expect } from 'vitest'
import { createTraceDecoder } from '../../../src/otlp/decode-json.ts'
import { decodeMessage } from '../../../src/otlp/decode-message.ts'
import type { DecodedSpan } from '../../../src/otlp/decoded-span.ts'
import { TraceEvidence } from '../../../src/pipeline/trace-evidence.ts'
import type { ChainReport } from '../../../src/report/chain-report.ts'
import { defaultRules } from '../../../src/rules/rules.ts'
import { toForwardBody } from '../../../src/server/forward-body.ts'
import type { MarkOptions } from '../../../src/server/mark-spans.ts'
import type { StoredTrace } from '../../../src/server/report-store.ts'

/** The spans of a request, by the decoder of files. */
export function decodeBody(body: Buffer): readonly DecodedSpan[] {
  const { value, damage } = decodeMessage(body)
  expect(damage).toEqual([])
  return createTraceDecoder()(value).spans
}

/** Spans of the SDK as the request in which it exports them. */
export function toBody(spans: readonly ReadableSpan[]): Buffer {
  return Buffer.from(ProtobufTraceSerializer.serializeRequest([...spans]) ?? [])
}

/** What is stored of a trace, each body being a chunk with its number, from 1. */
export function storedTrace(bodies: readonly Buffer[], forwardedChunk = 0): StoredTrace {
  const [first] = decodeBody(bodies[0] as Buffer)
  return {
    traceId: first?.spanContext().traceId ?? '',
    bodies,
    numbers: bodies.map((_, at) => at + 1),
    rejectedSpans: 0,
    lastChunk: bodies.length,
    forwardedChunk,
    revision: 0,
  }
}

/** Judges what is stored of a trace. */
export function evidenceOf(trace: StoredTrace, rules: MarkOptions['rules'] = defaultRules): TraceEvidence {
  const evidence = new TraceEvidence(trace.traceId, rules, 1_000)
  for (const body of trace.bodies) for (const span of decodeBody(body)) evidence.add(span)
  return evidence
}

/** The report of spans, all of one trace. */
export function reportsOf(body: Buffer, rules?: MarkOptions['rules']): readonly ChainReport[] {
  return evidenceOf(storedTrace([body]), rules).report()
}

/** The body in which a trace goes on. */
export function forwardBody(trace: StoredTrace, options: Partial<MarkOptions> = {}): Buffer {
  const rules = options.rules ?? defaultRules
  return toForwardBody(trace, evidenceOf(trace, rules).settle(), { ...options, rules })
}

/** The spans of a trace as they go on. */
export function forward(trace: StoredTrace, options: Partial<MarkOptions> = {}): readonly DecodedSpan[] {
  return decodeBody(forwardBody(trace, options))
}
