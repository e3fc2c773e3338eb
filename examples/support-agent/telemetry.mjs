import { appendFile, mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { AgentReachProcessor } from 'agent-reach'

/** Where an OpenTelemetry Collector listens by default. */
export const DEFAULT_ENDPOINT = 'http://localhost:4318'

/**
 * Where spans and reports go.
 * @typedef {object} TelemetryOptions
 * @property {string | undefined} [endpoint] the base URL of an OTLP receiver
 * @property {string | undefined} [file] a file to append the spans to, one request body a line
 * @property {string | undefined} [reports] the folder of the chain reports
 * @property {(report: import('agent-reach').ChainReport) => void} [onReport] told of each report
 */

/**
 * Registers a tracer provider that judges spans and sends them by OTLP over HTTP.
 *
 * @param {TelemetryOptions} [options] with neither `endpoint` nor `file` the spans go to `DEFAULT_ENDPOINT`
 * @returns {Promise<{ stop: () => Promise<void> }>} `stop` sends what is left and rejects if that fails
 */
export async function startTelemetry({ endpoint, file, reports, onReport } = {}) {
  const receiver = file === undefined ? undefined : await startFileReceiver(file)
  const ownEndpoint = endpoint ?? (file === undefined ? DEFAULT_ENDPOINT : undefined)
  const urls = [receiver?.url, ownEndpoint].filter((url) => url !== undefined)
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'support-agent' }),
    spanProcessors: [
      new AgentReachProcessor({ ...(reports && { reports }), ...(onReport && { onReport }) }),
      ...urls.map((url) => new BatchSpanProcessor(createExporter(url))),
    ],
  })
  provider.register()
  return {
    async stop() {
      try {
        await provider.forceFlush()
      } finally {
        await provider.shutdown()
        await receiver?.close()
      }
    },
  }
}

/** @param {string} url */
function createExporter(url) {
  return new OTLPTraceExporter({
    url: `${url.replace(/\/$/, '')}/v1/traces`,
    // Retries would keep a command line waiting for ten seconds where nobody listens.
    timeoutMillis: 2000,
  })
}

/**
 * A receiver on this machine that writes each request body to a file as one line. With it a file gets
 * exactly what the exporter sends.
 * @param {string} file
 */
async function startFileReceiver(file) {
  await mkdir(dirname(file), { recursive: true })
  const server = createServer((request, response) => {
    readBody(request)
      .then((body) => appendFile(file, `${body}\n`))
      .then(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
      .catch((error) => response.writeHead(500).end(String(error)))
  })
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(undefined))
  })
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = new Promise((resolve) => {
        server.close(resolve)
      })
      // The exporter keeps its connection open, and close() waits for open connections.
      server.closeAllConnections()
      await closed
    },
  }
}

/** @param {import('node:http').IncomingMessage} request */
async function readBody(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  // Compression is off by default, but the environment can turn it on.
  const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
  return plain.toString('utf8')
}
