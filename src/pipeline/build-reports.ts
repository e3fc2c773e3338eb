import { buildChains } from '../chain/build-chain.ts'
import type { Chain, SettledChain } from '../chain/chain.ts'
import { type ChainJudgement, settleChain } from '../chain/settle-chain.ts'
import type { TraceRecords } from '../chain/trace-records.ts'
import { chainChecks } from '../checks/chain/catalog.ts'
import { createExactLoopCheck } from '../checks/run/exact-loop.ts'
import { observeCalls } from '../checks/run/observe-calls.ts'
import type { GuardOutcome } from '../checks/run/run-check.ts'
import { buildReport } from '../report/build-report.ts'
import type { ChainReport, CompletenessReason } from '../report/chain-report.ts'
import { DEFAULT_RULES_DIGEST, LIMITS_DIGEST } from './judging-inputs.ts'
import { GENERATOR } from './version.ts'

/** What is known of the evidence of a trace beside its records. */
export interface TraceContext {
  readonly incomplete?: CompletenessReason | null
  readonly revision?: number
  readonly lateSpans?: number
  readonly rejectedSpans?: number
  readonly checkErrors?: number
}

/**
 * Builds the reports of a trace, one per chain: fold, run checks, chain checks, settle, report. A pure function of
 * its arguments.
 */
export function buildReports(trace: TraceRecords, context: TraceContext = {}): readonly ChainReport[] {
  return buildChains(trace).map((chain) => {
    const { settled, checkErrors } = judge(chain)
    return buildReport(settled, {
      generator: GENERATOR,
      rulesDigest: DEFAULT_RULES_DIGEST,
      limitsDigest: LIMITS_DIGEST,
      revision: context.revision ?? 1,
      incomplete: context.incomplete ?? null,
      duplicateSpans: trace.duplicates,
      lateSpans: context.lateSpans ?? 0,
      rejectedSpans: context.rejectedSpans ?? 0,
      checkErrors: (context.checkErrors ?? 0) + checkErrors,
    })
  })
}

function judge(chain: Chain): { readonly settled: SettledChain; readonly checkErrors: number } {
  let checkErrors = 0
  const guarded = <T>(run: () => readonly T[]): readonly T[] => {
    try {
      return run()
    } catch {
      checkErrors++
      return []
    }
  }
  const outcomes = guarded(() => runGuards(chain))
  const judgement: ChainJudgement = {
    alerts: outcomes.map((outcome) => outcome.alert),
    findings: [
      ...outcomes.map((outcome) => outcome.finding),
      ...chainChecks.flatMap((check) => guarded(() => check.check(chain))),
    ],
  }
  return { settled: settleChain(chain, judgement), checkErrors }
}

/** Runs the guards over the calls in fold order; of an episode the last word counts. */
function runGuards(chain: Chain): readonly GuardOutcome[] {
  const guard = createExactLoopCheck()
  const state = guard.init()
  const last = new Map<string, GuardOutcome>()
  for (const call of observeCalls(chain)) {
    for (const outcome of guard.next(state, call)) last.set(outcome.key, outcome)
  }
  return [...last.values()]
}
