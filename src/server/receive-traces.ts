import { type ScannedRequest, scanRequest } from '../otlp/scan-request.ts'
import { WireFault } from '../otlp/wire-cursor.ts'
import { type HttpAnswer, type HttpRequest, RequestAbortedError } from './http/http-handler.ts'
import { HttpProblem } from './http/http-problem.ts'
import type { HttpRoute } from './http/router.ts'
import { toProblem, toUnavailable } from './http/to-problem.ts'
import type { Metric, MetricSource } from './metric-source.ts'
import {
  type PartialSuccess,
  readEncoding,
  type ReceiveEncoding,
  toExportAnswer,
  toStatusAnswer,
} from './receive-answer.ts'
import { receiveBody } from './receive-body.ts'
import {
  createReceiveCounts,
  type ReceiveCounts,
  type ReceiveLoad,
  type ReceiveOutcome,
  toReceiveMetrics,
} from './receive-counts.ts'
import { ReceiveGate, type ReceiveLease } from './receive-gate.ts'
import { readJsonRequest, toBadRequest } from './receive-json.ts'
import { StoreError } from './report-store.ts'
import { IntakeFullError, type SpanIntake } from './span-intake.ts'

/** Where spans go, and how much may be on the way there. */
export interface TraceReceiverOptions {
  readonly intake: SpanIntake
  /** From 0 to below 1; spreads out those who are told to come back later. */
  readonly random: () => number
  /**
   * Bytes that a body may have, as it comes and unpacked.
   *
   * @default 67108864
   */
  readonly maxBodyBytes?: number
  /**
   * Requests in work at a time. More are told to come back later, before their body is read.
   *
   * @default 64
   */
  readonly maxRequests?: number
  /**
   * Bytes of bodies, unpacked, and of what is made of them, in work at a time. What would need more is told to come back later. At least
   * `maxBodyBytes`.
   *
   * @default 268435456
   */
  readonly maxPendingBytes?: number
}

/** A request without its form. */
interface ReadRequest {
  readonly scanned: ScannedRequest
  /** Spans that are left out, in whatever form they came. */
  readonly rejectedSpans: number
  /** Why one of them is. */
  readonly reason: string | undefined
}

const MAX_BODY_BYTES = 64 * 1024 * 1024
const MAX_REQUESTS = 64
const MAX_PENDING_BYTES = 256 * 1024 * 1024
const MAX_REASON = 300
// What a trace and a span take in memory beside their bytes.
const TRACE_BYTES = 512
const SPAN_BYTES = 128

const OUTCOMES: Readonly<Record<number, ReceiveOutcome>> = {
  400: 'invalid',
  413: 'too_large',
  415: 'unsupported',
  503: 'unavailable',
}

/** Paths of OTLP whose signals are not taken. */
const OTHER_SIGNALS: readonly string[] = ['/v1/metrics', '/v1/logs', '/v1development/profiles']

/**
 * Takes spans by OTLP 1.11 over HTTP. A request is answered when its spans are durable. What passes is answered with
 * 503, so that the sender keeps the spans and comes back; spans that cannot be read are left out and told of.
 */
export class TraceReceiver implements MetricSource {
  /** `/v1/traces`, and the paths of the other signals, which are not there. */
  readonly routes: readonly HttpRoute[]
  readonly counts: ReceiveCounts = createReceiveCounts()
  readonly #options: TraceReceiverOptions
  readonly #maxBodyBytes: number
  readonly #maxPendingBytes: number
  readonly #gate: ReceiveGate

  /** @throws {RangeError} where a single body could need more than all may have */
  constructor(options: TraceReceiverOptions) {
    const { maxBodyBytes = MAX_BODY_BYTES, maxRequests = MAX_REQUESTS } = options
    const { maxPendingBytes = Math.max(MAX_PENDING_BYTES, maxBodyBytes) } = options
    if (maxPendingBytes < maxBodyBytes) {
      throw new RangeError(
        `Cannot receive: expected at least ${maxBodyBytes} pending bytes, as many as a body may have, found ${maxPendingBytes}`,
      )
    }
    this.#options = options
    this.#maxBodyBytes = maxBodyBytes
    this.#maxPendingBytes = maxPendingBytes
    this.#gate = new ReceiveGate(maxRequests, maxPendingBytes)
    const toProblemAnswer = toStatusAnswer
    this.routes = [
      { method: 'POST', path: '/v1/traces', handler: (request) => this.#answer(request), toProblemAnswer },
      ...OTHER_SIGNALS.map((path) => ({ method: 'POST', path, handler: refuseSignal, toProblemAnswer })),
    ]
  }

  /** What is received now. */
  get load(): ReceiveLoad {
    const { requests, bytes } = this.#gate
    return { requests, bytes }
  }

  metrics(): readonly Metric[] {
    return toReceiveMetrics(this.counts, this.load)
  }

  async #answer(request: HttpRequest): Promise<HttpAnswer> {
    try {
      const { answer, outcome } = await this.#receive(request)
      this.counts.requests[outcome]++
      return answer
    } catch (error) {
      if (error instanceof RequestAbortedError) {
        this.counts.requests.aborted++
        throw error
      }
      // The intake is asked by its own error; all others are known to the server, which tells its log of them.
      const known = error instanceof IntakeFullError ? this.#unavailable('The intake is full') : error
      this.counts.requests[OUTCOMES[toProblem(known, this.#options.random).status] ?? 'failed']++
      throw known
    }
  }

  async #receive(request: HttpRequest): Promise<{ answer: HttpAnswer; outcome: ReceiveOutcome }> {
    const encoding = readEncoding(request.headers['content-type'])
    if (encoding === undefined) {
      throw new HttpProblem(415, 'The body has to be application/x-protobuf or application/json')
    }
    const lease = this.#gate.enter()
    if (lease === undefined) throw this.#unavailable('Too many requests are in work')
    try {
      const { scanned, rejectedSpans, reason } = await this.#read(request, encoding, lease)
      this.#reserveScanned(scanned, lease)
      if (scanned.traces.length > 0) await this.#take(scanned)
      this.counts.acceptedSpans += scanned.spanCount
      this.counts.rejectedSpans += rejectedSpans
      const partial = toPartialSuccess(rejectedSpans, reason)
      return { answer: toExportAnswer(encoding, partial), outcome: partial === null ? 'accepted' : 'partial' }
    } finally {
      lease.release()
    }
  }

  async #take(scanned: ScannedRequest): Promise<void> {
    try {
      await this.#options.intake.take(scanned)
    } catch (error) {
      // Who sends spans keeps them while the operator puts a damaged store right.
      if (!(error instanceof StoreError && error.fault === 'corrupt')) throw error
      throw new StoreError('io', error.message, { cause: error })
    }
  }

  async #read(request: HttpRequest, encoding: ReceiveEncoding, lease: ReceiveLease): Promise<ReadRequest> {
    const reserve = (bytes: number): void => {
      if (!lease.reserve(bytes)) throw this.#unavailable('Too many bytes are in work')
    }
    const { bytes, receivedBytes } = await receiveBody(request, { maxBytes: this.#maxBodyBytes, reserve })
    this.counts.receivedBytes += receivedBytes
    this.counts.unpackedBytes += bytes.length
    // An empty body is an empty message in protobuf; nobody has anything against it in JSON.
    if (encoding === 'protobuf' || bytes.length === 0) return toReadRequest(scan(bytes), 0, undefined)
    const { body, rejectedSpans, rejectedByTrace, reason } = readJsonRequest(bytes)
    return toReadRequest(withRejected(scan(body), rejectedByTrace), rejectedSpans, reason)
  }

  /** What is made of a body of very many very small traces is many times its size. */
  #reserveScanned({ traces, spanCount }: ScannedRequest, lease: ReceiveLease): void {
    let bytes = traces.length * TRACE_BYTES + spanCount * SPAN_BYTES
    for (const { body } of traces) bytes += body.length
    if (bytes > this.#maxPendingBytes) {
      throw new HttpProblem(413, 'The request holds too many traces; send it in parts')
    }
    if (!lease.reserve(bytes)) throw this.#unavailable('Too many bytes are in work')
  }

  #unavailable(detail: string): HttpProblem {
    return toUnavailable(detail, this.#options.random)
  }
}

function scan(bytes: Buffer): ScannedRequest {
  try {
    return scanRequest(bytes)
  } catch (error) {
    if (!(error instanceof WireFault)) throw error
    throw toBadRequest(`The body is no request with spans: expected ${error.expected}, found ${error.found}`)
  }
}

/** Counts for each trace what was left out before the request was one in protobuf. */
function withRejected(scanned: ScannedRequest, rejectedByTrace: ReadonlyMap<string, number>): ScannedRequest {
  if (rejectedByTrace.size === 0) return scanned
  const known = new Set(scanned.traces.map(({ traceId }) => traceId))
  const traces = scanned.traces.map((trace) => ({
    ...trace,
    rejectedSpans: trace.rejectedSpans + (rejectedByTrace.get(trace.traceId) ?? 0),
  }))
  for (const [traceId, rejectedSpans] of rejectedByTrace) {
    if (!known.has(traceId)) traces.push({ traceId, body: Buffer.alloc(0), spans: [], rejectedSpans })
  }
  return { ...scanned, traces }
}

function toReadRequest(
  scanned: ScannedRequest,
  rejectedBefore: number,
  reason: string | undefined,
): ReadRequest {
  const first = scanned.rejected.find(({ kept }) => !kept)
  return {
    scanned,
    rejectedSpans: rejectedBefore + scanned.rejectedSpans,
    reason: reason ?? (first && `${first.path}: expected ${first.expected}, found ${first.found}`),
  }
}

function toPartialSuccess(rejectedSpans: number, reason: string | undefined): PartialSuccess | null {
  if (rejectedSpans === 0) return null
  const errorMessage = `${rejectedSpans} ${rejectedSpans === 1 ? 'span' : 'spans'} cannot be read; ${reason ?? 'some part of the request is damaged'}`
  return { rejectedSpans, errorMessage: errorMessage.slice(0, MAX_REASON) }
}

function refuseSignal(): never {
  throw new HttpProblem(404, 'Only spans are taken here')
}
