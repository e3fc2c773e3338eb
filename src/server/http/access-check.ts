import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIPv4 } from 'node:net'
import { HttpProblem } from './http-problem.ts'

/** Who may talk to the server. */
export interface AccessOptions {
  /** The address that is listened on. */
  readonly host: string
  /** What `Authorization: Bearer` has to bring; `null` where nothing is asked. */
  readonly token: string | null
  /** Names beside those of the own machine by which the server may be called, without a port. */
  readonly allowedHosts: readonly string[]
}

/** Holds a request against the rules of access. */
export type AccessCheck = (path: string, headers: IncomingHttpHeaders) => void

// A probe has no token, and learns nothing here but that the server lives.
const OPEN_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz'])
const OWN_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
const VISIBLE_ASCII = /^[\u0021-\u007e]+$/u

/**
 * Makes the check of who may ask. With a token every path but `/healthz` and `/readyz` needs it. Without one the
 * `Host` header has to name the own machine: else a page that a browser loads from elsewhere could make its own name
 * point here, and read along.
 *
 * The check throws an {@link HttpProblem}: 401 without the token, 421 for another host.
 *
 * @throws {TypeError} where the address can be reached from other machines and there is no token, and for a token that
 *   does not fit into a header
 */
export function createAccessCheck(options: AccessOptions): AccessCheck {
  const { host, token } = options
  if (token === null) {
    if (!isLoopback(host)) {
      throw new TypeError(
        `Cannot listen on ${host}: expected a bearer token for an address that other machines reach, found none`,
      )
    }
    return createHostCheck([...OWN_NAMES, host, ...options.allowedHosts])
  }
  if (!VISIBLE_ASCII.test(token)) {
    throw new TypeError(
      'Cannot take the bearer token: expected visible ASCII characters, found others or none',
    )
  }
  return createTokenCheck(token)
}

function createTokenCheck(token: string): AccessCheck {
  const expected = toDigest(token)
  return (path, headers) => {
    if (OPEN_PATHS.has(path)) return
    const given = /^bearer +(\S+) *$/iu.exec(headers.authorization ?? '')?.[1]
    // The digests are of equal length, so the time tells nothing about the token, its length included.
    if (given !== undefined && timingSafeEqual(toDigest(given), expected)) return
    throw new HttpProblem(401, 'A bearer token is needed', { headers: { 'www-authenticate': 'Bearer' } })
  }
}

function createHostCheck(names: readonly string[]): AccessCheck {
  const allowed = new Set(names.map((name) => name.toLowerCase()))
  return (_path, headers) => {
    const name = (headers.host ?? '').replace(/:\d*$/u, '').toLowerCase()
    if (!allowed.has(name)) throw new HttpProblem(421, 'This server is not called by this host name')
  }
}

function toDigest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.')
  return host === 'localhost' || host === '::1'
}
