import type { FindingCode } from '../findings/catalog.ts'
import type { Severity } from '../findings/severity.ts'
import type { StepKind } from '../steps/step.ts'
import type { StandardSchema } from './standard-schema.ts'

/** A JSON Schema (2020-12, or draft-07 where `$schema` says so), or `{ $ref: <file beside the rules file> }`. */
export type JsonSchema = Readonly<Record<string, unknown>> & { readonly '~standard'?: never }

/** A JSON Schema, or in code a Standard Schema, whose validator has to answer at once: see {@link StandardSchema}. */
export type RuleSchema = JsonSchema | StandardSchema

/** A rules file, `agent-reach.yaml`, or the same object in code. Every part may be left out but the version. */
export interface RulesFile {
  /** Version of this format. */
  readonly version: 1
  /** What is asked of nodes, by a name of your own. */
  readonly nodes?: Readonly<Record<string, NodeRule>>
  readonly guards?: GuardRules
  /** Severities by finding code; `off` leaves the finding out. */
  readonly findings?: Readonly<Partial<Record<FindingCode, Severity | 'off'>>>
}

/** What is asked of the steps of a node. A step that several of them match is held against each. */
export interface NodeRule {
  /**
   * Which steps are meant.
   *
   * @default those of the node with the name of this rule
   */
  readonly match?: NodeMatch
  readonly result?: ResultRule
  readonly arguments?: ArgumentsRule
  /** The longest a step may take: `250ms`, `5s`, `2m`, `1h`. */
  readonly timeout?: string
  /** The arguments that make a further call of a failed one its next attempt, in place of those named like ids. */
  readonly retry_key?: readonly string[]
}

/** Which steps are meant: all that is given must hold. Texts are globs, `*` for any text, `?` for one character. */
export interface NodeMatch {
  readonly kind?: Exclude<StepKind, 'other'>
  /** Glob of the node name. */
  readonly name?: string
  /** Glob of the agent name. */
  readonly agent?: string
  /** Glob of the model that was asked for, or that answered. */
  readonly model?: string
  /** Glob of the span name. */
  readonly span?: string
  /** Globs of attributes of the span, by key. */
  readonly attributes?: Readonly<Record<string, string>>
}

/** What is asked of the result of a step: of a tool what it returned, of a model its answer. */
export interface ResultRule {
  readonly schema?: RuleSchema
  /**
   * An empty result is an error, whatever the step is.
   *
   * @default false
   */
  readonly not_empty?: boolean
}

/** What is asked of the arguments of a step. */
export interface ArgumentsRule {
  readonly schema: RuleSchema
}

/** What is asked of the run as a whole. */
export interface GuardRules {
  readonly loop?: LoopRule
  readonly budget?: BudgetRule
}

/** When equal calls are a loop. */
export interface LoopRule {
  /**
   * So many equal calls of a node are a warning.
   *
   * @default 3
   */
  readonly repeats?: number
  /**
   * So many are an error.
   *
   * @default 5, or `repeats` where that is more
   */
  readonly stop_at?: number
  /**
   * Only the last so many calls of the node count.
   *
   * @default 20, or `stop_at` where that is more
   */
  readonly window?: number
  /**
   * Near-equal calls have at least this share of their words in common, from 0 to 1; `off`: only equal calls are loops.
   *
   * @default 0.6
   */
  readonly similar?: number | 'off'
  /**
   * The most calls in a round of a cycle such as A, B, A, B; 1 looks for none.
   *
   * @default 5
   */
  readonly cycles?: number
  /** Names of arguments that do not matter where calls are compared, such as a timestamp. */
  readonly ignore_fields?: readonly string[]
  /** Globs of the names of nodes that may repeat their calls. */
  readonly exempt?: readonly string[]
}

/** How much a run may use. Beyond a limit there is an error alert. */
export interface BudgetRule {
  readonly tokens?: number
  /** Estimated cost in USD. */
  readonly usd?: number
  readonly model_calls?: number
  readonly tool_calls?: number
  /** From the start of the run: `250ms`, `5s`, `2m`, `1h`. */
  readonly duration?: string
  /**
   * What is done at a limit; `warn` tells it.
   *
   * @default 'warn'
   */
  readonly at_limit?: 'warn'
}
