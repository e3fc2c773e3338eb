import { TraceRecords } from '../chain/trace-records.ts'
import type { ChainReport, CompletenessReason } from '../report/chain-report.ts'
import type { SpanView } from '../steps/span-view.ts'
import { buildReports } from './build-reports.ts'
import { judgeSpan } from './judge-span.ts'

interface OpenTrace {
  readonly records: TraceRecords
  checkErrors: number
}

/**
 * Collects the spans of many traces and gives the reports of a trace when it is closed. Keeps records, not content:
 * what is open costs a few hundred bytes a span, whatever was recorded.
 */
export class TraceCollector {
  readonly #open = new Map<string, OpenTrace>()
  /** By trace, also of traces of which no other span has come yet. */
  readonly #rejected = new Map<string, number>()
  #spans = 0

  /** Judges a finished span and files it under its trace. */
  add(span: SpanView): void {
    const { record, checkErrors } = judgeSpan(span)
    const trace = this.#traceOf(record.traceId)
    trace.records.add(record)
    trace.checkErrors += checkErrors
    this.#spans++
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
    const { records, checkErrors } = trace
    const rejectedSpans = this.#rejected.get(traceId) ?? 0
    this.#rejected.delete(traceId)
    return buildReports(records, { incomplete, checkErrors, rejectedSpans })
  }

  /**
   * Closes every open trace, in the order of their ids so that it does not depend on arrival.
   *
   * @yields each report
   */
  *closeAll(incomplete: CompletenessReason | null = null): Generator<ChainReport> {
    for (const traceId of this.openTraces().toSorted()) yield* this.close(traceId, incomplete)
  }

  #traceOf(traceId: string): OpenTrace {
    const known = this.#open.get(traceId)
    if (known !== undefined) return known
    const trace: OpenTrace = { records: new TraceRecords(traceId), checkErrors: 0 }
    this.#open.set(traceId, trace)
    return trace
  }
}

function firstStart(records: TraceRecords): bigint {
  let first: bigint | null = null
  for (const { startNs } of records.values()) {
    if (first === null || startNs < first) first = startNs
  }
  return first ?? 0n
}
