// Who has no room says so, and who is told so comes again.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { checkReports } from '../pipeline/check-run.mjs'
import { runGo } from '../pipeline/senders.mjs'
import { sumMetric } from '../pipeline/sum-metric.mjs'
import { waitUntil } from '../pipeline/wait-until.mjs'
import { withPipeline } from '../pipeline/with-pipeline.mjs'

const emptyRequest = () => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  // A request without spans does not get as far as the limiter.
  body: JSON.stringify({
    resourceSpans: [
      { scopeSpans: [{ spans: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'probe' }] }] },
    ],
  }),
})

/** The memory limiter of the Collector refuses; the SDK of the sender keeps its spans and comes again. */
export async function refuseForMemory({ folder, binaries }) {
  // More than one MiB is in use from the start.
  const collectorEnv = { COLLECTOR_MEMORY_MIB: '1' }
  return withPipeline({ layout: 'beside', folder, binaries, collectorEnv }, async (pipeline) => {
    const { url } = pipeline.collector
    const status = await waitUntil('a refusal', async () => {
      const answer = await fetch(`${url}/v1/traces`, emptyRequest())
      return answer.status === 200 ? null : answer.status
    })
    assert.equal(status, 503)
    const sending = runGo(binaries.goSender, pipeline.collector, 'broken', 'http/protobuf')
    await waitUntil('the sender to be refused', async () => {
      const refused = await sumMetric(pipeline.collector, 'otelcol_receiver_refused_spans')
      return refused > 10 ? refused : null
    })
    assert.equal(await pipeline.collector.stop(), 0)
    await pipeline.startCollector({ COLLECTOR_MEMORY_MIB: '512' })
    const sent = await sending
    await checkReports(pipeline, sent)
    return `503 to the first attempt; ${sent.spans} spans of the next one are reported`
  })
}

/** The service has no room for a second request; the Collector keeps what it brought and comes again. */
export async function refuseForLoad({ folder, binaries }) {
  const serviceOptions = ['--max-requests', '1']
  return withPipeline({ layout: 'beside', folder, binaries, serviceOptions }, async (pipeline) => {
    const slow = startSlowRequest(pipeline)
    const sent = await runGo(binaries.goSender, pipeline.collector, 'broken', 'grpc')
    const refused = await waitUntil('the Collector to be refused', async () => {
      const text = await readMetrics(pipeline)
      return Number(/outcome="unavailable"\} (\d+)/u.exec(text)?.[1] ?? 0) || null
    })
    slow.destroy()
    await checkReports(pipeline, sent)
    return `${refused} requests refused; ${sent.spans} spans of the next one are reported`
  })
}

/** A request that begins and does not go on: it takes the only place that there is. */
function startSlowRequest({ service, token }) {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': '1000',
  }
  const slow = request(new URL('/v1/traces', service.url), { method: 'POST', headers, agent: false })
  // It is torn at the end.
  slow.on('error', () => {})
  slow.write('{')
  return slow
}

const readMetrics = async ({ service, token }) =>
  (await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text()
