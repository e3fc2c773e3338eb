import type { ChainStatus, NodeStatus } from './chain.ts'

/** The states of a step, a call or a node. */
export const nodeStatuses: readonly NodeStatus[] = [
  'reached',
  'reached_invalid',
  'unreachable',
  'timed_out',
  'skipped',
]

/** The states of a whole chain, from good to bad. */
export const chainStatuses: readonly ChainStatus[] = ['success', 'partial_failed', 'failed']
