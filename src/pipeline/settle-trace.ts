import { buildChains } from '../chain/build-chain.ts'
import type { Alert, Chain, SettledChain } from '../chain/chain.ts'
import { settleChain } from '../chain/settle-chain.ts'
import type { TraceRecords } from '../chain/trace-records.ts'
import { chainChecks } from '../checks/chain/catalog.ts'
import { createBudgetCheck } from '../checks/run/budget.ts'
import { chooseEpisodes } from '../checks/run/choose-episodes.ts'
import { createLoopChecks } from '../checks/run/loops.ts'
import { observeCalls } from '../checks/run/observe-calls.ts'
import { observeSteps } from '../checks/run/observe-steps.ts'
import type { GuardOutcome, RunCheck } from '../checks/run/run-check.ts'
import type { Finding } from '../findings/finding.ts'
import { applySeverities } from '../rules/apply-severities.ts'
import type { Rules } from '../rules/rules.ts'

/** A settled chain, and how many run and chain checks threw on the way: defects of ours, counted. */
export interface JudgedChain {
  readonly settled: SettledChain
  readonly checkErrors: number
}

/** Folds a trace into its chains, runs the run and chain checks over each and settles it. */
export function settleTrace(trace: TraceRecords, rules: Rules): readonly JudgedChain[] {
  return buildChains(trace).map((chain) => judge(chain, rules))
}

function judge(chain: Chain, rules: Rules): JudgedChain {
  let checkErrors = 0
  const guarded = <T>(run: () => readonly T[]): readonly T[] => {
    try {
      return run()
    } catch {
      checkErrors++
      return NONE
    }
  }
  const { loop, budget, severities } = rules
  const alerts: Alert[] = []
  const findings: Finding[] = []
  const take = (outcomes: readonly GuardOutcome[]): void => {
    for (const outcome of outcomes) {
      const graded = gradeOutcome(outcome, rules)
      if (graded === null) continue
      alerts.push(graded.alert)
      findings.push(graded.finding)
    }
  }
  take(guarded(() => chooseEpisodes(follow(createLoopChecks(loop), observeCalls(chain)))))
  const hasBudget = Object.keys(budget).length > 0
  if (hasBudget) take(guarded(() => follow(createBudgetCheck(budget), observeSteps(chain))))
  for (const check of chainChecks) {
    for (const finding of guarded(() => check.check(chain))) {
      const graded = applySeverities(finding, severities)
      if (graded !== null) findings.push(graded)
    }
  }
  return { settled: settleChain(chain, { alerts, findings }), checkErrors }
}

const NONE: readonly never[] = []

/** An outcome with the severity that the rules give it; `null` where they leave it out. */
export function gradeOutcome(outcome: GuardOutcome, { severities }: Rules): GuardOutcome | null {
  const finding = applySeverities(outcome.finding, severities)
  if (finding === null) return null
  return { ...outcome, alert: { ...outcome.alert, severity: finding.severity }, finding }
}

/** Runs a guard over what it follows, in fold order. */
function follow<State, Seen, Outcome extends GuardOutcome>(
  guard: RunCheck<State, Seen, Outcome>,
  seen: readonly Seen[],
): readonly Outcome[] {
  const state = guard.init()
  const outcomes: Outcome[] = []
  for (const next of seen) outcomes.push(...guard.next(state, next))
  return outcomes
}
