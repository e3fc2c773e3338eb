import type { ReportCheckpoint, ReportNode, ReportStep } from './chain-report.ts'

// Most objects of a report have one of three shapes. To copy them by literals, whose keys stand in canonical order here,
// takes a tenth of what it takes to sort the keys of each.

/** A step with its keys in canonical order; `null` for anything that has other keys. */
export function orderStep(record: object): ReportStep | null {
  if (!hasKeys(record, STEP)) return null
  const step = record as ReportStep
  return {
    attempt: step.attempt,
    estimated_cost_usd: step.estimated_cost_usd,
    evidence: step.evidence,
    kind: step.kind,
    latency_ms: step.latency_ms,
    model: step.model,
    node_name: step.node_name,
    parent_span_id: step.parent_span_id,
    phase: step.phase,
    producer_span_id: step.producer_span_id,
    read_by_span_id: step.read_by_span_id,
    signature: step.signature,
    span_id: step.span_id,
    started_at: step.started_at,
    status: step.status,
    token_count: step.token_count,
    tool_call_id: step.tool_call_id,
  }
}

/** A record of a checkpoint with its keys in canonical order; `null` for anything that has other keys. */
export function orderPoint(record: object): ReportCheckpoint | null {
  if (!hasKeys(record, POINT)) return null
  const point = record as ReportCheckpoint
  return {
    at: point.at,
    data: point.data,
    id: point.id,
    name: point.name,
    node_name: point.node_name,
    source: point.source,
    span_id: point.span_id,
    status: point.status,
  }
}

/** A node with its keys in canonical order; `null` for anything that has other keys. */
export function orderNode(record: object): ReportNode | null {
  if (!hasKeys(record, NODE)) return null
  const node = record as ReportNode
  return {
    attempts: node.attempts,
    calls: node.calls,
    estimated_cost_usd: node.estimated_cost_usd,
    evidence: node.evidence,
    findings: node.findings,
    kind: node.kind,
    latency_ms: node.latency_ms,
    node_name: node.node_name,
    phase: node.phase,
    reason: node.reason,
    retry_count: node.retry_count,
    status: node.status,
    subtask_id: node.subtask_id,
    token_count: node.token_count,
  }
}

/** The keys as a report has them. */
const STEP: readonly (keyof ReportStep)[] = [
  'span_id',
  'parent_span_id',
  'node_name',
  'kind',
  'phase',
  'attempt',
  'status',
  'evidence',
  'started_at',
  'latency_ms',
  'token_count',
  'estimated_cost_usd',
  'model',
  'tool_call_id',
  'producer_span_id',
  'read_by_span_id',
  'signature',
]

const POINT: readonly (keyof ReportCheckpoint)[] = [
  'id',
  'name',
  'status',
  'source',
  'span_id',
  'node_name',
  'at',
  'data',
]

const NODE: readonly (keyof ReportNode)[] = [
  'node_name',
  'kind',
  'phase',
  'subtask_id',
  'status',
  'evidence',
  'reason',
  'findings',
  'calls',
  'attempts',
  'retry_count',
  'latency_ms',
  'token_count',
  'estimated_cost_usd',
]

/** True where an object has these keys, in this order and no others. */
function hasKeys(record: object, keys: readonly string[]): boolean {
  let at = 0
  for (const key in record) if (key !== keys[at++]) return false
  return at === keys.length
}
