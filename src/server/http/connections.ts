import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

interface Exchange {
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  readonly end: () => void
}

// Long enough for an answer to be fetched before the connection is gone.
const LINGER_MS = 1_000

const REFUSALS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** The connections of a server, and what is in work on each. */
export class Connections {
  readonly #sockets = new Set<Socket>()
  readonly #exchanges = new WeakMap<Duplex, Set<Exchange>>()
  readonly #refused = new WeakSet<Duplex>()
  #inFlight = 0
  #onQuiet: (() => void) | undefined
  #onEmpty: (() => void) | undefined

  /** Requests that have no answer yet. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** Connections that are open. */
  get count(): number {
    return this.#sockets.size
  }

  /** Notes a connection as it comes. */
  add(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => {
      this.#sockets.delete(socket)
      if (this.#sockets.size === 0) this.#onEmpty?.()
    })
  }

  /**
   * Notes a request until it is answered or its connection is gone.
   *
   * @param onOver called once then
   */
  begin(incoming: IncomingMessage, response: ServerResponse, onOver: () => void): void {
    const exchanges = this.#exchangesOn(incoming.socket)
    const exchange = {
      incoming,
      response,
      end: () => {
        if (!exchanges.delete(exchange)) return
        this.#inFlight--
        onOver()
        if (this.#inFlight === 0) this.#onQuiet?.()
      },
    }
    exchanges.add(exchange)
    this.#inFlight++
    response.once('close', exchange.end)
  }

  /**
   * Answers bytes that are no request. What is in work on the connection must not get this answer instead of its own,
   * so the connection is closed where there is any; unless what is wrong is the body of the one request in work.
   */
  refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (this.#refused.has(socket)) return
    this.#refused.add(socket)
    const { code = '' } = error
    const isTimeout = code === 'ERR_HTTP_REQUEST_TIMEOUT'
    const inWork = [...(this.#exchanges.get(socket) ?? [])]
    const isBodyOfOne = inWork.length === 1 && inWork.every(isWaitingForBody) && !isTimeout
    // Everything else is of the connection or of TLS: there is nobody to talk to.
    const isOfHttp = isTimeout || code.startsWith('HPE_')
    if (!isOfHttp || !socket.writable || (inWork.length > 0 && !isBodyOfOne)) {
      socket.destroy()
      return
    }
    const status = REFUSALS[code] ?? 400
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }

  /** Resolves when no request is in work. */
  async whenQuiet(): Promise<void> {
    if (this.#inFlight === 0) return
    await new Promise<void>((resolve) => {
      this.#onQuiet = resolve
    })
  }

  /** Resolves when no connection is open. */
  async whenEmpty(): Promise<void> {
    if (this.#sockets.size === 0) return
    await new Promise<void>((resolve) => {
      this.#onEmpty = resolve
    })
  }

  /** Closes connections on which nothing has come yet. */
  destroySilent(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
  }

  /** Closes all connections, whatever is in work on them. */
  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #exchangesOn(socket: Socket): Set<Exchange> {
    const known = this.#exchanges.get(socket)
    if (known !== undefined) return known
    const exchanges = new Set<Exchange>()
    this.#exchanges.set(socket, exchanges)
    // An answer that waits for the one before it is never told that the connection is gone.
    socket.once('close', () => {
      for (const exchange of exchanges) exchange.end()
    })
    return exchanges
  }
}

function isWaitingForBody({ incoming, response }: Exchange): boolean {
  return !incoming.complete && !response.headersSent
}
