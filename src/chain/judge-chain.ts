import type {
  Alert,
  ByStep,
  Chain,
  ChainNode,
  ChainStatus,
  ChainStep,
  Failure,
  NodeStatus,
  SettledFinding,
} from './chain.ts'
import { mainRoots } from './main-roots.ts'

interface Judged {
  readonly chain: Chain
  readonly findings: readonly SettledFinding[]
  readonly alerts: readonly Alert[]
  readonly states: ByStep<NodeStatus>
  readonly nodes: readonly ChainNode[]
}

/**
 * The status of a chain and what broke it. `failed`: a root failed, somebody stopped the run, or the recorded output
 * of a root is empty. `partial_failed`: a node is not reached, an error alert fired, or an error finding about the run
 * stands. The root cause is the first failure in fold order, the last unrecovered failure the last.
 */
export function judgeChain(judged: Judged): {
  readonly status: ChainStatus
  readonly rootCause: Failure | null
  readonly lastUnrecovered: Failure | null
} {
  const failures = judged.findings.filter(
    ({ finding, recovered }) => finding.severity === 'error' && !recovered,
  )
  const first = failures[0]
  const last = failures.at(-1)
  return {
    status: toChainStatus(judged, first !== undefined),
    rootCause: first === undefined ? null : toFailure(judged, first),
    lastUnrecovered: last === undefined ? null : toFailure(judged, last),
  }
}

function toChainStatus(judged: Judged, hasFailure: boolean): ChainStatus {
  const { chain, alerts, nodes } = judged
  if (chain.steps.some(({ record }) => record.stopAction === 'chain' || record.stopAction === 'handoff')) {
    return 'failed'
  }
  const roots = mainRoots(chain).filter((root) => !chain.recovered.has(root))
  if (roots.some((root) => rootFailed(root, judged))) return 'failed'
  const incomplete = nodes.some((node) => node.status !== 'reached')
  if (incomplete || hasFailure) return 'partial_failed'
  return alerts.some((alert) => alert.severity === 'error') ? 'partial_failed' : 'success'
}

function rootFailed(root: ChainStep, judged: Judged): boolean {
  const state = judged.states[root.index]
  if (root.record.errorDigest !== null || state === 'timed_out' || state === 'unreachable') return true
  return judged.findings.some(
    ({ step, finding }) => step === root && finding.code === 'empty_result' && finding.severity === 'error',
  )
}

function toFailure(judged: Judged, { finding, step }: SettledFinding): Failure {
  const blamed = judged.chain.steps.find(({ record }) => record.spanId === finding.blamedSpanId)
  return { step, finding, status: judged.states[step.index] ?? 'reached', blamed: blamed ?? null }
}
