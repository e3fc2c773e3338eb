// What Compose lays over the configuration of the Collector.
import assert from 'node:assert/strict'
import { checkJaeger, checkReports } from '../pipeline/check-run.mjs'
import { runPython } from '../pipeline/senders.mjs'
import { findJaegerPorts, startJaeger } from '../pipeline/start-jaeger.mjs'
import { tokenFileIn } from '../pipeline/start-pipeline.mjs'
import { withPipeline } from '../pipeline/with-pipeline.mjs'

const files = { beside: 'compose/collector.yaml', through: 'compose/collector.through.yaml' }

/** The token comes from a file, and a second backend, for which another Jaeger stands, gets what the first one gets. */
export async function runAsInCompose(layout, { folder, binaries }) {
  const ports = await findJaegerPorts()
  const second = await startJaeger({ binary: binaries.jaeger, ports })
  try {
    // The path in the container is no place for a test.
    const file = `yaml:extensions::bearertokenauth/service::filename: ${tokenFileIn(folder)}`
    const collectorEnv = { AGENT_REACH_TOKEN: 'another', TEMPO_ENDPOINT: `127.0.0.1:${ports.otlp}` }
    const settings = { layout, folder, binaries, collectorEnv, overlays: [files[layout], file] }
    return await withPipeline(settings, async (pipeline) => {
      const sent = await runPython(binaries.python, pipeline.collector, 'broken')
      await checkReports(pipeline, sent)
      const backends = await Promise.all([pipeline, { jaeger: second }].map((one) => checkJaeger(one, sent)))
      const [first, other] = backends.map((spans) => spans.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
      assert.deepEqual(first, other)
      return `${sent.spans} spans, the same in both backends`
    })
  } finally {
    await second.kill()
  }
}
