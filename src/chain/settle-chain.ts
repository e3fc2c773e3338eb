import type { Finding } from '../findings/finding.ts'
import { assignBlame } from './assign-blame.ts'
import type { Alert, ByStep, Chain, NodeStatus, SettledChain, SettledFinding } from './chain.ts'
import { explainFailures } from './explain-failures.ts'
import { judgeChain } from './judge-chain.ts'
import { recoverFindings } from './recover-findings.ts'
import { groupNodes } from './group-nodes.ts'
import { toStatus } from './step-failure.ts'

/** What the run and chain checks said of a chain. */
export interface ChainJudgement {
  readonly alerts: readonly Alert[]
  readonly findings: readonly Finding[]
}

/**
 * Settles a chain: an error that a step below explains becomes `failed_below`, a failed attempt that a later one
 * made good becomes a warning, blame goes to the step that produced a bad call, and from what remains follow the
 * states of steps and nodes, the root cause and the status of the chain.
 */
export function settleChain(chain: Chain, judgement: ChainJudgement): SettledChain {
  const raw = collectFindings(chain, judgement.findings)
  const explained = explainFailures(chain, raw)
  const recovered = recoverFindings(chain, explained)
  const findings = assignBlame(chain, recovered)
  const states = toStates(chain, findings)
  const nodes = groupNodes(chain, states)
  const alerts = byFoldOrder(chain, judgement.alerts)
  return {
    chain,
    findings,
    alerts,
    states,
    attempts: numberAttempts(chain),
    nodes,
    ...judgeChain({ chain, findings, alerts, states, nodes }),
  }
}

/** Findings in fold order of their steps; of one step those of the step checks first. */
function collectFindings(chain: Chain, judged: readonly Finding[]): readonly SettledFinding[] {
  const bySpan = new Map<string, Finding[]>()
  for (const finding of judged) {
    const known = bySpan.get(finding.spanId)
    if (known === undefined) bySpan.set(finding.spanId, [finding])
    else known.push(finding)
  }
  const collected: SettledFinding[] = []
  for (const step of chain.steps) {
    for (const finding of step.record.findings) collected.push({ finding, step, recovered: false })
    const more = bySpan.size === 0 ? undefined : bySpan.get(step.record.spanId)
    if (more !== undefined) for (const finding of more) collected.push({ finding, step, recovered: false })
  }
  return collected
}

/** A recovered attempt keeps the state it had; its node and chain do not inherit it. */
function toStates(chain: Chain, findings: readonly SettledFinding[]): ByStep<NodeStatus> {
  const byStep: (Finding[] | undefined)[] = []
  for (const { finding, step, recovered } of findings) {
    const list = (byStep[step.index] ??= [])
    list.push(recovered ? { ...finding, severity: 'error' } : finding)
  }
  return chain.steps.map((step) => toStatus(step.record, byStep[step.index] ?? NONE))
}

const NONE: readonly never[] = []

function numberAttempts(chain: Chain): ByStep<number> {
  const attempts = chain.steps.map(() => 1)
  for (const call of chain.calls) {
    if (call.attempts.length === 1) continue
    for (const [at, step] of call.attempts.entries()) attempts[step.index] = at + 1
  }
  return attempts
}

function byFoldOrder(chain: Chain, alerts: readonly Alert[]): readonly Alert[] {
  if (alerts.length < 2) return alerts
  const index = new Map(chain.steps.map((step) => [step.record.spanId, step.index]))
  const indexOf = (alert: Alert): number => index.get(alert.spanId) ?? chain.steps.length
  return alerts.toSorted((a, b) => indexOf(a) - indexOf(b))
}
