import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that the system gives to outgoing connections, one of which would take a port before it is used. */
const FIRST = 12_000
const BEYOND = 30_000

/**
 * Finds ports of this machine that nobody has. All are taken before the first is let go, so they differ.
 *
 * @param {number} count
 * @returns {Promise<number[]>}
 */
export async function findFreePorts(count) {
  const servers = []
  while (servers.length < count) {
    const server = await tryPort(randomInt(FIRST, BEYOND))
    if (server !== null) servers.push(server)
  }
  const ports = servers.map((server) => server.address().port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

async function tryPort(port) {
  const server = createServer().listen(port, '127.0.0.1')
  return once(server, 'listening').then(
    () => server,
    () => null,
  )
}
