import type { SettledChain } from '../chain/chain.ts'
import { describeFinding } from '../findings/describe-finding.ts'

/** What became of the run, in one sentence without a full stop. */
export function summarize(settled: SettledChain): string {
  const { chain, rootCause, nodes, status } = settled
  if (chain.steps.length === 0) return 'no agent step was found in this trace'
  if (rootCause !== null) {
    const { nodeName } = rootCause.step.record
    const node = nodes.find(({ name }) => name === nodeName)
    const retries = node === undefined ? 0 : node.attempts - node.calls
    const after = retries === 0 ? '' : ` after ${retries} ${retries === 1 ? 'retry' : 'retries'}`
    return `${nodeName} ${VERBS[rootCause.status]}${after}: ${describeFinding(rootCause.finding)}`
  }
  if (status !== 'success') return stopped(settled)
  const retries = nodes.reduce((sum, node) => sum + node.attempts - node.calls, 0)
  const reached = `all ${nodes.length} nodes reached`
  return retries === 0 ? reached : `${reached} after ${retries} ${retries === 1 ? 'retry' : 'retries'}`
}

const VERBS = {
  reached: 'went wrong',
  reached_invalid: 'returned an invalid result',
  unreachable: 'failed',
  timed_out: 'timed out',
  skipped: 'was skipped',
} as const

function stopped({ chain, nodes }: SettledChain): string {
  const action = chain.steps.find(({ record }) => record.stopAction !== null)?.record
  if (action !== undefined) return `the run was stopped at ${action.nodeName} (${action.stopAction})`
  const skipped = nodes.filter((node) => node.status === 'skipped')
  if (skipped.length > 0) return `${skipped.map(({ name }) => name).join(', ')} did not run`
  return 'the run did not reach its goal'
}
