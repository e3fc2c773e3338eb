import type { ChainNode, Failure, SettledChain } from '../chain/chain.ts'
import { describeFinding } from '../findings/describe-finding.ts'

/** What became of the run, in one sentence without a full stop. */
export function summarize(settled: SettledChain): string {
  const { chain, rootCause, nodes, status } = settled
  if (chain.steps.length === 0) return 'no agent step was found in this trace'
  if (rootCause !== null) return describeRootCause(rootCause, nodes)
  if (status !== 'success') return stopped(settled)
  const retries = nodes.reduce((sum, node) => sum + node.attempts - node.calls, 0)
  const reached = nodes.length === 1 ? 'the only node was reached' : `all ${nodes.length} nodes reached`
  return `${reached}${afterRetries(retries)}`
}

function describeRootCause({ step, status, finding }: Failure, nodes: readonly ChainNode[]): string {
  const { nodeName } = step.record
  const node = nodes.find(({ name }) => name === nodeName)
  const after = afterRetries(node === undefined ? 0 : node.attempts - node.calls)
  const verb = finding.code === 'loop' ? 'went in circles' : VERBS[status]
  return `${nodeName} ${verb}${after}: ${describeFinding(finding).replace(SAID_BY_VERB, '')}`
}

function afterRetries(retries: number): string {
  return retries === 0 ? '' : ` after ${retries} ${retries === 1 ? 'retry' : 'retries'}`
}

/** What a finding says first and the verb has said already. */
const SAID_BY_VERB = /^(?:loop|timed out|result does not fit its schema): /u

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
