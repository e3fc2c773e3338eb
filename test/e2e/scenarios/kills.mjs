// The Collector and the service are killed under load, while spans wait in the queue on the disk.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { runStore } from '../../soak/service-process.mjs'
import { countInJaeger } from '../pipeline/count-in-jaeger.mjs'
import { reportArchive } from '../pipeline/read-reports.mjs'
import { sumMetric } from '../pipeline/sum-metric.mjs'
import { startLoad } from '../pipeline/start-load.mjs'
import { withPipeline } from '../pipeline/with-pipeline.mjs'

const SEED = 31
const ROUNDS = 3

/** Longer than the sampler keeps the last spans. */
const SETTLED_MS = 6_000

/**
 * Kills both in turn. The checker makes sure that each span that the Collector has acknowledged is in the one report of
 * its trace, once; what Jaeger has is counted.
 */
export async function killBoth(layout, { folder, binaries }) {
  // All traces are kept, so that those in Jaeger can be counted.
  const settings = { layout, folder, binaries, collectorEnv: { TRACES_KEEP_PERCENT: '100' } }
  return withPipeline(settings, async (pipeline) => {
    const soak = startLoad(pipeline, { seed: SEED, pace: 60, wait: 120 })
    try {
      const waiting = []
      while (waiting.length < ROUNDS) waiting.push(await killInTurn(pipeline, waiting.at(-1) ?? 0))
      const found = await soak.finish()
      await pipeline.service.stop()
      assert.deepEqual(runStore('verify', pipeline.store), { status: 0, output: 'nothing is wrong' })
      await pipeline.startService()
      await sleep(SETTLED_MS)
      const { spans, copies } = await countInJaeger(pipeline.jaeger, SEED, found.traces)
      const archived = [...(await reportArchive(pipeline)).values()]
      const inArchive = archived.reduce((total, report) => total + report.span_count, 0)
      return (
        `${ROUNDS} kills of each with ${waiting.join(', ')} spans in the queue; ${found.traces} traces, ` +
        `${found.spans} spans in ${found.acknowledged} requests, ${found.retried} sent again: all reported, each span once; ` +
        `the archive has ${inArchive} of them, Jaeger ${spans}, and ${copies} copies`
      )
    } finally {
      soak.kill()
    }
  })
}

/**
 * @param {number} left in the queue by the kill before, which has been brought to the service since
 * @returns {Promise<number>} how many spans waited in the queue when the Collector was killed
 */
async function killInTurn(pipeline, left) {
  await sleep(1_500)
  await pipeline.service.kill()
  await sleep(2_000)
  const waiting = left + (await countTaken(pipeline))
  await pipeline.collector.kill()
  await sleep(500)
  await pipeline.startCollector()
  await sleep(1_000)
  await pipeline.startService()
  assert.ok(waiting > 0, 'nothing waited in the queue')
  return waiting
}

/** How many spans it has taken since it was started, less those that it has brought to the service. */
async function countTaken({ collector }) {
  const accepted = await sumMetric(collector, 'otelcol_receiver_accepted_spans', 'receiver="otlp"')
  return (
    accepted - (await sumMetric(collector, 'otelcol_exporter_sent_spans', 'exporter="otlp_http/service"'))
  )
}
