import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startService } from '../../soak/service-process.mjs'
import { findFreePorts } from './find-free-ports.mjs'
import { findCollectorPorts, startCollector } from './start-collector.mjs'
import { findJaegerPorts, startJaeger } from './start-jaeger.mjs'

/** Long enough for the spans of a run to come together, short enough to be waited for. */
const DECISION_WAIT = '2s'

const REPORT_URL = 'https://reports.example/chains/{report_name}'

/** The file that the token of the service is in. */
export const tokenFileIn = (folder) => join(folder, 'token')

/**
 * Starts a Collector, the report service and Jaeger, as they are shipped, in one of the two layouts.
 *
 * @param {object} settings
 * @param {'beside' | 'through'} settings.layout
 * @param {string} settings.folder for everything that is written
 * @param {{ collector: string, jaeger: string }} settings.binaries
 * @param {string[]} [settings.serviceOptions] further options of the service
 * @param {Record<string, string>} [settings.collectorEnv] further variables of the configuration of the Collector
 * @param {string[]} [settings.overlays] what is laid over its configuration
 */
export async function startPipeline(settings) {
  const { layout, folder, binaries, serviceOptions = [], collectorEnv = {}, overlays = [] } = settings
  // With a token in one layout and without in the other: both have to work.
  const token = layout === 'beside' ? randomBytes(16).toString('hex') : 'none'
  const tokenFile = tokenFileIn(folder)
  writeFileSync(tokenFile, token)
  const ports = await findCollectorPorts()
  const [servicePort] = await findFreePorts(1)
  const forward = ['--forward', `http://127.0.0.1:${ports.judged}`, '--report-url', REPORT_URL]
  const options = [...(layout === 'through' ? forward : ['--token-file', tokenFile]), ...serviceOptions]
  const store = join(folder, 'reports.db')
  const jaegerPorts = await findJaegerPorts()
  const env = {
    REPORT_SERVICE_URL: `http://127.0.0.1:${servicePort}`,
    AGENT_REACH_TOKEN: token,
    TRACES_ENDPOINT: `127.0.0.1:${jaegerPorts.otlp}`,
    TRACES_DECISION_WAIT: DECISION_WAIT,
    TRACES_KEEP_PERCENT: '0',
    ...collectorEnv,
  }
  const pipeline = {
    layout,
    folder,
    store,
    token,
    jaeger: null,
    service: null,
    collector: null,
    startJaeger: async () => {
      pipeline.jaeger = await startJaeger({ binary: binaries.jaeger, ports: jaegerPorts })
    },
    startService: async () => {
      pipeline.service = await startService({ store, port: servicePort, options })
    },
    startCollector: async (more = {}) => {
      const binary = binaries.collector
      const all = { ...env, ...more }
      pipeline.collector = await startCollector({ binary, layout, folder, ports, env: all, overlays })
    },
    /** Ends all of it by a signal that cannot be missed. */
    kill: () =>
      Promise.all([pipeline.collector, pipeline.service, pipeline.jaeger].map((program) => program?.kill())),
  }
  try {
    await pipeline.startJaeger()
    await pipeline.startService()
    await pipeline.startCollector()
  } catch (error) {
    await pipeline.kill()
    throw error
  }
  return pipeline
}
