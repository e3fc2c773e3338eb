import type { Alert } from '../chain/chain.ts'
import { toMilliseconds } from '../chain/measure-time.ts'
import type { StepRecord } from '../chain/step-record.ts'
import { createBudgetCheck } from '../checks/run/budget.ts'
import { createLoopChecks } from '../checks/run/loops.ts'
import { observeRecord } from '../checks/run/observe-calls.ts'
import type {
  GuardOutcome,
  LoopOutcome,
  ObservedCall,
  ObservedStep,
  RunCheck,
} from '../checks/run/run-check.ts'
import type { Rules } from '../rules/rules.ts'
import { gradeOutcome } from './settle-trace.ts'

/** What a step adds to its chain, as far as that is known when it ends. */
export interface StepShare {
  /** The call was recorded by an earlier step, too. */
  readonly repeated: boolean
  readonly tokens: number
  readonly costUsd: number
  readonly modelCalls: number
  readonly toolCalls: number
  /** A step of an agent stands above it. */
  readonly isBelow: boolean
}

/** A guard with its state over one chain. */
interface Following<Seen, Outcome> {
  next(seen: Seen): readonly Outcome[]
}

/** How far back calls are known that a loop was told of: more than any episode spans. */
const CLAIMED_CALLS = 1_024

/**
 * The guards over one chain while it runs. They see the steps in the order in which these end; the report runs them
 * again in fold order, and what it says is final.
 */
export class LiveChain {
  readonly #rules: Rules
  readonly #loop: Following<ObservedCall, LoopOutcome>
  readonly #budget: Following<ObservedStep, GuardOutcome> | null
  /** The severity with which each episode was told last, so that one is told again only when it gets worse. */
  readonly #told = new Map<string, Alert['severity']>()
  /** The loop that a call was told to belong to, by the index of the call, in the order in which they were told. */
  readonly #claims = new Map<number, GuardOutcome>()
  readonly #startNs: bigint
  #calls = 0

  constructor(rules: Rules, startNs: bigint) {
    this.#rules = rules
    this.#startNs = startNs
    this.#loop = follow(createLoopChecks(rules.loop))
    this.#budget = Object.keys(rules.budget).length === 0 ? null : follow(createBudgetCheck(rules.budget))
  }

  /** What the guards have to say after a step that they have not said before. */
  observe(record: StepRecord, share: StepShare): readonly GuardOutcome[] {
    const outcomes = [...this.#observeCall(record, share), ...this.#observeStep(record, share)]
    return outcomes.length === 0 ? NOTHING_NEW : outcomes.flatMap((outcome) => this.#tellOnce(outcome))
  }

  #observeCall(record: StepRecord, { repeated, isBelow }: StepShare): readonly GuardOutcome[] {
    const { kind } = record
    const isCall = kind === 'tool' || kind === 'retrieval' || (kind === 'agent' && isBelow)
    if (!isCall || repeated) return NOTHING_NEW
    return this.#loop.next(observeRecord(record, this.#calls++)).filter((outcome) => this.#claim(outcome))
  }

  /** True unless a loop that is as grave was told of one of the calls: an episode is told once. */
  #claim(outcome: LoopOutcome): boolean {
    const { key, alert, calls } = outcome
    const isTold = (call: number): boolean => {
      const claim = this.#claims.get(call)
      return claim !== undefined && claim.key !== key && !isGraver(alert, claim.alert)
    }
    if (calls.some(isTold)) return false
    for (const call of calls) {
      this.#claims.delete(call)
      this.#claims.set(call, outcome)
    }
    for (const call of this.#claims.keys()) {
      if (this.#claims.size <= CLAIMED_CALLS) break
      this.#claims.delete(call)
    }
    return true
  }

  #observeStep({ nodeName, spanId, endNs }: StepRecord, share: StepShare): readonly GuardOutcome[] {
    if (this.#budget === null) return NOTHING_NEW
    const { tokens, costUsd, modelCalls, toolCalls } = share
    const elapsedMs = toMilliseconds(endNs > this.#startNs ? endNs - this.#startNs : 0n)
    return this.#budget.next({ nodeName, spanId, tokens, costUsd, modelCalls, toolCalls, elapsedMs })
  }

  #tellOnce(outcome: GuardOutcome): readonly GuardOutcome[] {
    const graded = gradeOutcome(outcome, this.#rules)
    if (graded === null || this.#told.get(graded.key) === graded.alert.severity) return NOTHING_NEW
    this.#told.set(graded.key, graded.alert.severity)
    return [graded]
  }
}

const NOTHING_NEW: readonly never[] = []

function isGraver(a: Alert, b: Alert): boolean {
  return a.severity === 'error' && b.severity !== 'error'
}

function follow<State, Seen, Outcome extends GuardOutcome>(
  guard: RunCheck<State, Seen, Outcome>,
): Following<Seen, Outcome> {
  const state = guard.init()
  return { next: (seen) => guard.next(state, seen) }
}
