// Many runs at once, their spans in any order, in requests of any size.
import assert from 'node:assert/strict'
import { startSoak } from '../../soak/run-soak.mjs'
import { countInJaeger } from '../pipeline/count-in-jaeger.mjs'
import { reportArchive } from '../pipeline/read-reports.mjs'
import { waitUntil } from '../pipeline/wait-until.mjs'
import { withPipeline } from '../pipeline/with-pipeline.mjs'

const SEED = 41
const TRACES = 2_000

/**
 * Sends them while all is well: everything comes everywhere, once. Some spans are sent twice where the service feeds
 * Jaeger, since it passes one of them on.
 */
export async function sendMany(layout, { folder, binaries }) {
  const settings = { layout, folder, binaries, collectorEnv: { TRACES_KEEP_PERCENT: '100' } }
  return withPipeline(settings, async (pipeline) => {
    const found = await startSoak({
      url: pipeline.service.url,
      to: pipeline.collector.url,
      token: pipeline.token,
      seed: SEED,
      traces: TRACES,
      parallel: 4,
      duplicates: layout === 'through' ? 0.1 : 0,
      torn: 0,
      wait: 120,
    }).finish()
    assert.equal(found.retried, 0)
    const archived = [...(await reportArchive(pipeline)).values()]
    assert.equal(archived.length, TRACES)
    assert.equal(
      archived.reduce((total, report) => total + report.span_count, 0),
      found.spans,
    )
    const counted = await waitUntil('all spans in Jaeger', async () => {
      const counts = await countInJaeger(pipeline.jaeger, SEED, TRACES)
      return counts.spans === found.spans ? counts : null
    })
    assert.equal(counted.copies, 0)
    return (
      `${TRACES} traces, ${found.spans} spans and ${found.duplicates} copies in ${found.acknowledged} requests, ` +
      `${Math.round(found.spans / found.seconds)} spans/s: all reported, archived and in Jaeger, each once`
    )
  })
}
