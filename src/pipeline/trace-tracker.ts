import type { CapturedContent } from '../steps/captured-content.ts'
import type { ChainReport, CompletenessReason } from '../report/chain-report.ts'
import { isStandIn } from '../steps/is-stand-in.ts'
import type { SpanView } from '../steps/span-view.ts'
import { buildReports } from './build-reports.ts'
import { ClosingQueue } from './closing-queue.ts'
import { endSpan } from './end-span.ts'
import type { EndedStep } from './ended-step.ts'
import { ForgottenTraces } from './forgotten-traces.ts'
import { type JudgedSpan, judgeSpan } from './judge-span.ts'
import type { LiveLimits } from './live-limits.ts'
import { OpenTrace } from './open-trace.ts'
import { SpanEntry, toParentSpanId } from './span-entry.ts'
import type { TraceWatcher } from './trace-watcher.ts'

/** What a tracker could not tell in a report. */
export interface TrackerCounts {
  /** Spans of traces that were forgotten when they came. */
  readonly lateSpans: number
  /** Traces that were reported as partial to make room. */
  readonly evictedTraces: number
  /** Reports that were held back, as a fuller one of the same chain had been made. */
  readonly heldBackReports: number
}

/** How trackers of several copies of this package work together: raised when another copy could not follow. */
export const PROTOCOL = 1

/**
 * After a report its trace rests for so many times as long as the report took: a worker that runs agent after agent in
 * one trace is not to spend its time on telling of it.
 */
const REST = 20

/** Evicted traces that wait to be reported; further ones are reported at once. */
const EVICTED_WAITING = 256

/** Follows the traces of this process from the start of their spans, closes each and hands its reports on. */
export class TraceTracker {
  readonly protocol: number = PROTOCOL
  readonly limits: Required<LiveLimits>
  readonly #traces = new Map<string, OpenTrace>()
  readonly #watchers = new Set<TraceWatcher>()
  readonly #listeners: ReadonlySet<(report: ChainReport) => void>
  readonly #forgotten = new ForgottenTraces()
  readonly #evicted: OpenTrace[] = []
  readonly #closing: ClosingQueue
  #sequence = 0
  readonly #counts = { lateSpans: 0, evictedTraces: 0, heldBackReports: 0 }

  /** @param listeners take every report, beside those who watch its trace; they never throw */
  constructor(
    limits: Required<LiveLimits>,
    listeners: ReadonlySet<(report: ChainReport) => void> = new Set(),
  ) {
    this.limits = limits
    this.#listeners = listeners
    this.#closing = new ClosingQueue(limits, {
      close: (trace) => this.#close(trace, null),
      sweep: (now) => this.#sweep(now),
    })
  }

  get counts(): TrackerCounts {
    return { ...this.#counts }
  }

  /** Traces that are held, those that are reported and wait for late spans included. */
  get openTraces(): number {
    return this.#traces.size
  }

  /** True where somebody follows the spans of this process from their starts. */
  get isWatched(): boolean {
    return this.#watchers.size > 0
  }

  watch(watcher: TraceWatcher): void {
    this.#watchers.add(watcher)
  }

  /** Closes what only this watcher follows and lets go of it. */
  unwatch(watcher: TraceWatcher): void {
    if (!this.#watchers.delete(watcher)) return
    this.finish(Infinity, watcher)
    for (const { watchers } of this.#traces.values()) watchers.delete(watcher)
    if (this.#traces.size === 0) this.#closing.stop()
  }

  /** True where the span is, or was, followed here. */
  knows(traceId: string, spanId: string): boolean {
    const trace = this.#traces.get(traceId)
    if (trace === undefined) return this.#forgotten.has(traceId)
    return trace.records.has(spanId) || trace.open.has(spanId) || trace.overLimit > 0
  }

  /** Notes content of a span that is open; `false` where the span is not followed. */
  capture(traceId: string, spanId: string, content: CapturedContent): boolean {
    const entry = this.#traces.get(traceId)?.open.get(spanId)
    if (entry === undefined) return false
    entry.captured = { ...entry.captured, ...content }
    return true
  }

  /**
   * Follows a span from its start.
   *
   * @returns its entry; `null` where the trace holds as many spans as it may
   */
  start(span: SpanView, watcher: TraceWatcher): SpanEntry | null {
    const { traceId, spanId } = span.spanContext()
    const trace = this.#traces.get(traceId) ?? this.#open(traceId, watcher)
    trace.watchers.add(watcher)
    const known = trace.open.get(spanId)
    if (known !== undefined) return known
    if (trace.records.size + trace.open.size >= this.limits.spansPerTrace) {
      trace.overLimit++
      return null
    }
    const entry = new SpanEntry(span, ++this.#sequence, trace.findAbove(toParentSpanId(span)))
    trace.start(entry)
    trace.settleAt = null
    trace.lastActivity = performance.now()
    return entry
  }

  /**
   * Judges a span at its end.
   *
   * @returns what its marks say; `null` where it is no step, is not followed, or was judged already
   */
  end(span: SpanView): EndedStep | null {
    const { traceId, spanId } = span.spanContext()
    const trace = this.#traces.get(traceId)
    const entry = trace?.open.get(spanId)
    if (trace === undefined || entry === undefined) {
      if (this.#forgotten.has(traceId)) this.#counts.lateSpans++
      return null
    }
    try {
      return endSpan(trace, entry, span)
    } catch (error) {
      // The processor tells of it. The chain goes on without the span, and says so.
      trace.reject(entry)
      throw error
    } finally {
      trace.lastActivity = performance.now()
      if (!entry.isInsideOpenStep) this.#closeIfComplete(trace)
    }
  }

  #closeIfComplete(trace: OpenTrace): void {
    if (trace.hasSteps && trace.isQuiet) this.#closing.add(trace)
    else if (trace.open.size === 0) this.#traces.delete(trace.traceId)
  }

  /** Files a span of which nothing was known before its end, as an exporter gets them; throws where it cannot be read. */
  file(span: SpanView, watcher: TraceWatcher): void {
    const { traceId, spanId } = span.spanContext()
    const trace = this.#traces.get(traceId) ?? this.#open(traceId, watcher)
    trace.watchers.add(watcher)
    if (trace.records.size >= this.limits.spansPerTrace && !trace.records.has(spanId)) {
      trace.overLimit++
      return
    }
    trace.lastActivity = performance.now()
    const { record, checkErrors } = judgeReadable(trace, span)
    trace.checkErrors += checkErrors
    if (!isStandIn(span)) trace.end(record)
    trace.awaitParent(record)
  }

  /** Reports now every trace whose parents have all come, of those that were filed. */
  closeFiled(): void {
    this.#reportEvicted()
    for (const trace of this.#traces.values()) {
      if (trace.changed && !trace.awaitsParents) this.#close(trace, null)
    }
  }

  /**
   * Reports now every chain whose roots have ended and below which nothing is open.
   *
   * @param most traces that are reported at a time
   * @returns `true` where there are more
   */
  flush(most: number = Infinity): boolean {
    this.#reportEvicted()
    let left = most
    for (const trace of this.#traces.values()) {
      if (!trace.changed || !trace.isQuiet) continue
      if (left-- <= 0) return true
      this.#close(trace, null)
    }
    return false
  }

  /**
   * Reports now every trace; what is open never ended, as far as this process can tell.
   *
   * @param most traces that are reported at a time
   * @param watcher those alone that nobody else follows
   * @returns `true` where there are more
   */
  finish(most: number = Infinity, watcher?: TraceWatcher): boolean {
    this.#reportEvicted()
    let left = most
    for (const trace of this.#traces.values()) {
      if (watcher !== undefined && (trace.watchers.size > 1 || !trace.watchers.has(watcher))) continue
      if (left-- <= 0) return true
      this.#finish(trace, trace.isQuiet ? null : 'shutdown')
    }
    return false
  }

  #open(traceId: string, watcher: TraceWatcher): OpenTrace {
    if (this.#traces.size >= this.limits.openTraces) this.#evictOne()
    const trace = new OpenTrace(traceId, watcher.rules, performance.now())
    const before = this.#forgotten.take(traceId)
    if (before !== undefined) {
      trace.revision = before.revision
      trace.spansBefore = before.spans
    }
    this.#traces.set(traceId, trace)
    this.#closing.wake()
    return trace
  }

  /** A trace that is reported already costs nothing to let go; else the oldest one makes room. */
  #evictOne(): void {
    const first = this.#traces.values().next().value
    if (first === undefined) return
    const isTold = !first.changed && first.open.size === 0
    this.#forget(first, isTold ? 0 : 1)
    if (isTold) return
    this.#counts.evictedTraces++
    this.#evicted.push(first)
    // A report takes its time, and this is the start of somebody's span.
    if (this.#evicted.length >= EVICTED_WAITING) this.#reportEvicted()
    else this.#closing.later(() => this.#reportEvicted())
  }

  #reportEvicted(): void {
    for (const trace of this.#evicted.splice(0)) this.#report(trace, 'evicted')
  }

  #sweep(now: number): void {
    const { idleMillis, lateWindowMillis } = this.limits
    for (const trace of this.#traces.values()) {
      const idle = now - trace.lastActivity
      const reason = trace.isQuiet ? null : 'idle'
      // What comes shortly after a report amends it, however that was made.
      if (idle >= idleMillis + lateWindowMillis) this.#finish(trace, reason)
      else if (idle >= idleMillis) this.#close(trace, reason)
      else if (!trace.changed && trace.open.size === 0 && idle >= lateWindowMillis) this.#forget(trace)
    }
  }

  #finish(trace: OpenTrace, incomplete: CompletenessReason | null): void {
    this.#close(trace, incomplete)
    this.#forget(trace)
  }

  /** @param revisions reports of it that are still to come */
  #forget(trace: OpenTrace, revisions = 0): void {
    this.#traces.delete(trace.traceId)
    trace.settleAt = null
    if (!trace.hasSteps && trace.open.size === 0) return
    const spans = trace.records.size + trace.open.size
    this.#forgotten.add(trace.traceId, { revision: trace.revision + revisions, spans })
  }

  #close(trace: OpenTrace, incomplete: CompletenessReason | null): void {
    trace.settleAt = null
    if (trace.changed || (incomplete !== null && trace.revision === 0)) this.#report(trace, incomplete)
  }

  #report(trace: OpenTrace, incomplete: CompletenessReason | null): void {
    const started = performance.now()
    try {
      if (!this.#isAwaited(trace)) {
        trace.changed = false
        trace.revision++
        return
      }
      trace.changed = false
      const { records, judged } = trace.takeStock()
      if (records.size < trace.spansBefore) {
        this.#counts.heldBackReports++
        return
      }
      const reports = buildReports(
        records,
        {
          rules: trace.rules,
          incomplete: incomplete ?? trace.incompleteness,
          revision: ++trace.revision,
          rejectedSpans: trace.overLimit + trace.unreadable,
          checkErrors: trace.checkErrors,
        },
        judged,
      )
      for (const report of reports) if (report.step_count > 0) this.#deliver(report, trace.watchers)
    } catch (error) {
      for (const watcher of trace.watchers) watcher.tell(error)
    } finally {
      trace.dropStock()
    }
    const now = performance.now()
    trace.restUntil = now + REST * (now - started)
  }

  #isAwaited({ watchers }: OpenTrace): boolean {
    if (this.#listeners.size > 0) return true
    for (const watcher of watchers) if (watcher.takesReports) return true
    return false
  }

  /** Of several watchers the first one counts the report in the metrics of the process. */
  #deliver(report: ChainReport, watchers: Iterable<TraceWatcher>): void {
    let first: TraceWatcher | null = null
    for (const watcher of watchers) {
      watcher.deliver(report, first === null)
      first ??= watcher
    }
    first?.unrecorded(() => {
      for (const listener of this.#listeners) listener(report)
    })
  }
}

function judgeReadable(trace: OpenTrace, span: SpanView): JudgedSpan {
  try {
    return judgeSpan(span, trace.rules)
  } catch (error) {
    trace.unreadable++
    throw error
  }
}
