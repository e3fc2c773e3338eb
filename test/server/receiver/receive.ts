import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { onTestFinished } from 'vitest'
import type { ScannedRequest } from '../../../src/otlp/scan-request.ts'
import { HttpServer, type HttpServerOptions } from '../../../src/server/http/http-server.ts'
import { TraceReceiver, type TraceReceiverOptions } from '../../../src/server/receive-traces.ts'
import type { SpanIntake } from '../../../src/server/span-intake.ts'
import { createSdkSpan } from '../../otlp/sdk-span.ts'

/** An intake that keeps what it takes, or does what it is told to instead. */
export class MemoryIntake implements SpanIntake {
  readonly taken: ScannedRequest[] = []
  /** Done before each request is kept; what it throws is thrown. */
  before: () => Promise<void> | void = () => undefined

  async take(request: ScannedRequest): Promise<void> {
    await this.before()
    this.taken.push(request)
  }

  /** The ids of all spans, `<trace id>/<span id>`. */
  get spans(): readonly string[] {
    return this.taken.flatMap(({ traces }) =>
      traces.flatMap(({ traceId, spans }) => spans.map(({ spanId }) => `${traceId}/${spanId}`)),
    )
  }
}

/** A receiver behind a socket, until the end of the test. */
export interface Receiving {
  readonly intake: MemoryIntake
  readonly receiver: TraceReceiver
  readonly server: HttpServer
  readonly port: number
  readonly url: string
  readonly log: readonly string[]
}

/** Starts a receiver with a server around it. */
export async function receive(
  options: Partial<TraceReceiverOptions> = {},
  serverOptions: Partial<HttpServerOptions> = {},
): Promise<Receiving> {
  const intake = new MemoryIntake()
  const receiver = new TraceReceiver({ intake, random: () => 0.5, ...options })
  const log: string[] = []
  const server = new HttpServer({
    routes: receiver.routes,
    port: 0,
    log: (level, message, fields) => void log.push(`${level} ${message} ${JSON.stringify(fields)}`),
    random: () => 0.5,
    ...serverOptions,
  })
  const { port, url } = await server.listen()
  onTestFinished(async () => server.close(0))
  return { intake, receiver, server, port, url: `${url}/v1/traces`, log }
}

/** What was answered. */
export interface Answer {
  readonly status: number
  readonly type: string | null
  readonly headers: Headers
  readonly body: Buffer
}

/** Posts a body of OTLP. */
export async function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const type = typeof body === 'string' ? 'application/json' : 'application/x-protobuf'
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body,
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  })
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  }
}

/** The trace of all spans here. */
export const TRACE = '0af7651916cd43dd8448eb211c80319c'

/** A span in JSON. */
export function jsonSpan(
  spanId: string,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return { traceId: TRACE, spanId, name: 'x', startTimeUnixNano: '1000', endTimeUnixNano: '2000', ...more }
}

/** A request in JSON. */
export function jsonRequest(spans: readonly unknown[]): string {
  return JSON.stringify({ resourceSpans: [{ resource: {}, scopeSpans: [{ scope: {}, spans }] }] })
}

/** A request in protobuf, as the SDK writes it. */
export function protobufRequest(spanIds: readonly string[]): Uint8Array<ArrayBuffer> {
  const spans = spanIds.map((spanId) => createSdkSpan({ traceId: TRACE, spanId }))
  return Uint8Array.from(ProtobufTraceSerializer.serializeRequest(spans) ?? [])
}
