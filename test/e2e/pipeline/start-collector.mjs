import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFreePorts } from './find-free-ports.mjs'
import { startProgram } from './start-program.mjs'

const deploy = fileURLToPath(new URL('../../../deploy/', import.meta.url))

/** The shipped configurations. */
const files = {
  beside: 'collector/collector-config.yaml',
  through: 'collector/collector-config.through.yaml',
}

const toAddress = (part) => (part.startsWith('yaml:') ? part : join(deploy, part))

/** @returns ports that a Collector keeps over its restarts */
export async function findCollectorPorts() {
  const [http, grpc, judged, health, metrics] = await findFreePorts(5)
  return { http, grpc, judged, health, metrics }
}

/**
 * Starts the Collector as it is shipped.
 *
 * @param {object} settings
 * @param {string} settings.binary
 * @param {'beside' | 'through'} settings.layout
 * @param {string} settings.folder for its queue and its archive
 * @param {Record<string, number>} settings.ports of `findCollectorPorts`
 * @param {Record<string, string>} settings.env what else its configuration asks for
 * @param {string[]} settings.overlays what is laid over its configuration: files of `deploy/compose`, or `yaml:` and text
 */
export async function startCollector({ binary, layout, folder, ports, env, overlays }) {
  const archive = join(folder, 'archive')
  const program = await startProgram({
    file: binary,
    args: [files[layout], ...overlays].flatMap((part) => ['--config', toAddress(part)]),
    cwd: folder,
    healthUrl: `http://127.0.0.1:${ports.health}/`,
    env: {
      COLLECTOR_HTTP_PORT: String(ports.http),
      COLLECTOR_GRPC_PORT: String(ports.grpc),
      COLLECTOR_JUDGED_PORT: String(ports.judged),
      COLLECTOR_HEALTH_PORT: String(ports.health),
      COLLECTOR_METRICS_PORT: String(ports.metrics),
      COLLECTOR_QUEUE: join(folder, 'queue'),
      COLLECTOR_ARCHIVE: archive,
      ...env,
    },
  })
  return {
    ...program,
    archive,
    url: `http://127.0.0.1:${ports.http}`,
    grpcUrl: `http://127.0.0.1:${ports.grpc}`,
    metricsUrl: `http://127.0.0.1:${ports.metrics}/metrics`,
  }
}
