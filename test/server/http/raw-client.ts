import { connect, type Socket } from 'node:net'

/** A connection that sends what it is told, byte for byte. */
export interface RawClient {
  readonly socket: Socket
  /** What has come, as Latin-1. */
  readonly received: () => string
  readonly send: (bytes: string | Buffer) => void
  /** Resolves when what has come matches, or rejects after 10 seconds. */
  readonly until: (pattern: RegExp) => Promise<string>
  /** Resolves with all that has come when the other side has closed. */
  readonly closed: Promise<string>
}

/** Connects to the own machine. */
export async function openRaw(port: number): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  const listeners = new Set<() => void>()
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    for (const listener of listeners) listener()
  })
  socket.on('error', () => undefined)
  const closed = new Promise<string>((resolve) => {
    socket.on('close', () => resolve(text))
  })
  await new Promise<void>((resolve) => {
    socket.on('connect', () => resolve())
  })
  const until = async (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`Nothing like ${pattern} came, but: ${text}`)), 10_000)
      const check = (): void => {
        if (!pattern.test(text)) return
        clearTimeout(timer)
        listeners.delete(check)
        resolve(text)
      }
      listeners.add(check)
      check()
    })
  return { socket, received: () => text, send: (bytes) => void socket.write(bytes), until, closed }
}

/** Sends bytes on a connection of their own, and gives what came until it was closed or quiet for 300 ms. */
export async function exchangeRaw(port: number, bytes: string | Buffer): Promise<string> {
  const client = await openRaw(port)
  client.send(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  const quiet = new Promise<void>((resolve) => {
    let timer = setTimeout(resolve, 1_500)
    client.socket.on('data', () => {
      clearTimeout(timer)
      timer = setTimeout(resolve, 300)
    })
  })
  await Promise.race([quiet, client.closed])
  client.socket.destroy()
  return client.received()
}

/** The status of each answer, in order. */
export function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /gu)].map((match) => Number(match[1]))
}
