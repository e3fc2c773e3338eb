import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, Server as NetServer } from 'node:net'
import { describeForLog, type ServiceLog } from '../service-log.ts'
import { type AccessCheck, createAccessCheck } from './access-check.ts'
import { Connections } from './connections.ts'
import { type HttpAnswer, type HttpRequest, RequestAbortedError } from './http-handler.ts'
import { HttpProblem, toProblemAnswer } from './http-problem.ts'
import { RequestBody } from './request-body.ts'
import { checkHead, readTarget } from './request-head.ts'
import { type HttpRoute, Router, selectRoute } from './router.ts'
import { AnswerBodyError, sendAnswer } from './send-answer.ts'
import { toProblem, toUnavailable } from './to-problem.ts'

/** Where a server listens, what it answers and to whom. */
export interface HttpServerOptions {
  readonly routes: readonly HttpRoute[]
  /**
   * The address to listen on. One that other machines reach needs a token.
   *
   * @default '127.0.0.1'
   */
  readonly host?: string
  /** 0 takes a free one. */
  readonly port: number
  /**
   * What every request but those to `/healthz` and `/readyz` has to bring, as `Authorization: Bearer …`.
   *
   * @default null, where nothing is asked
   */
  readonly token?: string | null
  /** Names by which it may be called beside those of the own machine; only asked where there is no token. */
  readonly allowedHosts?: readonly string[]
  /**
   * Certificate and key in PEM; TLS 1.2 or later is spoken then.
   *
   * @default null, for plain HTTP
   */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer } | null
  readonly log: ServiceLog
  /** From 0 to below 1; spreads out those who are told to come back later. */
  readonly random: () => number
  /**
   * Milliseconds in which the head of a request has to come.
   *
   * @default 15000
   */
  readonly headMillis?: number
  /**
   * Milliseconds in which a request has to come as a whole. It is dropped after that.
   *
   * @default 60000
   */
  readonly requestMillis?: number
  /**
   * Milliseconds for which a connection is kept on which nothing happens.
   *
   * @default 65000, longer than the minute after which most clients let go
   */
  readonly idleMillis?: number
  /**
   * Connections that are open at a time; more are not accepted.
   *
   * @default 1000
   */
  readonly maxConnections?: number
}

/** Where a server listens. */
export interface HttpAddress {
  readonly host: string
  readonly port: number
  /** Scheme, host and port. */
  readonly url: string
}

const MAX_HEAD_BYTES = 16 * 1024
const TIMEOUT_CHECK_MS = 1_000
const CLOSE_CHECK_MS = 20

/** An HTTP/1.1 server: routes, access, limits, errors as problem details, and an end that loses nothing. */
export class HttpServer {
  readonly #options: HttpServerOptions
  readonly #host: string
  readonly #server: Server
  readonly #router: Router
  readonly #checkAccess: AccessCheck
  readonly #connections = new Connections()
  #closing: Promise<void> | undefined

  /** @throws {TypeError} where other machines could reach it without a token, and for routes that collide */
  constructor(options: HttpServerOptions) {
    this.#options = options
    this.#host = options.host ?? '127.0.0.1'
    this.#router = new Router(options.routes)
    const { token = null, allowedHosts = [] } = options
    this.#checkAccess = createAccessCheck({ host: this.#host, token, allowedHosts })
    this.#server = this.#createServer()
  }

  /** Requests that have no answer yet. */
  get requestsInFlight(): number {
    return this.#connections.inFlight
  }

  /** Connections that are open. */
  get openConnections(): number {
    return this.#connections.count
  }

  /**
   * Starts to listen.
   *
   * @throws the error of the system where the address cannot be had
   */
  async listen(): Promise<HttpAddress> {
    const server = this.#server
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(this.#options.port, this.#host, () => {
        server.off('error', reject)
        resolve()
      })
    })
    server.on('error', (error) =>
      this.#options.log('error', 'the server failed', { reason: describeForLog(error) }),
    )
    const { address, family, port } = server.address() as AddressInfo
    const host = family === 'IPv6' ? `[${address}]` : address
    return {
      host: address,
      port,
      url: `${(this.#options.tls ?? null) === null ? 'http' : 'https'}://${host}:${port}`,
    }
  }

  /**
   * Stops. Nothing is accepted any more, what is in work is answered, requests on connections that are kept get 503.
   * Then connections without a request are closed; at the deadline all are.
   *
   * @param deadlineMs milliseconds from now
   */
  async close(deadlineMs: number): Promise<void> {
    this.#closing ??= this.#close(deadlineMs)
    await this.#closing
  }

  async #close(deadlineMs: number): Promise<void> {
    const connections = this.#connections
    // The close of an HTTP server drops the connections that are kept, and with them requests that are on their way.
    const isClosed = new Promise<void>((resolve) =>
      NetServer.prototype.close.call(this.#server, () => resolve()),
    )
    const deadline = setTimeout(() => connections.destroyAll(), deadlineMs)
    let closing: NodeJS.Timeout | undefined
    void connections.whenQuiet().then(() => {
      closing = setInterval(() => {
        if (connections.inFlight > 0) return
        this.#server.closeIdleConnections()
        connections.destroySilent()
      }, CLOSE_CHECK_MS)
    })
    await isClosed
    // The server counts a connection as gone before those who look at it know.
    await connections.whenEmpty()
    clearTimeout(deadline)
    clearInterval(closing)
    // Ends the timer of the timeouts.
    this.#server.close()
  }

  #createServer(): Server {
    const { tls = null, headMillis = 15_000, requestMillis = 60_000, idleMillis = 65_000 } = this.#options
    const options: ServerOptions = {
      insecureHTTPParser: false,
      requireHostHeader: true,
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: Math.min(headMillis, requestMillis),
      requestTimeout: requestMillis,
      keepAliveTimeout: idleMillis,
      connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, headMillis),
      noDelay: true,
    }
    const server =
      tls === null
        ? createServer(options)
        : createTlsServer({
            ...options,
            cert: tls.cert,
            key: tls.key,
            minVersion: 'TLSv1.2',
            handshakeTimeout: headMillis,
          })
    server.maxConnections = this.#options.maxConnections ?? 1_000
    server.timeout = Math.max(requestMillis, idleMillis)
    server.on('connection', (socket) => this.#connections.add(socket))
    server.on('clientError', (error, socket) => this.#connections.refuse(error, socket))
    server.on('request', (incoming, response) => this.#take(incoming, response, undefined))
    // The client is only told to send its body when that is going to be read.
    server.on('checkContinue', (incoming: IncomingMessage, response: ServerResponse) =>
      this.#take(incoming, response, () => response.writeContinue()),
    )
    return server
  }

  #take(incoming: IncomingMessage, response: ServerResponse, sendContinue: (() => void) | undefined): void {
    const abort = new AbortController()
    this.#connections.begin(incoming, response, () => {
      if (!response.writableFinished) abort.abort()
    })
    // A connection that breaks is told by reading, writing and the end of the exchange.
    incoming.on('error', () => undefined)
    response.on('error', () => undefined)
    const body = new RequestBody(incoming, sendContinue)
    this.#answer(incoming, response, body, abort.signal).catch((error: unknown) => {
      this.#tellFailure(error, abort.signal)
      response.destroy()
    })
  }

  /** Tells the log what broke an answer, unless it was the client who went away. */
  #tellFailure(error: unknown, { aborted }: AbortSignal): void {
    const isOurs = error instanceof AnswerBodyError
    if (!isOurs && (aborted || error instanceof RequestAbortedError)) return
    this.#options.log('error', 'an answer failed', { reason: describeForLog(isOurs ? error.cause : error) })
  }

  async #answer(
    incoming: IncomingMessage,
    response: ServerResponse,
    body: RequestBody,
    signal: AbortSignal,
  ): Promise<void> {
    const target = readTarget(incoming)
    const match = this.#router.find(target.path)
    const toAnswer = match?.routes[0]?.toProblemAnswer ?? toProblemAnswer
    const send = async (answer: HttpAnswer): Promise<void> =>
      sendAnswer({ response, body, isLast: this.#closing !== undefined }, answer)
    try {
      checkHead(incoming)
      if (this.#closing !== undefined)
        throw toUnavailable('The server is about to stop', this.#options.random)
      this.#checkAccess(target.path, incoming.headers)
      if (match === undefined) throw new HttpProblem(404, 'There is nothing at this path')
      const route = selectRoute(match.routes, incoming.method ?? '')
      const request = toRequest(incoming, { ...target, params: match.params, signal, body })
      await send(await route.handler(request))
    } catch (error) {
      if (error instanceof RequestAbortedError || response.headersSent) throw error
      const problem = this.#toProblem(error)
      await send(toAnswer(problem, incoming.headers))
    }
  }

  #toProblem(error: unknown): HttpProblem {
    const problem = toProblem(error, this.#options.random)
    if (problem !== error) {
      const level = problem.status === 503 ? 'warn' : 'error'
      this.#options.log(level, 'a request failed', {
        status: problem.status,
        reason: describeForLog(error),
      })
    }
    return problem
  }
}

function toRequest(
  { method = '', headers }: IncomingMessage,
  parts: Omit<HttpRequest, 'method' | 'headers' | 'readBody' | 'body'> & { readonly body: RequestBody },
): HttpRequest {
  const { body } = parts
  return {
    ...parts,
    method: method === 'HEAD' ? 'GET' : method,
    headers,
    body: { [Symbol.asyncIterator]: () => body.chunks() },
    readBody: async (limitBytes) => body.read(limitBytes),
  }
}
