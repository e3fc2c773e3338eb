import { onBeforeExit } from '../pipeline/environment.ts'
import { type LiveLimits, toLiveLimits } from '../pipeline/live-limits.ts'
import { findTracker, listenToReports } from '../pipeline/process-hub.ts'
import { TraceTracker } from '../pipeline/trace-tracker.ts'
import type { TraceWatcher } from '../pipeline/trace-watcher.ts'
import type { ChainReport } from '../report/chain-report.ts'
import type { ReportSink } from '../report/report-sink.ts'
import { loadRules } from '../rules/load-rules.ts'
import { defaultRules } from '../rules/rules.ts'
import type { RulesFile } from '../rules/rules-file.ts'
import type { SpanView } from '../steps/span-view.ts'
import { createDirectorySink } from './directory-sink.ts'
import { fanOut } from './fan-out.ts'
import { isDoneWithin } from './is-done-within.ts'
import { requireTimerMillis } from './require-whole-number.ts'
import { toError } from './to-error.ts'

/** Where a `ChainReportExporter` writes and how it judges. */
export interface ChainReportExporterOptions {
  /**
   * The folder of the reports, one file per chain.
   *
   * @default 'chain-reports' where no sinks are given either
   */
  readonly directory?: string
  /** Sinks in place of the folder, or beside it where that is given, too. */
  readonly sinks?: readonly ReportSink[]
  /**
   * What is asked of the runs: the path of a rules file, or the same as an object. Where an `AgentReachProcessor`
   * follows the spans its rules hold.
   *
   * @default no rules: the built-in checks alone
   */
  readonly rules?: string | RulesFile
  /** `settleMillis` does not matter here: a chain is closed with the batch that completes it. */
  readonly limits?: LiveLimits
  /**
   * How long `forceFlush` and `shutdown` wait for the sinks at most, in milliseconds. An export waits until the span
   * processor that asked for it gives up.
   *
   * @default 5000
   */
  readonly flushTimeoutMillis?: number
}

/** Reports of a processor that are under way at most: a sink that hangs is not to fill the memory. */
const UNDER_WAY = 10_000

/** The answer to an export, as OpenTelemetry's `ExportResult`: code 0 is success, 1 is failure. */
export interface ExportOutcome {
  readonly code: 0 | 1
  readonly error?: Error
}

/**
 * A span exporter that writes one report per chain, for gateways and for set-ups that prefer exporters:
 * `new BatchSpanProcessor(new ChainReportExporter())`. Alone it folds the spans that it is given, and answers an
 * export when the reports of the chains that it completed are durable. Beside an `AgentReachProcessor` it writes the
 * reports that this one makes, of all its chains, whatever was sampled or dropped on the way to here.
 */
export class ChainReportExporter {
  readonly #sink: ReportSink
  readonly #tracker: TraceTracker
  readonly #watcher: TraceWatcher
  readonly #stopListening: () => void
  readonly #forgetExit: () => void
  /** Writes that are under way; none of them rejects. */
  readonly #writes = new Set<Promise<void>>()
  /** Something was written since the sinks were flushed. */
  #isWritten = false
  /** The first error since an answer told of one. */
  #error: Error | null = null
  readonly #timeoutMillis: number
  #isShutDown = false

  /**
   * @throws {RulesError} where the rules cannot be used
   * @throws {TypeError} where an option or a limit is unknown, or there is no place to write to
   * @throws {RangeError} where a number is out of range
   */
  constructor(options: ChainReportExporterOptions = {}) {
    for (const name of Object.keys(options)) {
      if (!knownOptions.includes(name)) refuse(name)
    }
    const { sinks = [], rules } = options
    const directory = options.directory ?? (options.sinks === undefined ? 'chain-reports' : undefined)
    this.#sink = fanOut([...(directory === undefined ? [] : [createDirectorySink({ directory })]), ...sinks])
    this.#timeoutMillis = requireTimerMillis({
      of: 'a ChainReportExporter',
      name: 'flushTimeoutMillis',
      value: options.flushTimeoutMillis ?? 5_000,
      minimum: 0,
    })
    this.#tracker = new TraceTracker(toLiveLimits(options.limits ?? {}))
    this.#watcher = {
      rules: rules === undefined ? defaultRules : loadRules(rules),
      takesReports: true,
      deliver: (report) => this.#write(report),
      // An SDK has its exporters work in a context of which no spans are recorded.
      unrecorded: (work) => work(),
      tell: (error) => this.#fail(error),
    }
    this.#tracker.watch(this.#watcher)
    this.#stopListening = listenToReports((report) => this.#take(report))
    this.#forgetExit = onBeforeExit(() => void this.#tracker.finish())
  }

  /** Never throws; what goes wrong is in the answer. */
  export(spans: readonly SpanView[], answer: (outcome: ExportOutcome) => void): void {
    if (this.#isShutDown) {
      answer({ code: 1, error: new Error('Cannot export spans: the exporter has been shut down') })
      return
    }
    this.#fold(spans).then(answer, (error: unknown) => answer({ code: 1, error: toError(error) }))
  }

  /** Reports the chains that are complete and resolves when all reports are durable; rejects where one is not in time. */
  async forceFlush(): Promise<void> {
    this.#tracker.closeFiled()
    await this.#inTime(async () => {
      const error = await this.#settle()
      if (error !== null) throw error
    })
  }

  /** Reports what is there, incomplete chains as partial, and closes the sinks; rejects where that fails. */
  async shutdown(): Promise<void> {
    if (this.#isShutDown) return
    this.#isShutDown = true
    this.#forgetExit()
    this.#stopListening()
    this.#tracker.unwatch(this.#watcher)
    await this.#inTime(async () => {
      const error = await this.#settle()
      await this.#sink.close()
      if (error !== null) throw error
    })
  }

  async #fold(spans: readonly SpanView[]): Promise<ExportOutcome> {
    const followed = findTracker()
    for (const span of spans) {
      try {
        const { traceId, spanId } = span.spanContext()
        if (followed?.knows(traceId, spanId) !== true) this.#tracker.file(span, this.#watcher)
      } catch (error) {
        // One span that cannot be read is no reason to lose those after it.
        this.#fail(error)
      }
    }
    this.#tracker.closeFiled()
    const error = await this.#settle()
    return error === null ? { code: 0 } : { code: 1, error }
  }

  /** Takes a report that a processor made. */
  #take(report: ChainReport): void {
    if (this.#writes.size < UNDER_WAY) this.#write(report)
    else
      this.#fail(
        new Error(`Cannot write report ${report.report_id}: ${UNDER_WAY} others are still under way`),
      )
  }

  #write(report: ChainReport): void {
    this.#isWritten = true
    const write = this.#sink.write(report).catch((error: unknown) => this.#fail(error))
    this.#writes.add(write)
    void write.then(() => this.#writes.delete(write))
  }

  async #inTime(work: () => Promise<void>): Promise<void> {
    if (await isDoneWithin(work(), this.#timeoutMillis)) return
    const found = `${this.#writes.size} still under way after ${this.#timeoutMillis} ms`
    throw new Error(`Cannot flush the reports: expected all to be written, found ${found}`)
  }

  #fail(error: unknown): void {
    this.#error ??= toError(error)
  }

  /** Resolves when everything that was handed to the sinks is durable, to the first error since the last answer. */
  async #settle(): Promise<Error | null> {
    await Promise.all(this.#writes)
    if (this.#isWritten) {
      this.#isWritten = false
      await this.#sink.flush().catch((error: unknown) => this.#fail(error))
    }
    const error = this.#error
    this.#error = null
    return error
  }
}

const knownOptions: readonly string[] = ['directory', 'sinks', 'rules', 'limits', 'flushTimeoutMillis']

function refuse(name: string): never {
  const expected = `expected one of ${knownOptions.join(', ')}`
  throw new TypeError(`Cannot create a ChainReportExporter: ${expected}, found the unknown option ${name}`)
}
