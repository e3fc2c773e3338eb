// The requests with which the report service is measured: each a whole trace of 30 spans as an exporter encodes them,
// some 280 KB before it is compressed.
import { encodeSpans } from '../test/soak/encode-spans.mjs'
import { seeded } from './agent-workload.mjs'
import { dialects, traceSpans } from './write-agent-traces.mjs'

const STARTED_MS = 1_764_460_800_000

/**
 * Makes requests with traces of their own; the same seed makes the same ones.
 *
 * @param {number} count
 * @param {{seed?: number, spans?: number, gzip?: boolean}} [options]
 * @returns {{body: Buffer, headers: Record<string, string>}[]}
 */
export function createRequests(count, { seed = 1, spans = 30, gzip = true } = {}) {
  const random = seeded(seed)
  const kinds = Object.values(dialects)
  return Array.from({ length: count }, (_, number) => {
    const all = traceSpans(random, kinds[number % kinds.length], STARTED_MS + number * 1_000)
    return encodeSpans([...all.slice(0, spans - 1), all.at(-1)].map(toSpan), { json: false, gzip })
  })
}

function toSpan({
  traceId,
  spanId,
  parentSpanId = null,
  name,
  startTimeUnixNano,
  endTimeUnixNano,
  attributes,
}) {
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    startMs: Number(BigInt(startTimeUnixNano) / 1_000_000n),
    endMs: Number(BigInt(endTimeUnixNano) / 1_000_000n),
    attributes: Object.fromEntries(
      attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
    ),
  }
}
