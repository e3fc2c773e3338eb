import { makeTrace } from '../../soak/seeded-traces.mjs'
import { readJaegerTrace } from './read-jaeger-trace.mjs'

/**
 * Counts what Jaeger has of the traces that the checker has sent.
 *
 * @param {{ url: string }} jaeger it
 * @param {number} seed of the traces
 * @param {number} traces how many there are
 * @returns {Promise<{ spans: number, copies: number }>} each span once, and what there is beyond that
 */
export async function countInJaeger(jaeger, seed, traces) {
  let spans = 0
  let copies = 0
  for (let number = 0; number < traces; number++) {
    const found = (await readJaegerTrace(jaeger.url, makeTrace(seed, number).traceId)) ?? []
    const distinct = new Set(found.map(({ id }) => id)).size
    spans += distinct
    copies += found.length - distinct
  }
  return { spans, copies }
}
