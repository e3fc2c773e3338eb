import { buildChains } from '../chain/build-chain.ts'
import type { Chain, SettledChain } from '../chain/chain.ts'
import { type ChainJudgement, settleChain } from '../chain/settle-chain.ts'
import type { TraceRecords } from '../chain/trace-records.ts'
import { chainChecks } from '../checks/chain/catalog.ts'
import { createBudgetCheck } from '../checks/run/budget.ts'
import { createExactLoopCheck } from '../checks/run/exact-loop.ts'
import { observeCalls } from '../checks/run/observe-calls.ts'
import { observeSteps } from '../checks/run/observe-steps.ts'
import type { GuardOutcome, RunCheck } from '../checks/run/run-check.ts'
import { buildReport } from '../report/build-report.ts'
import type { ChainReport, CompletenessReason } from '../report/chain-report.ts'
import { applySeverities } from '../rules/apply-severities.ts'
import { defaultRules, type Rules } from '../rules/rules.ts'
import { digestRules, LIMITS_DIGEST } from './judging-inputs.ts'
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
 */
export function buildReports(trace: TraceRecords, context: TraceContext = {}): readonly ChainReport[] {
  const { rules = defaultRules } = context
  return buildChains(trace).map((chain) => {
    const { settled, checkErrors } = judge(chain, rules)
    return buildReport(settled, {
      generator: GENERATOR,
      rulesDigest: digestRules(rules),
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

function judge(chain: Chain, rules: Rules): { readonly settled: SettledChain; readonly checkErrors: number } {
  let checkErrors = 0
  const guarded = <T>(run: () => readonly T[]): readonly T[] => {
    try {
      return run()
    } catch {
      checkErrors++
      return []
    }
  }
  const { loop, budget, severities } = rules
  const outcomes = [
    ...guarded(() => follow(createExactLoopCheck(loop), observeCalls(chain))),
    ...guarded(() => follow(createBudgetCheck(budget), observeSteps(chain))),
  ].flatMap(({ alert, finding }) => {
    const told = applySeverities(finding, severities)
    return told === null ? [] : [{ alert: { ...alert, severity: told.severity }, finding: told }]
  })
  const judgement: ChainJudgement = {
    alerts: outcomes.map((outcome) => outcome.alert),
    findings: [
      ...outcomes.map((outcome) => outcome.finding),
      ...chainChecks
        .flatMap((check) => guarded(() => check.check(chain)))
        .flatMap((finding) => applySeverities(finding, severities) ?? []),
    ],
  }
  return { settled: settleChain(chain, judgement), checkErrors }
}

/** Runs a guard over what it follows, in fold order; of an episode the last word counts. */
function follow<State, Seen>(guard: RunCheck<State, Seen>, seen: readonly Seen[]): readonly GuardOutcome[] {
  const state = guard.init()
  const last = new Map<string, GuardOutcome>()
  for (const next of seen) {
    for (const outcome of guard.next(state, next)) last.set(outcome.key, outcome)
  }
  return [...last.values()]
}
