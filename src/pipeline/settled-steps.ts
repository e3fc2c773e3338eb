import type { Alert, ChainStep, SettledChain } from '../chain/chain.ts'
import { createFinding } from '../findings/create-finding.ts'
import type { Finding } from '../findings/finding.ts'
import { type ChainTotals, toChainTotals } from './chain-totals.ts'
import type { EndedStep, LiveAlert } from './ended-step.ts'

/**
 * The steps of a chain with what is finally known of each, in the form in which they are known live at their ends. In
 * fold order.
 *
 * @param provisional more of the chain is still to come
 */
export function toSettledSteps(settled: SettledChain, provisional: boolean): readonly EndedStep[] {
  const { chain, states } = settled
  const findings = groupFindings(settled)
  const alerts = groupAlerts(settled)
  let totals: ChainTotals | null = null
  return chain.steps.map((step): EndedStep => {
    const { index, record, parent } = step
    const own = findings[index] ?? NONE
    if (parent === null) totals ??= toChainTotals(settled)
    return {
      record,
      captured: false,
      status: states[index] ?? 'reached',
      findings: own,
      alerts: (alerts.get(record.spanId) ?? NONE).map((alert) => toLiveAlert(alert, step, own)),
      tokenCount: chain.usage.tokens[index]?.count ?? null,
      costUsd: chain.usage.cost[index] ?? null,
      chainId: chain.chainId,
      root: parent === null ? { openSpans: NONE, totals, provisional } : null,
    }
  })
}

const NONE: readonly never[] = []

function groupFindings({ findings }: SettledChain): readonly (readonly Finding[] | undefined)[] {
  const byStep: Finding[][] = []
  for (const { finding, step } of findings) (byStep[step.index] ??= []).push(finding)
  return byStep
}

function groupAlerts({ alerts }: SettledChain): ReadonlyMap<string, readonly Alert[]> {
  const bySpan = new Map<string, Alert[]>()
  for (const alert of alerts) {
    const known = bySpan.get(alert.spanId)
    if (known === undefined) bySpan.set(alert.spanId, [alert])
    else known.push(alert)
  }
  return bySpan
}

function toLiveAlert(alert: Alert, { record }: ChainStep, findings: readonly Finding[]): LiveAlert {
  const code = alert.type === 'budget' ? 'budget_exceeded' : 'loop'
  const finding = findings.find(
    (each) => each.code === code && (code === 'loop' || each.evidence[0]?.path === alert.kind),
  )
  return {
    alert,
    finding: finding ?? createFinding({ code, spanId: record.spanId, severity: alert.severity }),
    // What a model repeats is the code in its answer, not what it was asked.
    signature: record.kind === 'model' ? (record.repeatable?.signature ?? null) : record.signature,
  }
}
