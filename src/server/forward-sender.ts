import { setTimeout as delay } from 'node:timers/promises'
import { requireTimerMillis, requireWholeNumber } from '../exporters/require-whole-number.ts'
import { listSpans } from '../otlp/rewrite-request.ts'
import { splitRequest } from '../otlp/split-request.ts'
import { ForwardClient, type ForwardAnswer } from './forward-client.ts'
import { ForwardQueue, type ForwardStore } from './forward-queue.ts'
import type { Metric, MetricSource } from './metric-source.ts'
import type { QueuedForward } from './report-store.ts'
import { describeForLog, type LogFields, type ServiceLog } from './service-log.ts'

/** How spans are forwarded. */
export interface ForwardSenderOptions {
  readonly store: ForwardStore
  /** The endpoint, from `readForwardUrl`. */
  readonly url: URL
  /** Headers of every request beside those that say what the body is, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * How long a request may take until its answer is read, in milliseconds.
   *
   * @default 30000
   */
  readonly timeoutMillis?: number
  /**
   * Requests that are under way at a time.
   *
   * @default 2
   */
  readonly parallel?: number
  /**
   * Bytes of spans in one request, before they are compressed; what is queued together is cut into so many requests. A
   * span that is longer goes alone.
   *
   * @default 4194304
   */
  readonly maxRequestBytes?: number
  /**
   * How long a body is tried, in milliseconds since it was queued.
   *
   * @default 86400000
   */
  readonly maxAgeMillis?: number
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  /** A number from 0 to 1: which part of the second half of a wait is waited. */
  readonly random: () => number
  readonly log: ServiceLog
  /**
   * Waits a number of milliseconds, or until the signal is given; never rejects.
   *
   * @default a timer
   */
  readonly sleep?: (millis: number, signal: AbortSignal) => Promise<void>
}

/** What became of what was forwarded since the start. */
export interface ForwardCounts {
  /** Requests and spans that were taken; of these spans some may be among `rejectedSpans`. */
  requests: number
  spans: number
  /** Attempts that failed and are made again. */
  retries: number
  /** Spans that the endpoint took a request with and did not want. */
  rejectedSpans: number
  /** Spans of requests that the endpoint refused for good. */
  refusedSpans: number
  /** Spans that were tried until they were too old. */
  lostSpans: number
}

const DAY_MS = 86_400_000
const MAX_REQUEST_BYTES = 4 * 1024 * 1024
/** How often the queue is looked at when nobody says that something has come. */
const IDLE_MS = 1_000
/** The same while something that is due waits behind others that are not. */
const BUSY_MS = 50
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000
/** The longest wait that the endpoint can ask for. */
const LONGEST_RETRY_AFTER_MS = 3_600_000
/** After so many failures in a row the endpoint counts as away: what is too old then is given up without an attempt. */
const AWAY = 5
/** After so many attempts a body lets others pass. */
const STANDS_ASIDE = 3
/** The same trouble is told again after that time. */
const QUIET_MS = 60_000

/**
 * Sends what is in the forwarding queue of the store to an OTLP/HTTP endpoint, in the order of the queue but for what
 * has to wait after a failure. A body leaves the queue when the endpoint has taken or refused it, so that each arrives
 * at least once, whenever the process ends.
 */
export class ForwardSender implements MetricSource {
  readonly counts: ForwardCounts = {
    requests: 0,
    spans: 0,
    retries: 0,
    rejectedSpans: 0,
    refusedSpans: 0,
    lostSpans: 0,
  }
  readonly #options: Required<Omit<ForwardSenderOptions, 'headers' | 'timeoutMillis'>>
  readonly #client: ForwardClient
  readonly #queue: ForwardQueue
  readonly #aborting = new AbortController()
  readonly #sends = new Set<Promise<void>>()
  readonly #toldMs = new Map<string, number>()
  /** Of bodies that are sent in parts, how many have been answered. */
  readonly #doneParts = new Map<number, number>()
  #loop: Promise<void> | null = null
  #isStopping = false
  #rest: AbortController | null = null
  #isNudged = false
  /** Failures in a row. */
  #failures = 0
  #pausedUntilMs = 0

  /**
   * @throws {TypeError} where a header cannot be sent
   * @throws {RangeError} where a number is not whole or below 1
   */
  constructor(options: ForwardSenderOptions) {
    const { headers = {}, timeoutMillis = 30_000, parallel = 2, maxAgeMillis = DAY_MS } = options
    const { maxRequestBytes = MAX_REQUEST_BYTES } = options
    const of = 'a sender of spans'
    requireTimerMillis({ of, name: 'timeoutMillis', value: timeoutMillis, minimum: 1 })
    requireWholeNumber({ of, name: 'parallel', value: parallel, minimum: 1 })
    requireWholeNumber({ of, name: 'maxAgeMillis', value: maxAgeMillis, minimum: 1 })
    requireWholeNumber({ of, name: 'maxRequestBytes', value: maxRequestBytes, minimum: 1 })
    this.#options = {
      ...options,
      parallel,
      maxAgeMillis,
      maxRequestBytes,
      sleep: options.sleep ?? sleepUnlessNudged,
    }
    this.#client = new ForwardClient({ url: options.url, headers, timeoutMillis, parallel, now: options.now })
    this.#queue = new ForwardQueue(options.store)
  }

  /** Begins to send. */
  start(): void {
    this.#loop ??= this.#run()
  }

  /** Something has come into the queue. */
  wake(): void {
    this.#isNudged = true
    this.#rest?.abort()
  }

  /**
   * Begins no more requests and waits for those that are under way, which are ended after `deadlineMillis`. What did
   * not arrive stays in the queue. Never rejects.
   */
  async stop(deadlineMillis: number): Promise<void> {
    this.#isStopping = true
    this.wake()
    await this.#loop
    const arrived = new AbortController()
    const all = Promise.all(this.#sends).then(() => arrived.abort())
    await Promise.race([all, this.#options.sleep(deadlineMillis, arrived.signal)])
    this.#aborting.abort()
    await all
    this.#client.close()
  }

  metrics(): readonly Metric[] {
    const { requests, spans, retries, rejectedSpans, refusedSpans, lostSpans } = this.counts
    return [
      counter('requests', 'Requests that the endpoint took.', requests),
      counter('spans', 'Spans in requests that the endpoint took.', spans),
      counter('retries', 'Requests that failed and are sent again.', retries),
      counter(
        'rejected_spans',
        'Spans that the endpoint did not want of a request that it took.',
        rejectedSpans,
      ),
      counter('refused_spans', 'Spans in requests that the endpoint refused for good.', refusedSpans),
      counter('lost_spans', 'Spans that were given up because they were too old.', lostSpans),
    ]
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const waitMs = this.#sendDue()
      if (this.#isStopping) return
      await this.#wait(waitMs)
    }
  }

  async #wait(millis: number): Promise<void> {
    if (!this.#isNudged) {
      this.#rest = new AbortController()
      await this.#options.sleep(millis, this.#rest.signal)
      this.#rest = null
    }
    this.#isNudged = false
  }

  /** @returns after how many milliseconds there may be more to send */
  #sendDue(): number {
    const { now, parallel } = this.#options
    const nowMs = now()
    if (nowMs < this.#pausedUntilMs) return this.#pausedUntilMs - nowMs
    // An endpoint that fails is asked by one request whether it is there again.
    const free = (this.#failures > 0 ? 1 : parallel) - this.#queue.underWay
    if (free <= 0) return IDLE_MS
    try {
      for (const forward of this.#queue.take(free, nowMs)) this.#begin(forward)
    } catch (error) {
      this.#noteStoreFailure(error)
    }
    const nextMs = this.#queue.nextMs - nowMs
    return nextMs > 0 ? Math.min(IDLE_MS, nextMs) : BUSY_MS
  }

  #begin(forward: QueuedForward): void {
    const isLost = this.#failures >= AWAY && this.#isTooOld(forward)
    if (isLost || forward.body.length === 0) {
      if (isLost) this.#lose(forward)
      else this.#remove(forward.id)
      this.wake()
      return
    }
    const send = this.#send(forward)
      .catch((error: unknown) => this.#noteStoreFailure(error))
      .finally(() => {
        this.#sends.delete(send)
        this.wake()
      })
    this.#sends.add(send)
  }

  async #send(forward: QueuedForward): Promise<void> {
    const { id, body } = forward
    const parts = splitRequest(body, this.#options.maxRequestBytes)
    for (const part of parts.slice(this.#doneParts.get(id) ?? 0)) {
      const answer = await this.#client.send(part, this.#aborting.signal)
      if (answer === null) return this.#queue.putBack(id)
      if (answer.outcome === 'retry') return this.#postpone(forward, answer)
      this.#count(forward, part, answer)
      this.#doneParts.set(id, (this.#doneParts.get(id) ?? 0) + 1)
    }
    this.#remove(id)
  }

  #count(
    { traceId }: QueuedForward,
    part: Buffer,
    answer: Exclude<ForwardAnswer, { outcome: 'retry' }>,
  ): void {
    const { counts } = this
    const spans = listSpans(part).length
    this.#failures = 0
    if (answer.outcome === 'refused') {
      const { reason } = answer
      counts.refusedSpans += spans
      this.#tell(reason, 'error', 'the endpoint refused spans, which are not sent again', {
        reason,
        traceId,
        spans,
      })
    } else {
      counts.requests++
      counts.spans += spans
      counts.rejectedSpans += answer.rejectedSpans
      this.#tellPartial(answer.rejectedSpans, answer.message)
    }
  }

  #remove(id: number): void {
    this.#doneParts.delete(id)
    this.#queue.remove(id)
  }

  #tellPartial(rejectedSpans: number, said: string): void {
    if (rejectedSpans === 0 && said === '') return
    const message =
      rejectedSpans === 0 ? 'the endpoint warns' : 'the endpoint took not all spans of a request'
    this.#tell(message, 'warn', message, { rejectedSpans, said })
  }

  #postpone(forward: QueuedForward, answer: Extract<ForwardAnswer, { outcome: 'retry' }>): void {
    const nowMs = this.#options.now()
    this.#tell(answer.reason, 'warn', 'spans could not be forwarded and are sent again', {
      reason: answer.reason,
      traceId: forward.traceId,
    })
    // Requests that were under way together fail together.
    if (nowMs >= this.#pausedUntilMs) this.#failures++
    const asked = Math.min(answer.afterMillis ?? 0, LONGEST_RETRY_AFTER_MS)
    const pause = Math.max(asked, this.#backOff(this.#failures))
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + pause)
    this.counts.retries++
    if (this.#isTooOld(forward)) this.#lose(forward)
    else this.#queue.defer(forward.id, this.#nextAttempt(forward))
  }

  /** At first the order of the queue holds; a body that fails again and again stands aside for the others. */
  #nextAttempt({ attempts }: QueuedForward): number {
    const aside = attempts + 1 < STANDS_ASIDE ? 0 : this.#backOff(attempts + 1)
    return this.#pausedUntilMs + aside
  }

  #backOff(failures: number): number {
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1))
    return Math.round((longest / 2) * (1 + this.#options.random()))
  }

  #isTooOld({ queuedMs }: QueuedForward): boolean {
    return this.#options.now() - queuedMs > this.#options.maxAgeMillis
  }

  #lose({ id, traceId, body, attempts }: QueuedForward): void {
    const parts = splitRequest(body, this.#options.maxRequestBytes).slice(this.#doneParts.get(id) ?? 0)
    const spans = parts.reduce((sum, part) => sum + listSpans(part).length, 0)
    this.counts.lostSpans += spans
    const message = 'spans are too old to be forwarded, and lost for the endpoint'
    this.#tell('lost', 'error', message, { traceId, spans, attempts })
    this.#remove(id)
  }

  #noteStoreFailure(error: unknown): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#options.now() + FIRST_WAIT_MS)
    this.#tell('store', 'error', 'the forwarding queue cannot be used', { reason: describeForLog(error) })
  }

  /** What goes on for long is told once a minute; how much it was the counts tell. */
  #tell(key: string, level: 'warn' | 'error', message: string, fields: LogFields): void {
    const { now, log } = this.#options
    const nowMs = now()
    if (nowMs - (this.#toldMs.get(key) ?? -Infinity) < QUIET_MS) return
    this.#toldMs.set(key, nowMs)
    log(level, `forwarding: ${message}`, fields)
  }
}

function counter(name: string, help: string, value: number): Metric {
  return { name: `agent_reach_forward_${name}_total`, help, type: 'counter', samples: [{ value }] }
}

async function sleepUnlessNudged(millis: number, signal: AbortSignal): Promise<void> {
  // A signal ends the wait and is no error.
  await delay(millis, undefined, { signal }).catch(() => {})
}
