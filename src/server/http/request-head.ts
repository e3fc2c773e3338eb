import type { IncomingMessage } from 'node:http'
import { HttpProblem } from './http-problem.ts'

/** Where a request goes. */
export interface RequestTarget {
  /** As it came, percent-encoded. */
  readonly path: string
  readonly query: URLSearchParams
}

/** Splits what a request asks for into path and query. A target that is no path is taken as one that is nowhere. */
export function readTarget({ url = '' }: IncomingMessage): RequestTarget {
  const queryAt = url.indexOf('?')
  if (queryAt === -1) return { path: url, query: new URLSearchParams() }
  return { path: url.slice(0, queryAt), query: new URLSearchParams(url.slice(queryAt + 1)) }
}

/**
 * Refuses what the parser of Node lets through although two readers could take it for different requests: another
 * version of HTTP, several hosts, and codings of the transfer other than `chunked`.
 *
 * @throws {HttpProblem} 400, 501 or 505
 */
export function checkHead(incoming: IncomingMessage): void {
  const { httpVersion, headers, rawHeaders } = incoming
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    throw new HttpProblem(505, 'This server speaks HTTP/1.1')
  const coding = headers['transfer-encoding']
  if (coding !== undefined && httpVersion === '1.0') {
    throw new HttpProblem(400, 'HTTP/1.0 has no Transfer-Encoding')
  }
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new HttpProblem(501, 'The only transfer coding here is chunked')
  }
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1) throw new HttpProblem(400, 'A request has one Host')
}
