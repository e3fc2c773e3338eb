import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Where the service listens. */
export interface ListeningAddress {
  /** An address, or a name; `0.0.0.0` and `::` are all addresses of the machine. */
  readonly host: string
  readonly port: number
}

/**
 * Reads the address of an OTLP/HTTP endpoint. One without a path gets `/v1/traces`, any other path stays.
 *
 * @throws {TypeError} where it is no `http:` or `https:` address, or has a user name or password in it
 */
export function readForwardUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw toUrlError(url === null ? 'none' : url.protocol)
  }
  // Neither is told: it would bring the password into a log.
  if (url.username !== '' || url.password !== '') throw toUrlError('one with them')
  if (url.pathname === '/') url.pathname = '/v1/traces'
  url.hash = ''
  return url
}

function toUrlError(found: string): TypeError {
  const expected = 'expected an http: or https: address without user name and password'
  return new TypeError(`Cannot forward spans: ${expected}, found ${found}`)
}

/**
 * Refuses to forward to the service itself, which would send each span round and round. It sees addresses of this
 * machine; what comes back by way of another machine it does not see.
 *
 * @throws {TypeError} where the endpoint is where the service listens
 */
export async function refuseOwnAddress(url: URL, listening: ListeningAddress): Promise<void> {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  if (port !== listening.port) return
  const targets = await toAddresses(url.hostname.replace(/^\[|\]$/gu, ''))
  const own = await ownAddresses(listening.host)
  if (targets.some((address) => own(address))) {
    const expected = 'expected an endpoint other than the address on which the service listens'
    throw new TypeError(`Cannot forward spans: ${expected}, found ${url.origin}`)
  }
}

async function ownAddresses(host: string): Promise<(address: string) => boolean> {
  const listening = await toAddresses(host.replace(/^\[|\]$/gu, ''))
  if (!listening.some(isWildcard)) return (address) => isWildcard(address) || listening.includes(address)
  const local = Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).map(({ address }) => address),
  )
  return (address) => isWildcard(address) || isLoopback(address) || local.includes(address)
}

/** A name that cannot be looked up is nobody's address now. */
async function toAddresses(host: string): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [unmap(host)]
  if (host === 'localhost') return ['127.0.0.1', '::1', ...(await find(host))]
  return find(host)
}

async function find(host: string): Promise<readonly string[]> {
  try {
    const found = await lookup(host, { all: true })
    return found.map(({ address }) => unmap(address))
  } catch {
    return []
  }
}

/** An IPv4 address that is written as one of IPv6. */
function unmap(address: string): string {
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1]
  if (dotted !== undefined) return dotted
  const hex = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/iu.exec(address)
  if (hex === null) return address
  const [high, low] = [parseInt(hex[1] ?? '', 16), parseInt(hex[2] ?? '', 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

function isWildcard(address: string): boolean {
  return address === '0.0.0.0' || address === '::'
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}
