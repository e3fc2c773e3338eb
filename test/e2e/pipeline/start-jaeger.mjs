import { fileURLToPath } from 'node:url'
import { findFreePorts } from './find-free-ports.mjs'
import { startProgram } from './start-program.mjs'

const deploy = fileURLToPath(new URL('../../../deploy/jaeger/', import.meta.url))

/**
 * Starts Jaeger as it is shipped.
 *
 * @param {object} settings
 * @param {string} settings.binary
 */
export async function startJaeger({ binary }) {
  const [otlp, query, grpc, health, metrics] = await findFreePorts(5)
  const url = `http://127.0.0.1:${query}`
  const program = await startProgram({
    file: binary,
    args: ['--config', 'jaeger.yaml'],
    cwd: deploy,
    healthUrl: `${url}/api/services`,
    env: {
      JAEGER_OTLP_PORT: String(otlp),
      JAEGER_QUERY_PORT: String(query),
      JAEGER_GRPC_PORT: String(grpc),
      JAEGER_HEALTH_PORT: String(health),
      JAEGER_METRICS_PORT: String(metrics),
    },
  })
  return { ...program, url, endpoint: `127.0.0.1:${otlp}` }
}
