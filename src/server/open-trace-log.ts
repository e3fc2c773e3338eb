import type { ScannedTrace } from '../otlp/scan-request.ts'

/** How long an open trace is waited for, in milliseconds. */
export interface ClosingLimits {
  /**
   * After its last span, where a root has ended and no parent is missing.
   *
   * @default 5000
   */
  readonly settleMillis: number
  /**
   * After its last span, where every parent that is missing is said to be in another process.
   *
   * @default 30000
   */
  readonly remoteMillis: number
  /**
   * After its last span, where no root has ended or a parent is missing.
   *
   * @default 1800000
   */
  readonly idleMillis: number
  /**
   * After its first span, whatever still comes.
   *
   * @default 86400000
   */
  readonly maxAgeMillis: number
  /**
   * Traces that are open at a time; beyond them the oldest one is closed as partial.
   *
   * @default 100000
   */
  readonly openTraces: number
}

/** The limits that hold where none are given. */
export const defaultClosingLimits: ClosingLimits = {
  settleMillis: 5_000,
  remoteMillis: 30_000,
  idleMillis: 1_800_000,
  maxAgeMillis: 86_400_000,
  openTraces: 100_000,
}

/** Of so many spans of an open trace the ids are kept; a longer one is closed when it has been idle. */
const KNOWN_SPANS = 100_000

/** Why a trace is closed: nothing is missing any more, or it has been waited for long enough. */
export type ClosingReason = 'complete' | 'remote_parent' | 'idle' | 'evicted'

/** What is known of an open trace without looking into the store. Times are milliseconds since the Unix epoch. */
export class OpenTrace {
  readonly traceId: string
  readonly firstSeenMs: number
  lastSeenMs: number
  spanCount = 0
  /** When the first span came that has not gone on to the forwarding queue; `null` where all have. */
  unforwardedMs: number | null = null
  /** Not to be tried before; after a failure. */
  retryMs = 0
  failures = 0
  /** How often spans of it have come. */
  notes = 0
  #revision: number
  readonly #known = new Set<string>()
  /** Parents that have not come, and whether they are said to be in another process. */
  readonly #missing = new Map<string, boolean>()
  /** How many of them are not. */
  #missingHere = 0
  #hasRoot = false
  #hasOverflowed = false

  constructor(traceId: string, firstSeenMs: number, revision: number) {
    this.traceId = traceId
    this.firstSeenMs = firstSeenMs
    this.lastSeenMs = firstSeenMs
    this.#revision = revision
  }

  /** Revision of its reports; 0 where it was never reported. */
  get revision(): number {
    return this.#revision
  }

  /** Stays open after it was reported, since more of it has come meanwhile. */
  reopen(revision: number): void {
    this.#revision = revision
    this.failures = 0
  }

  /** Notes the spans that came of the trace. */
  note({ spans }: Pick<ScannedTrace, 'spans'>, nowMs: number): void {
    this.lastSeenMs = Math.max(this.lastSeenMs, nowMs)
    this.unforwardedMs ??= nowMs
    this.notes++
    for (const { spanId, parentSpanId, isRemote } of spans) {
      if (this.#known.has(spanId)) continue
      this.spanCount++
      if (this.#known.size >= KNOWN_SPANS) {
        this.#hasOverflowed = true
        continue
      }
      this.#known.add(spanId)
      this.#forget(spanId)
      if (parentSpanId === null) this.#hasRoot = true
      else if (!this.#known.has(parentSpanId)) this.#miss(parentSpanId, isRemote === true)
    }
  }

  #miss(parentSpanId: string, isRemote: boolean): void {
    this.#forget(parentSpanId)
    this.#missing.set(parentSpanId, isRemote)
    if (!isRemote) this.#missingHere++
  }

  #forget(spanId: string): void {
    const isRemote = this.#missing.get(spanId)
    if (isRemote === undefined) return
    this.#missing.delete(spanId)
    if (!isRemote) this.#missingHere--
  }

  /** Why it would be closed now. */
  get reason(): Exclude<ClosingReason, 'evicted'> {
    // The spans that were reported before are not known any more: what is missing may be among them.
    if (this.revision > 0) return 'complete'
    if (this.#hasOverflowed) return 'idle'
    if (this.#missing.size === 0) return this.#hasRoot ? 'complete' : 'idle'
    return this.#missingHere === 0 ? 'remote_parent' : 'idle'
  }

  /** When it is to be closed if nothing more comes of it. */
  closesMs(limits: ClosingLimits): number {
    const { reason } = this
    const wait =
      reason === 'complete'
        ? limits.settleMillis
        : reason === 'remote_parent'
          ? limits.remoteMillis
          : limits.idleMillis
    const due = Math.min(this.lastSeenMs + wait, this.firstSeenMs + limits.maxAgeMillis)
    return Math.max(due, this.retryMs)
  }
}

/** The traces that are open, in the order in which they were first seen. */
export class OpenTraceLog {
  readonly #traces = new Map<string, OpenTrace>()
  readonly #limits: ClosingLimits

  constructor(limits: ClosingLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#traces.size
  }

  get(traceId: string): OpenTrace | undefined {
    return this.#traces.get(traceId)
  }

  values(): Iterable<OpenTrace> {
    return this.#traces.values()
  }

  add(trace: OpenTrace): void {
    this.#traces.set(trace.traceId, trace)
  }

  remove(traceId: string): void {
    this.#traces.delete(traceId)
  }

  /**
   * The traces that are to be closed now, and the oldest ones of those that are too many.
   *
   * @param limit at most so many of them
   */
  due(
    nowMs: number,
    limit: number,
  ): readonly { readonly trace: OpenTrace; readonly reason: ClosingReason }[] {
    const due: { readonly trace: OpenTrace; readonly reason: ClosingReason }[] = []
    let surplus = this.#traces.size - this.#limits.openTraces
    for (const trace of this.#traces.values()) {
      if (due.length >= limit) break
      const isDue = trace.closesMs(this.#limits) <= nowMs
      if (isDue) due.push({ trace, reason: trace.reason })
      else if (surplus > 0 && trace.retryMs <= nowMs) due.push({ trace, reason: 'evicted' })
      surplus--
    }
    return due
  }
}
