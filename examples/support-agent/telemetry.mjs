import { appendFile, mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { PhaseSpanProcessor } from './phase.mjs'

/** Where an OpenTelemetry Collector listens by default. */
export const DEFAULT_ENDPOINT = 'http://localhost:4318'

/**
 * Registers a tracer provider that sends spans by OTLP over HTTP.
 *
 * @param {object} [options]
 * @param {string | undefined} [options.endpoint] the receiver's base URL
 * @param {string | undefined} [options.file] a file to append to instead, one request body a line
 * @returns {Promise<{ stop: () => Promise<void> }>} `stop` sends what is left and rejects if that fails
 */
export async function startTelemetry({ endpoint = DEFAULT_ENDPOINT, file } = {}) {
  const receiver = file === undefined ? undefined : await startFileReceiver(file)
  const exporter = new OTLPTraceExporter({
    url: `${(receiver?.url ?? endpoint).replace(/\/$/, '')}/v1/traces`,
    // Retries would keep a command line waiting for ten seconds where nobody listens.
    timeoutMillis: 2000,
  })
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'support-agent' }),
    spanProcessors: [new PhaseSpanProcessor(), new BatchSpanProcessor(exporter)],
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
