import type { ChainNode, ChainStep, SettledChain, SettledFinding } from '../chain/chain.ts'
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
  const { usage, phases } = settled.chain
  const first = node.outermost[0] ?? node.steps[0]
  const costs = node.steps.map((step) => usage.cost[step.index] ?? null).filter((cost) => cost !== null)
  return {
    node_name: node.name,
    kind: first?.record.kind ?? 'other',
    phase: firstOf(node.steps, (step) => phases[step.index] ?? null),
    subtask_id: firstOf(node.steps, (step) => step.record.subtaskId),
    status: node.status,
    evidence: joinEvidence(node.steps.map((step) => step.record.evidence)),
    reason: toReason(node, findings),
    findings: toMarks(findings),
    calls: node.calls,
    attempts: node.attempts,
    retry_count: node.attempts - node.calls,
    latency_ms: toMilliseconds(
      node.outermost.reduce((sum, { record }) => sum + (record.endNs - record.startNs), 0n),
    ),
    token_count: node.steps.reduce((sum, step) => sum + (usage.tokens[step.index]?.count ?? 0), 0),
    estimated_cost_usd: costs.length === 0 ? null : roundMoney(costs.reduce((sum, cost) => sum + cost, 0)),
  }
}

function firstOf<T>(steps: readonly ChainStep[], read: (step: ChainStep) => T | null): T | null {
  for (const step of steps) {
    const value = read(step)
    if (value !== null) return value
  }
  return null
}

/** Steps that record no result by design (containers) do not lower what the others show. */
function joinEvidence(all: readonly Evidence[]): Evidence {
  const found = new Set(all)
  if (found.size === 1) return all[0] as Evidence
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
  const marks = findings.map(({ finding }) =>
    finding.severity === 'error' ? finding.code : `${finding.code}:${finding.severity}`,
  )
  return [...new Set(marks)]
}
