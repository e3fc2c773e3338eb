import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChainReport } from '../../src/report/chain-report.ts'

/** A request that a server got. */
export interface ReceivedRequest {
  readonly method: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly report: ChainReport
}

/** A server of this machine that takes reports. */
export interface ReportServer {
  readonly url: string
  /** Every request whose body came whole, in the order of their ends. */
  readonly received: ReceivedRequest[]
  close(): Promise<void>
}

/** Answers a request, the first of a server having number 0. */
type Answer = (response: ServerResponse, at: number) => void

/** Starts a server on a free port; it answers 204 unless told otherwise. */
export async function startReportServer(
  answer: Answer = (response) => response.writeHead(204).end(),
): Promise<ReportServer> {
  const received: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, headers } = request
      const text = Buffer.concat(chunks).toString()
      received.push({ method, headers, report: JSON.parse(text || 'null') as ChainReport })
      answer(response, received.length - 1)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/reports`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
