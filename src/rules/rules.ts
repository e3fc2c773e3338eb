import type { FindingCode } from '../findings/catalog.ts'
import type { Severity } from '../findings/severity.ts'
import { defaultLoopThresholds, type LoopThresholds } from './loop-thresholds.ts'
import type { NodeMatch, RuleSchema } from './rules-file.ts'
import type { RulesProblem } from './rules-error.ts'

/** A place in the rules. */
export type RulesPlace = Pick<RulesProblem, 'file' | 'line' | 'path'>

/** A schema with the place from which it was taken. */
export interface PlacedSchema {
  readonly schema: RuleSchema
  readonly place: RulesPlace
}

/** What is asked of the steps of one node. */
export interface NodeRules {
  readonly name: string
  /** `null`: the steps of the node with this very name. */
  readonly match: NodeMatch | null
  readonly resultSchema: PlacedSchema | null
  readonly notEmpty: boolean
  readonly argumentsSchema: PlacedSchema | null
  readonly timeoutMs: number | null
  readonly retryKey: readonly string[]
}

/** When equal calls are a loop, and which nodes may make them. */
export interface LoopRules extends LoopThresholds {
  /** Globs of node names. */
  readonly exempt: readonly string[]
  /** Names of arguments that do not matter where calls are compared. */
  readonly ignoreFields: readonly string[]
}

/** What a budget counts. */
export type BudgetKind = 'tokens' | 'usd' | 'model_calls' | 'tool_calls' | 'duration'

/** The most that a run may use; the duration in milliseconds. What is absent has no limit. */
export type BudgetLimits = Readonly<Partial<Record<BudgetKind, number>>>

/** Severities in place of those of the checks; `off` leaves a finding out. */
export type SeverityRules = Readonly<Partial<Record<FindingCode, Severity | 'off'>>>

/** Rules that were checked, with every default filled in: made by `loadRules`. */
export interface Rules {
  /** What several nodes ask of one step is asked together, so their order does not matter. */
  readonly nodes: readonly NodeRules[]
  readonly loop: LoopRules
  readonly budget: BudgetLimits
  readonly severities: SeverityRules
}

/** The rules that hold where nobody gave any. */
export const defaultRules: Rules = {
  nodes: [],
  loop: { ...defaultLoopThresholds, exempt: [], ignoreFields: [] },
  budget: {},
  severities: {},
}
