import type { ChainStatus, NodeStatus } from '../chain/chain.ts'
import type { Evidence } from '../chain/step-record.ts'
import type { FindingCode } from '../findings/catalog.ts'
import type { FindingOrder } from '../findings/finding.ts'
import type { Severity } from '../findings/severity.ts'
import type { Phase, StepKind } from '../steps/step.ts'

/** The version of the report format; fields are only ever added within version 1. */
export const SCHEMA_VERSION = '1.0'

/** Why a report is not complete. */
export type CompletenessReason =
  | 'remote_parent'
  | 'missing_parent'
  | 'root_never_ended'
  | 'idle'
  | 'evicted'
  | 'step_limit'
  | 'rejected_spans'
  | 'shutdown'
  | 'resumed'

/**
 * The chain report, version 1: what became of one run of an agent. Times are ISO 8601 in UTC, durations milliseconds
 * with at most 3 decimals, money USD. `chain-report.schema.json` says the same in JSON Schema.
 */
export interface ChainReport {
  readonly schema_version: string
  readonly generator: string
  readonly rules_digest: string
  readonly limits_digest: string
  readonly price_data: string
  /** `<trace id>-<chain hash>-<revision>`. */
  readonly report_id: string
  readonly revision: number
  readonly completeness: 'complete' | 'partial' | 'amended'
  readonly completeness_reason: CompletenessReason | null
  readonly task_id: string | null
  readonly chain_id: string
  readonly trace_id: string
  readonly session_id: string | null
  readonly service_name: string | null
  readonly agent_name: string | null
  readonly overall_status: ChainStatus
  readonly summary: string
  readonly started_at: string
  readonly ended_at: string
  readonly total_latency_ms: number
  readonly span_count: number
  readonly step_count: number
  readonly loop_count: number
  readonly retry_count: number
  readonly replan_count: number
  readonly model_calls: number
  readonly tool_calls: number
  readonly token_count: number
  readonly tokens: ReportTokens
  readonly estimated_cost_usd: number | null
  readonly cost_source: string | null
  readonly time: ReportTime
  readonly root_cause: ReportFailure | null
  readonly last_unrecovered: ReportFailure | null
  readonly nodes: readonly ReportNode[]
  readonly steps: readonly ReportStep[]
  readonly findings: readonly ReportFinding[]
  readonly checkpoints: ReportCheckpoints
  readonly assertions: ReportAssertions
  readonly alerts: readonly ReportAlert[]
  readonly judgements: readonly ReportJudgement[]
  readonly determinism: Readonly<Record<string, unknown>> | null
  readonly usage_check: ReportUsageCheck
  readonly dropped: ReportDropped
  readonly digest: string
}

export interface ReportTokens {
  readonly input: number
  readonly output: number
  readonly cache_read: number
  readonly cache_write: number
  readonly reasoning: number
}

/** Where the time went; the parts overlap and must not be added up. */
export interface ReportTime {
  readonly model_ms: number
  readonly first_token_ms: number | null
  readonly tool_ms: number
  readonly between_steps_ms: number
  readonly critical_path_ms: number
  readonly parallelism: number
}

export interface ReportFailure {
  readonly node_name: string
  readonly span_id: string
  readonly blamed_span_id: string | null
  readonly status: NodeStatus
  readonly code: FindingCode
  readonly reason: string
  readonly suggestion: string
}

export interface ReportNode {
  readonly node_name: string
  readonly kind: StepKind
  readonly phase: Phase | null
  readonly subtask_id: string | null
  readonly status: NodeStatus
  readonly evidence: Evidence
  readonly reason: string | null
  /** Codes as the attribute `agent_reach.node.findings` writes them: `code`, `code:warn`, `code:info`. */
  readonly findings: readonly string[]
  readonly calls: number
  readonly attempts: number
  readonly retry_count: number
  readonly latency_ms: number
  readonly token_count: number
  readonly estimated_cost_usd: number | null
}

export interface ReportStep {
  readonly span_id: string
  readonly parent_span_id: string | null
  readonly node_name: string
  readonly kind: StepKind
  readonly phase: Phase | null
  readonly attempt: number
  readonly status: NodeStatus
  readonly evidence: Evidence
  readonly started_at: string
  readonly latency_ms: number
  readonly token_count: number
  readonly estimated_cost_usd: number | null
  readonly model: string | null
  readonly tool_call_id: string | null
  /** The model step that asked for this tool, retrieval or sub-agent. */
  readonly producer_span_id: string | null
  /** The model step that first had the result of this tool, retrieval or sub-agent before it. */
  readonly read_by_span_id: string | null
  readonly signature: string | null
}

export interface ReportEvidence {
  readonly path: string
  readonly expected: string | null
  readonly actual: string | number | boolean | null
}

export interface ReportFinding {
  readonly code: FindingCode
  readonly severity: Severity
  readonly node_name: string
  readonly span_id: string
  readonly blamed_span_id: string | null
  readonly message: string
  readonly order: FindingOrder
  readonly source: 'content' | 'mark'
  readonly recovered: boolean
  readonly evidence: readonly ReportEvidence[]
}

export interface ReportCheckpoint {
  readonly id: string
  readonly name: string
  readonly status: 'passed' | 'failed'
  readonly source: 'recorded' | 'derived'
  readonly span_id: string
  readonly node_name: string
  readonly at: string
  readonly data: string | null
}

export interface ReportCheckpoints {
  readonly expected: readonly string[]
  readonly actual: readonly string[]
  readonly missing: readonly string[]
  readonly passed: boolean
  readonly records: readonly ReportCheckpoint[]
}

export interface ReportAssertion {
  readonly name: string
  readonly passed: boolean
  readonly severity: Severity
  readonly actual_value: string | number | boolean | null
  readonly expected_range: string
  readonly node_name: string
}

export interface ReportAssertions {
  readonly passed: boolean
  readonly errors: number
  readonly warnings: number
  readonly details: readonly ReportAssertion[]
}

export interface ReportAlert {
  readonly type: string
  readonly kind: string | null
  readonly severity: Severity
  readonly action: 'none' | 'stop_node' | 'stop_chain' | 'handoff'
  readonly node_name: string
  readonly span_id: string
  readonly message: string
  readonly count: number | null
  readonly order: FindingOrder
}

export interface ReportJudgement {
  readonly node_name: string
  readonly span_id: string
  readonly score: number | null
  readonly label: string | null
  readonly explanation: string | null
}

export interface ReportUsageAggregate {
  readonly span_id: string
  readonly node_name: string
  readonly metric: 'input' | 'output' | 'total'
  readonly reported: number
  readonly counted: number
  /** A model call below reports no usage, so that the two cannot be compared. */
  readonly incomplete: boolean
}

export interface ReportUsageCheck {
  readonly consistent: boolean
  readonly aggregates: readonly ReportUsageAggregate[]
  /** Spans that count cached tokens beside their input, or reasoning beside their output. */
  readonly normalised: readonly { readonly span_id: string; readonly reason: string }[]
}

/** What was lost on the way to the report. */
export interface ReportDropped {
  readonly attributes: number
  readonly duplicate_spans: number
  readonly late_spans: number
  readonly rejected_spans: number
  readonly check_errors: number
}
