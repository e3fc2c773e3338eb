import { type Context, context, createContextKey, ROOT_CONTEXT } from '@opentelemetry/api'
import { ReportOutlet } from '../exporters/report-outlet.ts'
import { getChainContext } from '../pipeline/chain-context.ts'
import type { EndedStep } from '../pipeline/ended-step.ts'
import { onBeforeExit } from '../pipeline/environment.ts'
import { joinTracker } from '../pipeline/process-hub.ts'
import type { TraceTracker } from '../pipeline/trace-tracker.ts'
import type { TraceWatcher } from '../pipeline/trace-watcher.ts'
import type { ChainReport } from '../report/chain-report.ts'
import type { SpanView } from '../steps/span-view.ts'
import { ChainMetrics } from './chain-metrics.ts'
import { isSeenByOthers } from './export-check.ts'
import { HostGuard } from './host-guard.ts'
import { toLiveAlert, toLiveFinding } from './live-event.ts'
import type { LiveSpan } from './live-span.ts'
import {
  type AgentReachProcessorOptions,
  type ProcessorSettings,
  toProcessorSettings,
} from './processor-options.ts'
import { SpanMarker } from './span-marker.ts'
import { stampContext } from './stamp-context.ts'

/** Spans that are started in such a context are not recorded: the key of OpenTelemetry's core, in every line. */
const SUPPRESS_TRACING = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING')

/** Known to every copy of this package, so that one does not take another for an exporter. */
const MARK_OF_OURS = Symbol.for('agent-reach span processor')

/**
 * A span processor for an OpenTelemetry SDK of the 2.x or the 3.x line. It judges every step of an agent when its
 * span ends, writes what it found on the span, and hands one report per chain to `reports` when the run is over. It
 * exports nothing: what the program exports today still needs its own processor beside this one.
 *
 * Register it anywhere in the list; from SDK 2.3 on its marks reach every exporter. It never throws into the program
 * and never waits for a sink.
 */
export class AgentReachProcessor {
  readonly #settings: ProcessorSettings
  readonly #guard: HostGuard
  readonly #marker: SpanMarker
  readonly #metrics: ChainMetrics
  readonly #outlet: ReportOutlet | null
  readonly #tracker: TraceTracker
  readonly #watcher: TraceWatcher
  readonly #forgetExit: () => void
  #isShutDown = false
  #isChecked = false
  /** A sink hangs while the program waits to end: it waits once. */
  #hasGivenUp = false
  /** The span whose `onEnding` came last: its `onEnd` has nothing left to do. */
  #lastEnding: object | null = null

  /**
   * @throws {RulesError} where the rules cannot be used: with every problem, its file and its line
   * @throws {TypeError} where an option is unknown or of a wrong kind
   * @throws {RangeError} where a number is out of range
   */
  constructor(options: AgentReachProcessorOptions = {}) {
    const settings = toProcessorSettings(options)
    const guard = new HostGuard()
    const { rules, reports, limits, flushTimeoutMillis } = settings
    this.#settings = settings
    this.#guard = guard
    this.#marker = new SpanMarker(settings, guard)
    this.#metrics = new ChainMetrics(new Set(rules.nodes.map(({ name }) => name)))
    this.#outlet =
      reports === null
        ? null
        : new ReportOutlet(reports, {
            timeoutMillis: flushTimeoutMillis,
            onError: (error) => guard.warnOnce(error.message, `agent-reach: ${error.message}`),
          })
    const takesReports = (): boolean =>
      this.#outlet !== null || settings.hooks.onReport !== undefined || this.#metrics.isRecording
    this.#watcher = {
      rules,
      get takesReports() {
        return guard.run('the metrics', takesReports) ?? false
      },
      deliver: (report, isFirst) => this.#deliver(report, isFirst),
      unrecorded: (work) => this.#unrecorded(work),
      tell: (error) => guard.tell('the making of a report', error),
    }
    const { tracker, isShared } = joinTracker(limits)
    if (!isShared) guard.warnOnce('copies', TWO_VERSIONS)
    this.#tracker = tracker
    tracker.watch(this.#watcher)
    Object.defineProperty(this, MARK_OF_OURS, { value: true })
    this.#forgetExit = onBeforeExit(() => this.#onBeforeExit())
  }

  /** Errors of ours, of hooks and of what spans hold that were kept from the program. */
  get swallowedErrors(): number {
    return this.#guard.swallowed
  }

  onStart(span: LiveSpan, parentContext: Context): void {
    if (this.#isShutDown) return
    this.#guard.run('onStart', () => {
      const entry = this.#tracker.start(span, this.#watcher)
      const fields = getChainContext(parentContext)
      if (fields !== undefined) stampContext(span, fields, entry)
      entry?.readChainId(span)
      if (!this.#isChecked) this.#checkExport(span)
    })
  }

  onEnding(span: LiveSpan): void {
    if (this.#isShutDown) return
    this.#lastEnding = span
    this.#guard.run('onEnding', () => this.#end(span, false))
  }

  onEnd(span: SpanView): void {
    if (this.#lastEnding === span) {
      this.#lastEnding = null
      return
    }
    // Only the type of the SDK hides that the span is the same as at its start.
    if (!this.#isShutDown) this.#guard.run('onEnd', () => this.#end(span as LiveSpan, true))
  }

  /**
   * Reports every chain whose roots have ended and below which nothing is open, and resolves when all reports are
   * durable, or after `flushTimeoutMillis`. Chains that go on stay open. Never rejects.
   */
  async forceFlush(): Promise<void> {
    const deadline = performance.now() + this.#settings.flushTimeoutMillis
    await this.#reportAll('forceFlush', () => this.#tracker.flush(AT_A_TIME), deadline)
    await this.#unrecordedToEnd('forceFlush', () => this.#outlet?.flush(toMillisUntil(deadline)))
  }

  /** Reports everything, what is open as partial, closes the sinks and lets go. Never rejects. */
  async shutdown(): Promise<void> {
    if (this.#isShutDown) return
    this.#isShutDown = true
    this.#forgetExit()
    const deadline = performance.now() + this.#settings.flushTimeoutMillis
    await this.#reportAll('shutdown', () => this.#tracker.finish(AT_A_TIME, this.#watcher), deadline)
    this.#guard.run('shutdown', () => this.#tracker.unwatch(this.#watcher))
    await this.#unrecordedToEnd('shutdown', () => this.#outlet?.close())
  }

  #end(span: LiveSpan, hasEnded: boolean): void {
    const step = this.#tracker.end(span)
    if (step === null) return
    this.#guard.run('the marking of a span', () => this.#marker.mark(span, step, hasEnded))
    this.#callHooks(step)
  }

  #callHooks(step: EndedStep): void {
    const { onFinding, onAlert } = this.#settings.hooks
    if (onFinding !== undefined) {
      for (const finding of step.findings) {
        this.#guard.run('onFinding', () => onFinding(toLiveFinding(step, finding)))
      }
    }
    if (onAlert === undefined) return
    for (const alert of step.alerts) this.#guard.run('onAlert', () => onAlert(toLiveAlert(step, alert)))
  }

  #deliver(report: ChainReport, isFirst: boolean): void {
    const { onReport } = this.#settings.hooks
    if (isFirst) this.#guard.run('the metrics', () => this.#metrics.record(report))
    this.#guard.run('a report sink', () => this.#unrecorded(() => this.#outlet?.write(report)))
    if (onReport !== undefined) this.#guard.run('onReport', () => this.#unrecorded(() => onReport(report)))
  }

  /**
   * What is done with reports is no part of a run: no spans of it, and nothing of the context in which a run happened
   * to end. A model that is asked about a report would make another report.
   */
  #unrecorded<T>(work: () => T): T {
    return context.with(ROOT_CONTEXT.setValue(SUPPRESS_TRACING, true), work)
  }

  async #unrecordedToEnd(where: string, work: () => Promise<unknown> | undefined): Promise<void> {
    try {
      await this.#unrecorded(work)
    } catch (error) {
      this.#guard.tell(where, error)
    }
  }

  /** The queues of the sinks hold only so many reports: they are emptied in between, while there is time. */
  async #reportAll(where: string, report: () => boolean, deadline: number): Promise<void> {
    while (this.#guard.run(where, report) === true) {
      const millis = toMillisUntil(deadline)
      if (millis > 0) await this.#unrecordedToEnd(where, () => this.#outlet?.flush(millis))
    }
  }

  #onBeforeExit(): void {
    const more = this.#finishSome()
    // The event comes again after each piece of work, so there must be nothing to do at last.
    if (this.#hasGivenUp || (!more && (this.#outlet?.waiting ?? 0) === 0)) return
    void this.#unrecordedToEnd('beforeExit', () => this.#finishAll(more))
  }

  async #finishAll(more: boolean): Promise<void> {
    this.#hasGivenUp = (await this.#outlet?.flush()) === false
    if (more) {
      const isMore = this.#finishSome()
      if (!this.#hasGivenUp) await this.#finishAll(isMore)
    }
  }

  /** All where nobody waits for the sinks any more. */
  #finishSome(): boolean {
    const most = this.#hasGivenUp ? Infinity : AT_A_TIME
    return this.#guard.run('beforeExit', () => this.#tracker.finish(most)) === true
  }

  #checkExport(span: LiveSpan): void {
    this.#isChecked = true
    if (isSeenByOthers(span, (processor) => MARK_OF_OURS in processor) === false) {
      this.#guard.warnOnce('export', NOTHING_EXPORTS)
    }
  }
}

/** Traces that are reported in one go, well below the reports that the queue of a sink holds. */
const AT_A_TIME = 250

function toMillisUntil(deadline: number): number {
  return Math.max(0, Math.ceil(deadline - performance.now()))
}

const NOTHING_EXPORTS =
  'agent-reach: no other span processor is registered beside AgentReachProcessor, so spans are judged and reported ' +
  'but exported nowhere. NodeSDK ignores traceExporter and OTEL_TRACES_EXPORTER when spanProcessors is given: add ' +
  'new BatchSpanProcessor(<your exporter>) to spanProcessors. See docs/setup.md'

const TWO_VERSIONS =
  'agent-reach: two versions of this package that cannot work together are loaded; each judges on its own'
