import type { Metric } from './metric-source.ts'

/**
 * What became of a request: all spans taken; some or all of them rejected; not readable; too large; of a type or coding
 * that is not taken; refused for now; failed; gone before it was read.
 */
export const receiveOutcomes = [
  'accepted',
  'partial',
  'invalid',
  'too_large',
  'unsupported',
  'unavailable',
  'failed',
  'aborted',
] as const

/** See {@link receiveOutcomes}. */
export type ReceiveOutcome = (typeof receiveOutcomes)[number]

/** What was received since the start. Requests without token or at other paths are in none of it. */
export interface ReceiveCounts {
  readonly requests: Record<ReceiveOutcome, number>
  /** Bytes of bodies as they came. */
  receivedBytes: number
  /** The same unpacked. */
  unpackedBytes: number
  acceptedSpans: number
  rejectedSpans: number
}

/** What is received now. */
export interface ReceiveLoad {
  readonly requests: number
  readonly bytes: number
}

/** Starts to count. */
export function createReceiveCounts(): ReceiveCounts {
  const requests = Object.fromEntries(receiveOutcomes.map((outcome) => [outcome, 0]))
  return {
    requests: requests as Record<ReceiveOutcome, number>,
    receivedBytes: 0,
    unpackedBytes: 0,
    acceptedSpans: 0,
    rejectedSpans: 0,
  }
}

/** Shows the counts as metrics. */
export function toReceiveMetrics(counts: ReceiveCounts, load: ReceiveLoad): readonly Metric[] {
  return [
    {
      name: 'agent_reach_receiver_requests_total',
      help: 'Requests with spans, by what became of them',
      type: 'counter',
      samples: receiveOutcomes.map((outcome) => ({ labels: { outcome }, value: counts.requests[outcome] })),
    },
    counter('received_bytes', 'Bytes of request bodies as they came', counts.receivedBytes),
    counter('unpacked_bytes', 'Bytes of request bodies, unpacked', counts.unpackedBytes),
    counter('accepted_spans', 'Spans that were stored', counts.acceptedSpans),
    counter('rejected_spans', 'Spans that could not be read', counts.rejectedSpans),
    gauge('requests_in_flight', 'Requests that are being received or stored', load.requests),
    gauge('bytes_in_flight', 'Bytes that these requests hold', load.bytes),
  ]
}

function counter(name: string, help: string, value: number): Metric {
  return { name: `agent_reach_receiver_${name}_total`, help, type: 'counter', samples: [{ value }] }
}

function gauge(name: string, help: string, value: number): Metric {
  return { name: `agent_reach_receiver_${name}`, help, type: 'gauge', samples: [{ value }] }
}
