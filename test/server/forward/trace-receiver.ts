import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'

/** A request that a receiver got whole. */
export interface ReceivedBody {
  readonly path: string | undefined
  readonly method: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The port of the sender: the same one for requests over one connection. */
  readonly from: number | undefined
}

/** An endpoint of OTLP/HTTP on this machine. */
export interface TraceReceiver {
  readonly url: URL
  readonly port: number
  readonly received: ReceivedBody[]
  /** Requests that are not answered yet at most, so far. */
  readonly mostAtATime: number
}

/** Answers a request, the first one having number 0. */
export type Answering = (response: ServerResponse, at: number) => void

/** Starts an endpoint that answers 200 unless told otherwise; it ends with the test. */
export async function startReceiver(
  answer: Answering = (response) => response.writeHead(200).end(),
): Promise<TraceReceiver> {
  const received: ReceivedBody[] = []
  const open = { now: 0, most: 0 }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    open.most = Math.max(open.most, ++open.now)
    response.on('close', () => open.now--)
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, headers, url: path } = request
      const body = gunzipSync(Buffer.concat(chunks))
      received.push({ method, headers, path, body, from: request.socket.remotePort })
      answer(response, received.length - 1)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}/v1/traces`),
    port,
    received,
    get mostAtATime() {
      return open.most
    },
  }
}
