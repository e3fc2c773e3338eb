import { onTestFinished } from 'vitest'
import type { HttpHandler } from '../../../src/server/http/http-handler.ts'
import { HttpServer, type HttpServerOptions } from '../../../src/server/http/http-server.ts'

/** A server that runs until the end of the test, and what it has logged. */
export interface Serving {
  readonly server: HttpServer
  readonly port: number
  readonly url: string
  readonly log: string[]
}

/** Starts a server on a free port. Without `routes` it echoes the method, path, query and body at `/echo`. */
export async function serve(options: Partial<HttpServerOptions> = {}): Promise<Serving> {
  const log: string[] = []
  const routes = options.routes ?? ['GET', 'POST'].map((method) => ({ method, path: '/echo', handler: echo }))
  const server = new HttpServer({
    port: 0,
    log: (level, message, fields) => void log.push(`${level} ${message} ${JSON.stringify(fields)}`),
    random: () => 0.5,
    ...options,
    routes,
  })
  const { port, url } = await server.listen()
  onTestFinished(async () => server.close(0))
  return { server, port, url, log }
}

const echo: HttpHandler = async (request) => {
  const body = await request.readBody(100_000)
  const { method, path, query } = request
  return { status: 200, body: JSON.stringify({ method, path, query: [...query], body: body.toString() }) }
}
