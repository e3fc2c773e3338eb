import type { TraceRecords } from '../chain/trace-records.ts'
import { buildReport } from '../report/build-report.ts'
import type { ChainReport, CompletenessReason } from '../report/chain-report.ts'
import { defaultRules, type Rules } from '../rules/rules.ts'
import { digestLimits, digestRules } from './judging-inputs.ts'
import { type JudgedChain, settleTrace } from './settle-trace.ts'
import { GENERATOR } from './version.ts'

/** What is known of a trace beside its records. */
export interface TraceContext {
  /**
   * What the chains are judged by; the step checks were made by the same.
   *
   * @default the rules that hold where nobody gave any
   */
  readonly rules?: Rules
  readonly incomplete?: CompletenessReason | null
  readonly revision?: number
  readonly lateSpans?: number
  readonly rejectedSpans?: number
  readonly checkErrors?: number
}

/**
 * Builds the reports of a trace, one per chain: fold, run checks, chain checks, settle, report. A pure function of
 * its arguments.
 *
 * @param judged the chains of these very records where they have been settled already
 */
export function buildReports(
  trace: TraceRecords,
  context: TraceContext = {},
  judged?: readonly JudgedChain[],
): readonly ChainReport[] {
  const { rules = defaultRules } = context
  return (judged ?? settleTrace(trace, rules)).map(({ settled, checkErrors }) =>
    buildReport(settled, {
      generator: GENERATOR,
      rulesDigest: digestRules(rules),
      limitsDigest: digestLimits(),
      revision: context.revision ?? 1,
      incomplete: context.incomplete ?? null,
      duplicateSpans: trace.duplicates,
      lateSpans: context.lateSpans ?? 0,
      rejectedSpans: context.rejectedSpans ?? 0,
      checkErrors: (context.checkErrors ?? 0) + checkErrors,
    }),
  )
}
