import { type ScannedRequest, scanRequest } from '../otlp/scan-request.ts'
import type { ChainReport, CompletenessReason } from '../report/chain-report.ts'
import { type CloserCounts, createCloserCounts, toCloserMetrics } from './closer-counts.ts'
import type { Metric, MetricSource } from './metric-source.ts'
import type { OpenTraces, OpenTraceView } from './open-traces.ts'
import {
  type ClosingLimits,
  type ClosingReason,
  defaultClosingLimits,
  OpenTrace,
  OpenTraceLog,
} from './open-trace-log.ts'
import type { PackedReport } from './packed-report.ts'
import type { ReportStore, TraceCommit } from './report-store.ts'
import { StoreError } from './report-store.ts'
import { IntakeFullError, type SpanIntake } from './span-intake.ts'
import { createSteadyClock } from './steady-clock.ts'
import type { TraceJudge } from './trace-judge.ts'

/** How traces are closed. */
export interface CloserOptions extends Partial<ClosingLimits> {
  readonly store: ReportStore
  readonly judge: TraceJudge
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  /**
   * Bytes that may wait to be written; beyond them requests are refused.
   *
   * @default 268435456
   */
  readonly maxPendingBytes?: number
  /**
   * Milliseconds after which spans are forwarded although their trace is still open; `null` where none are forwarded.
   *
   * @default null
   */
  readonly forwardAfterMillis?: number | null
  /** Called with the reports that were stored, those too that say what is known already. */
  readonly onReports?: (reports: readonly PackedReport[]) => void
  /** Called when something went wrong that is tried again. */
  readonly onError?: (message: string, error: unknown) => void
}

const MAX_PENDING_BYTES = 256 * 1024 * 1024

/** Traces that are committed in one transaction. */
const BATCH_TRACES = 64

/** A trace that failed waits so long, doubled each time. */
const RETRY_MS = 1_000
const MOST_RETRY_MS = 300_000

/**
 * Takes spans into the store, knows which traces are open, and makes the reports of those that are complete, or have
 * been waited for long enough. What it knows is made of the store again when it starts.
 */
export class TraceCloser implements SpanIntake, OpenTraces, MetricSource {
  readonly counts: CloserCounts = createCloserCounts()
  readonly #options: CloserOptions
  readonly #limits: ClosingLimits
  readonly #open: OpenTraceLog
  /** By which traces are waited for; what is stored has the time of day. */
  readonly #steadyNow: () => number

  constructor(options: CloserOptions) {
    this.#options = options
    this.#limits = { ...defaultClosingLimits, ...pickLimits(options) }
    this.#open = new OpenTraceLog(this.#limits)
    this.#steadyNow = createSteadyClock(options.now)
  }

  /**
   * Opens again what was open when the service ended. Senders may have waited for it: what was open is waited for as if
   * its last span had come now.
   */
  recover(): void {
    const { store } = this.#options
    for (const { traceId, firstSeenMs, revision } of store.unreported()) {
      const nowMs = this.#steadyNow()
      // The clock may have been set back since.
      const trace = new OpenTrace(traceId, Math.min(firstSeenMs, nowMs), revision)
      this.#open.add(trace)
      this.#attemptNow(trace, () => this.#recoverSpans(trace, nowMs))
      trace.lastSeenMs = nowMs
    }
  }

  #recoverSpans(trace: OpenTrace, nowMs: number): void {
    const stored = this.#options.store.readTrace(trace.traceId)
    for (const [at, body] of (stored?.bodies ?? []).entries()) {
      for (const scanned of scanRequest(body).traces) trace.note(scanned, nowMs)
      const hasGone = (stored?.numbers[at] ?? 0) <= (stored?.forwardedChunk ?? 0)
      if (hasGone) trace.unforwardedMs = null
    }
  }

  async take(request: ScannedRequest): Promise<void> {
    const { store, now, maxPendingBytes = MAX_PENDING_BYTES } = this.#options
    if (request.traces.length === 0) return
    if (store.pendingBytes > maxPendingBytes) {
      throw new IntakeFullError(
        `${store.pendingBytes} bytes wait to be written, at most ${maxPendingBytes} may`,
      )
    }
    const chunks = request.traces.map(({ traceId, body, spans, rejectedSpans }) => ({
      traceId,
      body,
      spanCount: spans.length,
      rejectedSpans,
    }))
    await store.append(chunks, now())
    for (const trace of request.traces) this.#traceOf(trace.traceId).note(trace, this.#steadyNow())
  }

  metrics(): readonly Metric[] {
    return toCloserMetrics(this.counts, this.#open.size)
  }

  list(limit: number): readonly OpenTraceView[] {
    const views: OpenTraceView[] = []
    for (const trace of this.#open.values()) {
      if (views.length >= limit) break
      views.push(this.#view(trace))
    }
    return views
  }

  get(traceId: string): OpenTraceView | null {
    const trace = this.#open.get(traceId)
    return trace === undefined ? null : this.#view(trace)
  }

  preview(traceId: string): Promise<readonly ChainReport[] | null> {
    return this.#open.get(traceId) === undefined
      ? Promise.resolve(null)
      : this.#options.judge.preview(traceId)
  }

  /**
   * Closes the traces that are due, for about a slice of time. Not to be called again before it is done.
   *
   * @returns whether more are due
   */
  async closeDue(): Promise<boolean> {
    const { parallel, sliceMillis } = this.#options.judge
    // One more than is done, so that it is known whether there are more: thousands may be due after a start.
    const due = this.#open.due(this.#steadyNow(), BATCH_TRACES + 1)
    const started = performance.now()
    const batch: Closed[] = []
    let at = 0
    while (at < Math.min(due.length, BATCH_TRACES) && performance.now() - started < sliceMillis) {
      const group = due.slice(at, Math.min(at + parallel, BATCH_TRACES))
      at += group.length
      const closed = await Promise.all(group.map(({ trace, reason }) => this.#judge(trace, reason)))
      batch.push(...closed.filter((each) => each !== null))
    }
    this.#commit(batch)
    return at < due.length
  }

  /** Queues for forwarding what has waited for its trace long enough. Not to be called again before it is done. */
  async forwardDue(): Promise<void> {
    const { forwardAfterMillis = null } = this.#options
    if (forwardAfterMillis === null) return
    const nowMs = this.#steadyNow()
    for (const trace of this.#open.values()) {
      const { unforwardedMs, retryMs } = trace
      if (unforwardedMs === null || nowMs < unforwardedMs + forwardAfterMillis || nowMs < retryMs) continue
      // What comes meanwhile waits for the next time.
      trace.unforwardedMs = null
      const done = await this.#attempt(trace, () => this.#forward(trace))
      if (done === undefined) trace.unforwardedMs = unforwardedMs
    }
  }

  async #forward(trace: OpenTrace): Promise<null> {
    const { store, judge, now } = this.#options
    const { traceId } = trace
    const verdict = await judge.judge({ traceId, purpose: 'forward', incomplete: null })
    if (verdict === null || verdict.forward === null) return null
    store.queueForward({ traceId, lastChunk: verdict.lastChunk, body: verdict.forward, nowMs: now() })
    return null
  }

  #traceOf(traceId: string): OpenTrace {
    const known = this.#open.get(traceId)
    if (known !== undefined) return known
    const revision = this.#options.store.revisionOf(traceId)
    const trace = new OpenTrace(traceId, this.#steadyNow(), revision)
    this.#open.add(trace)
    return trace
  }

  #view(trace: OpenTrace): OpenTraceView {
    const { traceId, firstSeenMs, lastSeenMs, spanCount, revision } = trace
    return { traceId, firstSeenMs, lastSeenMs, spanCount, revision, closesMs: trace.closesMs(this.#limits) }
  }

  /** @returns `null` where there is nothing to commit */
  async #judge(trace: OpenTrace, reason: ClosingReason): Promise<Closed | null> {
    const { judge, now } = this.#options
    const { traceId, notes } = trace
    const incomplete = INCOMPLETE[reason]
    const verdict = await this.#attempt(trace, () => judge.judge({ traceId, purpose: 'close', incomplete }))
    if (verdict === null && trace.notes === notes) this.#open.remove(traceId)
    return verdict ? { trace, notes, commit: { traceId, ...verdict, nowMs: now() } } : null
  }

  /** Where one transaction for all fails, each is tried by itself: one that cannot be stored holds no other up. */
  #commit(batch: readonly Closed[]): void {
    if (batch.length === 0) return
    const { store } = this.#options
    try {
      store.commitTraces(batch.map(({ commit }) => commit))
    } catch (error) {
      if (batch.length > 1 && isOfOneTrace(error)) for (const closed of batch) this.#commit([closed])
      else for (const { trace } of batch) this.#failed(trace, error)
      return
    }
    for (const closed of batch) {
      this.#closed(closed)
      this.#count(closed.commit.reports)
    }
    this.#options.onReports?.(batch.flatMap(({ commit }) => commit.reports))
  }

  /** What came of a trace while it was judged is in none of its reports. */
  #closed({ trace, notes }: Closed): void {
    if (trace.notes === notes) this.#open.remove(trace.traceId)
    else this.#attemptNow(trace, () => trace.reopen(this.#options.store.revisionOf(trace.traceId)))
  }

  #count(reports: readonly PackedReport[]): void {
    this.counts.closed++
    this.counts.reports += reports.length
    if (reports.some(({ completeness }) => completeness === 'partial')) this.counts.partial++
    if (reports.some(({ revision }) => revision > 1)) this.counts.amended++
  }

  async #attempt<T>(trace: OpenTrace, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      this.#failed(trace, error)
      return undefined
    }
  }

  #attemptNow(trace: OpenTrace, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#failed(trace, error)
    }
  }

  #failed(trace: OpenTrace, error: unknown): void {
    const { onError } = this.#options
    this.counts.failures++
    trace.failures++
    trace.retryMs = this.#steadyNow() + Math.min(RETRY_MS * 2 ** (trace.failures - 1), MOST_RETRY_MS)
    onError?.(`trace ${trace.traceId} could not be reported and is tried again`, error)
  }
}

interface Closed {
  readonly trace: OpenTrace
  /** How often something of it had come when it was judged. */
  readonly notes: number
  readonly commit: TraceCommit
}

/** What a report says of the reason; a parent that is missing it finds out itself. */
const INCOMPLETE: Readonly<Record<ClosingReason, CompletenessReason | null>> = {
  complete: null,
  remote_parent: null,
  idle: 'idle',
  evicted: 'evicted',
}

function isOfOneTrace(error: unknown): boolean {
  return !(error instanceof StoreError) || error.fault === 'corrupt'
}

function pickLimits(options: CloserOptions): Partial<ClosingLimits> {
  return Object.fromEntries(
    Object.keys(defaultClosingLimits).flatMap((key) => {
      const value = options[key as keyof ClosingLimits]
      return value === undefined ? [] : [[key, value]]
    }),
  )
}
