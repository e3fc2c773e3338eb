import { TraceRecords } from '../chain/trace-records.ts'
import type { ChainReport, CompletenessReason } from '../report/chain-report.ts'
import type { Rules } from '../rules/rules.ts'
import { isStandIn } from '../steps/is-stand-in.ts'
import type { SpanView } from '../steps/span-view.ts'
import { isAgentStep } from '../steps/step.ts'
import { buildReports } from './build-reports.ts'
import { judgeSpan } from './judge-span.ts'
import { type JudgedChain, settleTrace } from './settle-trace.ts'

/** What is known of the spans of a trace beside the spans themselves. */
export interface EvidenceContext {
  readonly incomplete?: CompletenessReason | null
  /** @default 1 */
  readonly revision?: number
  /** Spans of the trace that could not be read. */
  readonly rejectedSpans?: number
}

/** The spans of one trace, judged one by one as they are added, and its reports. Keeps records, no content. */
export class TraceEvidence {
  readonly records: TraceRecords
  readonly #rules: Rules
  readonly #spansPerTrace: number
  #checkErrors = 0
  #overLimit = 0

  /** @param spansPerTrace distinct spans that are held; further ones are left out, and the reports are partial */
  constructor(traceId: string, rules: Rules, spansPerTrace: number) {
    this.records = new TraceRecords(traceId)
    this.#rules = rules
    this.#spansPerTrace = spansPerTrace
  }

  /**
   * Judges a finished span.
   *
   * @returns whether it is held: it is the only copy so far, or the one of several that counts
   */
  add(span: SpanView): boolean {
    const { spanId } = span.spanContext()
    const { records } = this
    if (records.size >= this.#spansPerTrace && !records.has(spanId)) {
      this.#overLimit++
      return false
    }
    const { record, checkErrors } = judgeSpan(span, this.#rules)
    this.#checkErrors += checkErrors
    if (!isAgentStep(record) && isStandIn(span)) return false
    records.add(record)
    return records.get(spanId) === record
  }

  /** Spans were left out since the trace holds as many as it may. */
  get hasOverflowed(): boolean {
    return this.#overLimit > 0
  }

  /** Folds what has come into chains and judges them. */
  settle(): readonly JudgedChain[] {
    return settleTrace(this.records, this.#rules)
  }

  /** @param judged the chains of what has come, where they are at hand */
  report(context: EvidenceContext = {}, judged?: readonly JudgedChain[]): readonly ChainReport[] {
    const overLimit = this.#overLimit
    const rejectedSpans = (context.rejectedSpans ?? 0) + overLimit
    const lost = overLimit > 0 ? 'step_limit' : rejectedSpans > 0 ? 'rejected_spans' : null
    return buildReports(
      this.records,
      {
        rules: this.#rules,
        incomplete: context.incomplete ?? lost,
        revision: context.revision ?? 1,
        checkErrors: this.#checkErrors,
        rejectedSpans,
      },
      judged,
    )
  }
}
