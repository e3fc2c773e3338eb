import type { Finding } from '../findings/finding.ts'
import type { Severity } from '../findings/severity.ts'
import type { Phase } from '../steps/step.ts'
import type { StepRecord } from './step-record.ts'

/** The state of a step, a call or a node. */
export type NodeStatus = 'reached' | 'reached_invalid' | 'unreachable' | 'timed_out' | 'skipped'

/** The state of a whole chain. */
export type ChainStatus = 'success' | 'partial_failed' | 'failed'

/** Tokens that a step adds to its chain, each counted once. Cached are inside input, reasoning inside output. */
export interface CountedTokens {
  readonly count: number
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly reasoning: number
}

/** A step in its chain. */
export interface ChainStep {
  readonly record: StepRecord
  /** Position in fold order, from 0. */
  readonly index: number
  /** The nearest agent step above it in the same chain; `null` for a root of the chain. */
  readonly parent: ChainStep | null
  readonly children: readonly ChainStep[]
  /** How many steps its subtree has, itself included: they are the ones just before it in fold order. */
  readonly size: number
}

/** A value for each step of a chain, at the index of the step. */
export type ByStep<T> = readonly T[]

/** A group of attempts: the same call, made until it succeeded or was given up. */
export interface Call {
  readonly nodeName: string
  /** In fold order, attempts that nothing tells apart with the failed ones first. */
  readonly attempts: readonly ChainStep[]
  /** Attempts with different outcomes that neither times nor sequence numbers tell apart. */
  readonly orderUncertain: boolean
}

/** A tool call that a model asked for, and the step that ran it. */
export interface RequestedCallLink {
  readonly model: ChainStep
  /** Position in the output of the model. */
  readonly position: number
  readonly execution: ChainStep | null
}

/** A total that a span reports beside what the steps below it add up to. */
export interface UsageAggregate {
  readonly step: ChainStep
  readonly metric: 'input' | 'output' | 'total'
  readonly reported: number
  readonly counted: number
  /** A model call below reports no usage, so that the two cannot be compared. */
  readonly incomplete: boolean
}

/** Where the tokens and the money of a chain went, each counted once. */
export interface ChainUsage {
  /** `null` where a step adds none. */
  readonly tokens: ByStep<CountedTokens | null>
  /** USD; `null` where a step adds none. */
  readonly cost: ByStep<number | null>
  readonly aggregates: readonly UsageAggregate[]
  /** Steps that record a call which an earlier step has recorded: judged, but counted nowhere. */
  readonly repeated: ReadonlySet<ChainStep>
  /** Model calls, a call that two instrumentations recorded counted once. */
  readonly modelCalls: readonly ChainStep[]
  readonly toolCalls: readonly ChainStep[]
  /** `recorded`, a price package with its version, both joined by a comma, or `null` where nothing is known. */
  readonly costSource: string | null
}

/** Milliseconds; see `measureTime`. */
export interface TimeBreakdown {
  readonly modelMs: number
  readonly firstTokenMs: number | null
  readonly toolMs: number
  readonly betweenStepsMs: number
  readonly criticalPathMs: number
  readonly parallelism: number
}

/** A checkpoint that was recorded, or derived from what the steps did. */
export interface Checkpoint {
  readonly id: string
  readonly name: string
  readonly status: 'passed' | 'failed'
  readonly source: 'recorded' | 'derived'
  readonly step: ChainStep
  readonly timeNs: bigint
  readonly data: string | null
}

/** Something that a guard tells about the run while it goes on. */
export interface Alert {
  readonly type: string
  readonly kind: string | null
  readonly severity: Severity
  readonly action: 'none' | 'stop_node' | 'stop_chain' | 'handoff'
  readonly nodeName: string
  readonly spanId: string
  readonly message: string
  readonly count: number | null
  readonly order: 'certain' | 'uncertain'
}

/** One run of an agent, built from the records of its trace; nothing is judged yet. */
export interface Chain {
  readonly traceId: string
  readonly chainId: string
  /** Distinct spans of every kind in the trace. */
  readonly spanCount: number
  /** The ids of all spans of the trace, steps or not. */
  readonly spanIds: { has(spanId: string): boolean }
  /** The resource of the first root, else of the first span. */
  readonly resource: StepRecord['resource']
  /** Agent steps in fold order. */
  readonly steps: readonly ChainStep[]
  readonly roots: readonly ChainStep[]
  readonly calls: readonly Call[]
  /** The failed attempts that a later attempt of the same call made good, with all steps inside them. */
  readonly recovered: ReadonlySet<ChainStep>
  readonly links: readonly RequestedCallLink[]
  /** The model step that asked for a step; `null` where none is known. */
  readonly producers: ByStep<ChainStep | null>
  /** The model step that first had the result of a step before it; `null` where none is known. */
  readonly readers: ByStep<ChainStep | null>
  readonly usage: ChainUsage
  readonly time: TimeBreakdown
  readonly phases: ByStep<Phase | null>
  /** Nanoseconds since the Unix epoch; of the roots, else of all spans. */
  readonly startNs: bigint
  readonly endNs: bigint
  /** A root has its parent in another process. */
  readonly remoteParent: boolean
  /** Neither times nor sequence numbers tell which of the two steps came first. */
  readonly isOrderUndecided: (a: ChainStep, b: ChainStep) => boolean
}

/** A finding in its final form. */
export interface SettledFinding {
  readonly finding: Finding
  readonly step: ChainStep
  /** A later attempt of the same call made it good. */
  readonly recovered: boolean
}

/** A node: a named place in the chain with all calls that went through it. */
export interface ChainNode {
  readonly name: string
  /** In fold order; the steps inside another step of the same node included. */
  readonly steps: readonly ChainStep[]
  /** Steps that are not inside another step of the same node. */
  readonly outermost: readonly ChainStep[]
  readonly calls: number
  readonly attempts: number
  readonly status: NodeStatus
}

/** A node that failed, with the step that showed it and the step that produced it. */
export interface Failure {
  readonly step: ChainStep
  readonly finding: Finding
  readonly status: NodeStatus
  readonly blamed: ChainStep | null
}

/** A chain with its judgement. */
export interface SettledChain {
  readonly chain: Chain
  readonly findings: readonly SettledFinding[]
  readonly alerts: readonly Alert[]
  readonly states: ByStep<NodeStatus>
  /** Attempt numbers, from 1. */
  readonly attempts: ByStep<number>
  readonly nodes: readonly ChainNode[]
  readonly status: ChainStatus
  readonly rootCause: Failure | null
  readonly lastUnrecovered: Failure | null
}
