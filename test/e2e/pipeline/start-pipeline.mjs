import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startService } from '../../soak/service-process.mjs'
import { findFreePorts } from './find-free-ports.mjs'
import { findCollectorPorts, startCollector } from './start-collector.mjs'
import { startJaeger } from './start-jaeger.mjs'

/** Long enough for the spans of a run to come together, short enough to be waited for. */
const DECISION_WAIT = '2s'

const REPORT_URL = 'https://reports.example/chains/{report_name}'

/**
 * Starts a Collector, the report service and Jaeger, as they are shipped, in one of the two layouts.
 *
 * @param {object} settings
 * @param {'beside' | 'through'} settings.layout
 * @param {string} settings.folder for everything that is written
 * @param {{ collector: string, jaeger: string }} settings.binaries
 * @param {string[]} [settings.serviceOptions] further options of the service
 * @param {Record<string, string>} [settings.collectorEnv] further variables of the configuration of the Collector
 */
export async function startPipeline({ layout, folder, binaries, serviceOptions = [], collectorEnv = {} }) {
  const token = randomBytes(16).toString('hex')
  const tokenFile = join(folder, 'token')
  writeFileSync(tokenFile, token)
  const ports = await findCollectorPorts()
  const [servicePort] = await findFreePorts(1)
  const forward = ['--forward', `http://127.0.0.1:${ports.judged}`, '--report-url', REPORT_URL]
  const options = ['--token-file', tokenFile, ...(layout === 'through' ? forward : []), ...serviceOptions]
  const store = join(folder, 'reports.db')
  const jaeger = await startJaeger({ binary: binaries.jaeger })
  const env = {
    REPORT_SERVICE_URL: `http://127.0.0.1:${servicePort}`,
    AGENT_REACH_TOKEN: token,
    TRACES_ENDPOINT: jaeger.endpoint,
    TRACES_DECISION_WAIT: DECISION_WAIT,
    TRACES_KEEP_PERCENT: '0',
    ...collectorEnv,
  }
  const pipeline = {
    layout,
    folder,
    store,
    token,
    jaeger,
    service: null,
    collector: null,
    startService: async () => {
      pipeline.service = await startService({ store, port: servicePort, options })
    },
    startCollector: async (more = {}) => {
      const settings = { binary: binaries.collector, layout, folder, ports, env: { ...env, ...more } }
      pipeline.collector = await startCollector(settings)
    },
    /** Ends all of it by a signal that cannot be missed. */
    kill: () => Promise.all([pipeline.collector?.kill(), pipeline.service?.kill(), jaeger.kill()]),
  }
  try {
    await pipeline.startService()
    await pipeline.startCollector()
  } catch (error) {
    await pipeline.kill()
    throw error
  }
  return pipeline
}
