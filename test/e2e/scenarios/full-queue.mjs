// The service is away for a minute, and the queue of the Collector does not hold what comes meanwhile.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { runStore } from '../../soak/service-process.mjs'
import { countInJaeger } from '../pipeline/count-in-jaeger.mjs'
import { sumMetric } from '../pipeline/sum-metric.mjs'
import { waitUntil } from '../pipeline/wait-until.mjs'
import { startLoad } from '../pipeline/start-load.mjs'
import { withPipeline } from '../pipeline/with-pipeline.mjs'

const SEED = 53
const AWAY_MS = 60_000

/** Room for some thousand spans; the batches that are made of them must fit into it. */
const SMALL_QUEUE =
  'yaml:{exporters: {otlp_http/service: {sending_queue: {queue_size: 1000000, batch: {min_size: 200000, max_size: 500000}}}}}'

/** Longer than the sampler keeps the last spans. */
const SETTLED_MS = 6_000

/**
 * Who sends is refused when the queue is full, and comes again; the Collector is killed while it is full. What it has
 * acknowledged is in the one report of its trace, once.
 */
export async function fillQueue(layout, { folder, binaries }) {
  const settings = {
    layout,
    folder,
    binaries,
    overlays: [SMALL_QUEUE],
    collectorEnv: { TRACES_KEEP_PERCENT: '100' },
  }
  return withPipeline(settings, async (pipeline) => {
    const soak = startLoad(pipeline, { seed: SEED, pace: 40, wait: 180 })
    try {
      await sleep(1_000)
      const away = sleep(AWAY_MS)
      await pipeline.service.kill()
      const refused = await waitUntil('the queue to be full', async () => {
        const spans = await sumMetric(
          pipeline.collector,
          'otelcol_exporter_enqueue_failed_spans',
          'exporter="otlp_http/service"',
        )
        return spans > 0 ? spans : null
      })
      await pipeline.collector.kill()
      await pipeline.startCollector()
      await away
      await pipeline.startService()
      const found = await soak.finish()
      assert.ok(found.retried > 0, 'nobody was refused')
      await pipeline.service.stop()
      assert.deepEqual(runStore('verify', pipeline.store), { status: 0, output: 'nothing is wrong' })
      await pipeline.startService()
      await sleep(SETTLED_MS)
      const { spans, copies } = await countInJaeger(pipeline.jaeger, SEED, found.traces)
      return (
        `away for ${AWAY_MS / 1_000} s, killed when ${refused} spans had been refused; ${found.traces} traces, ` +
        `${found.spans} spans in ${found.acknowledged} requests, ${found.retried} sent again: all reported, each span once; ` +
        `Jaeger has ${spans}, and ${copies} copies`
      )
    } finally {
      soak.kill()
    }
  })
}
