import assert from 'node:assert/strict'

/**
 * A span to be sent in JSON.
 *
 * @typedef {object} JsonSpan
 * @property {string} traceId in hexadecimal
 * @property {string} spanId in hexadecimal
 * @property {string} [parentSpanId] absent on a root
 * @property {string} name of the operation
 * @property {number} startMs since the epoch
 * @property {number} endMs since the epoch
 * @property {Record<string, string>} attributes of the span
 */

/** Attributes as JSON of OTLP has them. */
export const toPairs = (values) =>
  Object.entries(values).map(([key, value]) => ({ key, value: { stringValue: value } }))

function toJsonSpan({ startMs, endMs, attributes, ...span }) {
  return {
    ...span,
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${endMs}000000`,
    attributes: toPairs(attributes),
  }
}

/** Posts a request in JSON; the Collector has to take it. */
export async function postJson({ url }, request) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/v1/traces`, { method: 'POST', headers, body: JSON.stringify(request) })
  assert.equal(answer.status, 200)
}

/**
 * Sends spans to the Collector.
 *
 * @param {{ url: string }} collector it
 * @param {JsonSpan[]} spans of a service called shop
 */
export function sendJson(collector, spans) {
  const resource = { attributes: toPairs({ 'service.name': 'shop' }) }
  return postJson(collector, {
    resourceSpans: [{ resource, scopeSpans: [{ spans: spans.map(toJsonSpan) }] }],
  })
}
