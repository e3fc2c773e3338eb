import { fileURLToPath } from 'node:url'
import { findFreePorts } from './find-free-ports.mjs'
import { startProgram } from './start-program.mjs'

const deploy = fileURLToPath(new URL('../../../deploy/jaeger/', import.meta.url))

/** @returns ports that Jaeger keeps over its restarts */
export async function findJaegerPorts() {
  const [otlp, query, grpc, health, metrics] = await findFreePorts(5)
  return { otlp, query, grpc, health, metrics }
}

/**
 * Starts Jaeger as it is shipped, with nothing in it.
 *
 * @param {object} settings
 * @param {string} settings.binary
 * @param {Record<string, number>} settings.ports of `findJaegerPorts`
 */
export async function startJaeger({ binary, ports }) {
  const { otlp, query, grpc, health, metrics } = ports
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
  return { ...program, url }
}
