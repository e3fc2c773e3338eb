import type { ChainNode, ChainStep, ChainUsage, SettledChain, SettledFinding } from '../chain/chain.ts'
import { toMilliseconds } from '../chain/measure-time.ts'
import type { Evidence } from '../chain/step-record.ts'
import { describeFinding } from '../findings/describe-finding.ts'
import type { Severity } from '../findings/severity.ts'
import type { ReportNode } from './chain-report.ts'
import { roundMoney } from './round-money.ts'

/** The nodes of a chain in fold order of their first steps. */
export function buildNodes(settled: SettledChain): readonly ReportNode[] {
  const byNode = new Map<string, SettledFinding[]>()
  for (const entry of settled.findings) {
    const name = entry.step.record.nodeName
    const known = byNode.get(name)
    if (known === undefined) byNode.set(name, [entry])
    else known.push(entry)
  }
  return settled.nodes.map((node) => toNode(settled, node, byNode.get(node.name) ?? []))
}

function toNode(settled: SettledChain, node: ChainNode, findings: readonly SettledFinding[]): ReportNode {
  const { phases } = settled.chain
  const first = node.outermost[0] ?? node.steps[0]
  const { tokens, cost } = sumUsage(settled.chain.usage, node.steps)
  return {
    node_name: node.name,
    kind: first?.record.kind ?? 'other',
    phase: firstOf(node.steps, (step) => phases[step.index] ?? null),
    subtask_id: firstOf(node.steps, (step) => step.record.subtaskId),
    status: node.status,
    evidence: joinEvidence(node.steps),
    reason: toReason(node, findings),
    findings: toMarks(findings),
    calls: node.calls,
    attempts: node.attempts,
    retry_count: node.attempts - node.calls,
    latency_ms: toMilliseconds(sumDurations(node.outermost)),
    token_count: tokens,
    estimated_cost_usd: cost === null ? null : roundMoney(cost),
  }
}

/** What the steps of a node add to their chain; the cost is `null` where none is known. */
function sumUsage(
  usage: ChainUsage,
  steps: readonly ChainStep[],
): { readonly tokens: number; readonly cost: number | null } {
  let tokens = 0
  let cost: number | null = null
  for (const { index } of steps) {
    tokens += usage.tokens[index]?.count ?? 0
    const own = usage.cost[index] ?? null
    if (own !== null) cost = (cost ?? 0) + own
  }
  return { tokens, cost }
}

function sumDurations(steps: readonly ChainStep[]): bigint {
  let sum = 0n
  for (const { record } of steps) sum += record.endNs - record.startNs
  return sum
}

function firstOf<T>(steps: readonly ChainStep[], read: (step: ChainStep) => T | null): T | null {
  for (const step of steps) {
    const value = read(step)
    if (value !== null) return value
  }
  return null
}

/** Steps that record no result by design (containers) do not lower what the others show. */
function joinEvidence(steps: readonly ChainStep[]): Evidence {
  const found = new Set<Evidence>()
  for (const { record } of steps) found.add(record.evidence)
  if (found.size === 1) return steps[0]?.record.evidence ?? 'none'
  if (found.size === 2 && found.has('captured') && found.has('full')) return 'captured'
  return found.size === 0 ? 'none' : 'partial'
}

/** The reason a node is not fine: its first unrecovered error, else why it was skipped, else its first warning. */
function toReason(node: ChainNode, findings: readonly SettledFinding[]): string | null {
  const skipped = firstOf(node.steps, ({ record }) => record.skippedReason)
  if (node.status === 'skipped') return skipped
  const bySeverity = (severity: Severity): SettledFinding | undefined =>
    findings.find(({ finding, recovered }) => finding.severity === severity && !recovered)
  const worst = bySeverity('error') ?? bySeverity('warn')
  return worst === undefined ? null : describeFinding(worst.finding)
}

function toMarks(findings: readonly SettledFinding[]): readonly string[] {
  if (findings.length === 0) return []
  const marks = findings.map(({ finding }) =>
    finding.severity === 'error' ? finding.code : `${finding.code}:${finding.severity}`,
  )
  return [...new Set(marks)]
}
