import { type ScannedRequest, scanRequest } from '../otlp/scan-request.ts'
import type { JudgedChain } from '../pipeline/settle-trace.ts'
import type { ChainReport, CompletenessReason } from '../report/chain-report.ts'
import type { Rules } from '../rules/rules.ts'
import { type CloserCounts, createCloserCounts, toCloserMetrics } from './closer-counts.ts'
import { collectEvidence, type CollectedTrace } from './collect-evidence.ts'
import type { Metric, MetricSource } from './metric-source.ts'
import type { OpenTraces, OpenTraceView } from './open-traces.ts'
import {
  type ClosingLimits,
  type ClosingReason,
  defaultClosingLimits,
  OpenTrace,
  OpenTraceLog,
} from './open-trace-log.ts'
import type { ReportStore, StoredTrace, TraceCommit } from './report-store.ts'
import { StoreError } from './report-store.ts'
import { IntakeFullError, type SpanIntake } from './span-intake.ts'
import { createSteadyClock } from './steady-clock.ts'

/**
 * Makes the body in which the spans of a trace go on that have not gone on before; `null` where there are none.
 *
 * @param isOpen the trace is still open: what is known of it may change
 */
export type ForwardBody = (
  trace: StoredTrace,
  judged: readonly JudgedChain[],
  isOpen: boolean,
) => Buffer | null

/** How traces are closed. */
export interface CloserOptions extends Partial<ClosingLimits> {
  readonly store: ReportStore
  readonly rules: Rules
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  /**
   * Distinct spans of a trace that are judged; with more its reports are partial.
   *
   * @default 100000
   */
  readonly spansPerTrace?: number
  /**
   * Bytes that may wait to be written; beyond them requests are refused.
   *
   * @default 268435456
   */
  readonly maxPendingBytes?: number
  /** `null` where nothing is forwarded. */
  readonly forwardBody?: ForwardBody | null
  /**
   * Milliseconds after which spans are forwarded although their trace is still open.
   *
   * @default 10000
   */
  readonly forwardAfterMillis?: number
  /** Called with the reports that were stored. */
  readonly onReports?: (reports: readonly ChainReport[]) => void
  /** Called when something went wrong that is tried again. */
  readonly onError?: (message: string, error: unknown) => void
}

const SPANS_PER_TRACE = 100_000
const MAX_PENDING_BYTES = 256 * 1024 * 1024
const FORWARD_AFTER_MS = 10_000

/** Traces that are committed in one transaction, and how long the making of their reports may take together. */
const BATCH_TRACES = 64
const BATCH_MS = 25

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
      this.#attempt(trace, () => this.#recoverSpans(trace, nowMs))
      trace.lastSeenMs = nowMs
    }
  }

  #recoverSpans(trace: OpenTrace, nowMs: number): null {
    const stored = this.#options.store.readTrace(trace.traceId)
    for (const [at, body] of (stored?.bodies ?? []).entries()) {
      for (const scanned of scanRequest(body).traces) trace.note(scanned, nowMs)
      const hasGone = (stored?.numbers[at] ?? 0) <= (stored?.forwardedChunk ?? 0)
      if (hasGone) trace.unforwardedMs = null
    }
    return null
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

  preview(traceId: string): readonly ChainReport[] | null {
    const trace = this.#open.get(traceId)
    const stored = trace === undefined ? null : this.#options.store.readTrace(traceId)
    if (stored === null) return null
    const { evidence } = this.#collect(stored)
    return evidence.report({ revision: stored.revision + 1, rejectedSpans: stored.rejectedSpans })
  }

  /**
   * Closes the traces that are due, for at most a slice of time.
   *
   * @returns whether more are due
   */
  closeDue(): boolean {
    const nowMs = this.#steadyNow()
    // One more than is done, so that it is known whether there are more: thousands may be due after a start.
    const due = this.#open.due(nowMs, BATCH_TRACES + 1)
    const started = performance.now()
    const batch: Closed[] = []
    let at = 0
    for (; at < due.length && batch.length < BATCH_TRACES && performance.now() - started < BATCH_MS; at++) {
      const { trace, reason } = due[at] as (typeof due)[number]
      const closed = this.#attempt(trace, () => this.#judge(trace, reason))
      if (closed === undefined) continue
      if (closed === null) this.#open.remove(trace.traceId)
      else batch.push(closed)
    }
    this.#commit(batch)
    return at < due.length
  }

  /** Queues for forwarding what has waited for its trace long enough. */
  forwardDue(): void {
    const { forwardBody = null, forwardAfterMillis = FORWARD_AFTER_MS } = this.#options
    if (forwardBody === null) return
    const nowMs = this.#steadyNow()
    for (const trace of this.#open.values()) {
      const { unforwardedMs, retryMs } = trace
      if (unforwardedMs === null || nowMs < unforwardedMs + forwardAfterMillis || nowMs < retryMs) continue
      this.#attempt(trace, () => this.#forward(trace, forwardBody))
    }
  }

  #forward(trace: OpenTrace, forwardBody: ForwardBody): null {
    const { store, now } = this.#options
    const stored = store.readTrace(trace.traceId)
    trace.unforwardedMs = null
    if (stored === null || stored.lastChunk <= stored.forwardedChunk) return null
    const { evidence } = this.#collect(stored)
    const body = forwardBody(stored, evidence.settle(), true)
    if (body !== null)
      store.queueForward({ traceId: trace.traceId, lastChunk: stored.lastChunk, body, nowMs: now() })
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

  #collect(stored: StoredTrace): CollectedTrace {
    const { rules, spansPerTrace = SPANS_PER_TRACE } = this.#options
    return collectEvidence(stored, rules, spansPerTrace)
  }

  /** @returns `null` where nothing of the trace is stored */
  #judge(trace: OpenTrace, reason: ClosingReason): Closed | null {
    const { store, now, forwardBody = null } = this.#options
    const stored = store.readTrace(trace.traceId)
    if (stored === null) return null
    const { evidence, compacted } = this.#collect(stored)
    const judged = evidence.settle()
    const reports = evidence.report(
      {
        incomplete: INCOMPLETE[reason],
        revision: stored.revision + 1,
        rejectedSpans: stored.rejectedSpans,
      },
      judged,
    )
    const forward =
      stored.lastChunk > stored.forwardedChunk ? (forwardBody?.(stored, judged, false) ?? null) : null
    const commit = {
      traceId: trace.traceId,
      // What is left of a trace whose old spans are gone must not take the place of its full report.
      reports: stored.wasCut === true ? [] : reports,
      lastChunk: stored.lastChunk,
      compacted,
      rejectedSpans: stored.rejectedSpans,
      forward,
      nowMs: now(),
    }
    return { trace, commit }
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
    for (const { trace, commit } of batch) {
      this.#open.remove(trace.traceId)
      this.#count(commit.reports)
      this.#options.onReports?.(commit.reports)
    }
  }

  #count(reports: readonly ChainReport[]): void {
    this.counts.closed++
    this.counts.reports += reports.length
    if (reports.some(({ completeness }) => completeness === 'partial')) this.counts.partial++
    if (reports.some(({ revision }) => revision > 1)) this.counts.amended++
  }

  #attempt<T>(trace: OpenTrace, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.#failed(trace, error)
      return undefined
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
