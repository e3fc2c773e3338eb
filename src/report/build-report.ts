import type { Chain, ChainStep, Checkpoint, Failure, SettledChain, SettledFinding } from '../chain/chain.ts'
import { deriveCheckpoints } from '../chain/derive-checkpoints.ts'
import { toMilliseconds } from '../chain/measure-time.ts'
import { findingCatalog } from '../findings/catalog.ts'
import { describeFinding } from '../findings/describe-finding.ts'
import { PRICE_DATA } from '../pricing/estimate-cost.ts'
import {
  type ChainReport,
  type CompletenessReason,
  type ReportFailure,
  type ReportFinding,
  type ReportStep,
  SCHEMA_VERSION,
} from './chain-report.ts'
import { buildNodes } from './build-nodes.ts'
import { countChain, totalUsage } from './chain-totals.ts'
import { checkUsage } from './check-usage.ts'
import { describeCheckpoints } from './describe-checkpoints.ts'
import { digestReport } from './report-digest.ts'
import { toReportName } from './report-name.ts'
import { roundMoney } from './round-money.ts'
import { summarize } from './summarize.ts'
import { toIsoTime } from './iso-time.ts'

/** What a report says beside the chain itself: what it was judged by, and how complete its evidence was. */
export interface ReportContext {
  /** `agent-reach@<version>`. */
  readonly generator: string
  readonly rulesDigest: string
  readonly limitsDigest: string
  /** From 1; a report that is written again with more evidence has the next one. */
  readonly revision: number
  readonly incomplete: CompletenessReason | null
  readonly duplicateSpans: number
  readonly lateSpans: number
  readonly rejectedSpans: number
  readonly checkErrors: number
}

/** Builds the report of a settled chain: a pure function, no clock is read. */
export function buildReport(settled: SettledChain, context: ReportContext): ChainReport {
  const { chain } = settled
  const reason = context.incomplete ?? incompleteness(chain)
  const checkpoints = deriveCheckpoints(chain.steps)
  const report: Omit<ChainReport, 'digest'> = {
    schema_version: SCHEMA_VERSION,
    generator: context.generator,
    rules_digest: context.rulesDigest,
    limits_digest: context.limitsDigest,
    price_data: PRICE_DATA,
    report_id: `${toReportName(chain.traceId, chain.chainId)}-${context.revision}`,
    revision: context.revision,
    completeness: reason === null ? (context.revision > 1 ? 'amended' : 'complete') : 'partial',
    completeness_reason: reason,
    ...describeOrigin(chain),
    overall_status: settled.status,
    summary: summarize(settled),
    started_at: toIsoTime(chain.startNs),
    ended_at: toIsoTime(chain.endNs),
    total_latency_ms: toMilliseconds(chain.endNs - chain.startNs),
    ...describeCounts(settled, checkpoints),
    ...totalUsage(chain),
    time: describeTime(chain),
    root_cause: toFailure(settled.rootCause),
    last_unrecovered: toFailure(settled.lastUnrecovered),
    nodes: buildNodes(settled),
    steps: chain.steps.map((step) => toStep(settled, step)),
    findings: settled.findings.map(toFinding),
    checkpoints: describeCheckpoints(checkpoints),
    assertions: { passed: true, errors: 0, warnings: 0, details: [] },
    alerts: settled.alerts.map(({ nodeName, spanId, ...alert }) => ({
      ...alert,
      node_name: nodeName,
      span_id: spanId,
    })),
    judgements: [],
    determinism: null,
    usage_check: checkUsage(chain),
    dropped: {
      attributes: chain.steps.reduce((sum, { record }) => sum + record.droppedAttributes, 0),
      duplicate_spans: context.duplicateSpans,
      late_spans: context.lateSpans,
      rejected_spans: context.rejectedSpans,
      check_errors: context.checkErrors,
    },
  }
  return { ...report, digest: digestReport(report) }
}

/** Evidence that the chain itself shows to be missing. */
function incompleteness(chain: Chain): CompletenessReason | null {
  if (chain.remoteParent) return 'remote_parent'
  if (chain.roots.some(({ record }) => record.neverEnded)) return 'root_never_ended'
  const orphans = chain.roots.filter(({ record }) => record.parentSpanId !== null && !record.remoteParent)
  return orphans.some((orphan) => !hasPlainParent(chain, orphan)) ? 'missing_parent' : null
}

/** A root of the chain may stand below a span that is no step; then its parent is not missing. */
function hasPlainParent(chain: Chain, root: ChainStep): boolean {
  return chain.spanIds.has(root.record.parentSpanId ?? '')
}

function describeOrigin(
  chain: Chain,
): Pick<ChainReport, 'task_id' | 'chain_id' | 'trace_id' | 'session_id' | 'service_name' | 'agent_name'> {
  const steps = listOutermostFirst(chain)
  const first = (read: (step: ChainStep) => string | null): string | null => {
    for (const step of steps) {
      const value = read(step)
      if (value !== null) return value
    }
    return null
  }
  const service = chain.resource.attributes['service.name']
  return {
    task_id: first(({ record }) => record.taskId),
    chain_id: chain.chainId,
    trace_id: chain.traceId,
    session_id: first(({ record }) => record.sessionId),
    service_name: typeof service === 'string' && service !== '' ? service : null,
    agent_name:
      first(({ record }) => (record.kind === 'agent' ? (record.agentName ?? record.nodeName) : null)) ??
      first(({ record }) => record.agentName),
  }
}

/** Level by level from the roots, the earlier root first: what an outer step says of the run goes before an inner one. */
function listOutermostFirst(chain: Chain): readonly ChainStep[] {
  const steps = [...chain.roots].sort((a, b) => (a.record.startNs < b.record.startNs ? -1 : 1))
  // The list grows as it is walked.
  for (const step of steps) {
    for (const child of step.children) steps.push(child)
  }
  return steps
}

function describeCounts(
  settled: SettledChain,
  checkpoints: readonly Checkpoint[],
): Pick<
  ChainReport,
  'span_count' | 'step_count' | 'loop_count' | 'retry_count' | 'replan_count' | 'model_calls' | 'tool_calls'
> {
  const { chain } = settled
  const counts = countChain(settled)
  return {
    span_count: chain.spanCount,
    step_count: chain.steps.length,
    loop_count: counts.loop_count,
    retry_count: counts.retry_count,
    replan_count: checkpoints.filter((point) => point.id === 'CP-05').length,
    model_calls: counts.model_calls,
    tool_calls: counts.tool_calls,
  }
}

function describeTime(chain: Chain): ChainReport['time'] {
  const { time } = chain
  return {
    model_ms: time.modelMs,
    first_token_ms: time.firstTokenMs === null ? null : Math.round(time.firstTokenMs * 1_000) / 1_000,
    tool_ms: time.toolMs,
    between_steps_ms: time.betweenStepsMs,
    critical_path_ms: time.criticalPathMs,
    parallelism: time.parallelism,
  }
}

function toFailure(failure: Failure | null): ReportFailure | null {
  if (failure === null) return null
  const { finding, step } = failure
  return {
    node_name: step.record.nodeName,
    span_id: step.record.spanId,
    blamed_span_id: finding.blamedSpanId,
    status: failure.status,
    code: finding.code,
    reason: describeFinding(finding),
    suggestion: findingCatalog[finding.code].suggestion,
  }
}

function toStep(settled: SettledChain, step: ChainStep): ReportStep {
  const { record } = step
  const { chain } = settled
  const cost = chain.usage.cost[step.index] ?? null
  const producerId = chain.producers[step.index]?.record.spanId ?? null
  return {
    span_id: record.spanId,
    parent_span_id: record.parentSpanId,
    node_name: record.nodeName,
    kind: record.kind,
    phase: chain.phases[step.index] ?? null,
    attempt: record.attempt ?? settled.attempts[step.index] ?? 1,
    status: settled.states[step.index] ?? 'reached',
    evidence: record.evidence,
    started_at: toIsoTime(record.startNs),
    latency_ms: toMilliseconds(record.endNs - record.startNs),
    token_count: chain.usage.tokens[step.index]?.count ?? 0,
    estimated_cost_usd: cost === null ? null : roundMoney(cost),
    model: record.model,
    tool_call_id: record.callId,
    producer_span_id: producerId,
    read_by_span_id: chain.readers[step.index]?.record.spanId ?? null,
    signature: record.signature,
  }
}

function toFinding({ finding, step, recovered }: SettledFinding): ReportFinding {
  return {
    code: finding.code,
    severity: finding.severity,
    node_name: step.record.nodeName,
    span_id: finding.spanId,
    blamed_span_id: finding.blamedSpanId,
    message: describeFinding(finding),
    order: finding.order,
    source: finding.source,
    recovered,
    evidence: finding.evidence,
  }
}
