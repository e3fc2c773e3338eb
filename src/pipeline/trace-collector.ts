import type { TraceRecords } from '../chain/trace-records.ts'
import { refuseUncheckable } from '../checks/step/refuse-uncheckable.ts'
import type { ChainReport, CompletenessReason } from '../report/chain-report.ts'
import { defaultRules, type Rules } from '../rules/rules.ts'
import type { SpanView } from '../steps/span-view.ts'
import { TraceEvidence } from './trace-evidence.ts'

/** How much a collector holds. What does not fit is told in the report, which is then partial. */
export interface CollectorLimits {
  /**
   * Open traces; beyond them the one that was opened first is closed, see `takeEvicted`.
   *
   * @default 100000
   */
  readonly openTraces?: number
  /**
   * Distinct spans of one trace; further ones are left out and counted.
   *
   * @default 100000
   */
  readonly spansPerTrace?: number
}

/** How a collector judges, and how much it holds. */
export interface CollectorOptions extends CollectorLimits {
  /**
   * What is asked of the runs, from `loadRules`.
   *
   * @default no rules: the built-in checks alone
   */
  readonly rules?: Rules
}

const DEFAULT_LIMIT = 100_000

/**
 * Collects the spans of many traces and gives the reports of a trace when it is closed. Keeps records, not content:
 * what is open costs a few hundred bytes a span, whatever was recorded.
 */
export class TraceCollector {
  readonly #limits: Required<CollectorLimits>
  readonly #rules: Rules
  readonly #open = new Map<string, TraceEvidence>()
  /** Traces that were closed to make room: what still comes of them is late. */
  readonly #evicted = new Set<string>()
  #evictedReports: ChainReport[] = []
  #lateSpans = 0
  /** By trace, also of traces of which no other span has come yet. */
  readonly #rejected = new Map<string, number>()
  #spans = 0

  /** @throws {RulesError} where the rules hold a schema that cannot be checked */
  constructor(options: CollectorOptions = {}) {
    const { openTraces = DEFAULT_LIMIT, spansPerTrace = DEFAULT_LIMIT, rules = defaultRules } = options
    refuseUncheckable(rules)
    this.#rules = rules
    this.#limits = { openTraces, spansPerTrace }
  }

  /** Judges a finished span and files it under its trace. */
  add(span: SpanView): void {
    const { traceId } = span.spanContext()
    this.#spans++
    if (this.#evicted.has(traceId)) this.#lateSpans++
    else this.#traceOf(traceId).add(span)
  }

  /** Spans that came when their trace had been closed to make room. */
  get lateSpans(): number {
    return this.#lateSpans
  }

  /** The reports of traces that were closed to make room since this was last asked for. */
  takeEvicted(): readonly ChainReport[] {
    const reports = this.#evictedReports
    this.#evictedReports = []
    return reports
  }

  /** Counts a span of the trace that could not be read; its reports say so. */
  reject(traceId: string): void {
    this.#rejected.set(traceId, (this.#rejected.get(traceId) ?? 0) + 1)
  }

  /** Spans taken so far. */
  get spanCount(): number {
    return this.#spans
  }

  /** Ids of the traces that are open, in the order in which they were first seen. */
  openTraces(): readonly string[] {
    return [...this.#open.keys()]
  }

  /** Ids of the traces that are open, in the order of the first start in each, then of their ids. */
  openTracesByStart(): readonly string[] {
    const starts = [...this.#open].map(([traceId, { records }]) => ({
      traceId,
      startNs: firstStart(records),
    }))
    starts.sort((a, b) => {
      if (a.startNs !== b.startNs) return a.startNs < b.startNs ? -1 : 1
      return a.traceId < b.traceId ? -1 : 1
    })
    return starts.map(({ traceId }) => traceId)
  }

  /** Closes a trace and builds its reports; none where the trace is not open. */
  close(traceId: string, incomplete: CompletenessReason | null = null): readonly ChainReport[] {
    const trace = this.#open.get(traceId)
    if (trace === undefined) return []
    this.#open.delete(traceId)
    const rejectedSpans = this.#rejected.get(traceId) ?? 0
    this.#rejected.delete(traceId)
    return trace.report({ incomplete, rejectedSpans })
  }

  /**
   * Closes every open trace, in the order of their ids so that it does not depend on arrival.
   *
   * @yields each report
   */
  *closeAll(incomplete: CompletenessReason | null = null): Generator<ChainReport> {
    for (const traceId of this.openTraces().toSorted()) yield* this.close(traceId, incomplete)
  }

  #traceOf(traceId: string): TraceEvidence {
    const known = this.#open.get(traceId)
    if (known !== undefined) return known
    if (this.#open.size >= this.#limits.openTraces) this.#evictFirst()
    const trace = new TraceEvidence(traceId, this.#rules, this.#limits.spansPerTrace)
    this.#open.set(traceId, trace)
    return trace
  }

  #evictFirst(): void {
    const first = this.#open.keys().next().value
    if (first === undefined) return
    this.#evicted.add(first)
    this.#evictedReports.push(...this.close(first, 'evicted'))
  }
}

function firstStart(records: TraceRecords): bigint {
  let first: bigint | null = null
  for (const { startNs } of records.values()) {
    if (first === null || startNs < first) first = startNs
  }
  return first ?? 0n
}
