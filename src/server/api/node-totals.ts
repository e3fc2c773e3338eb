import { roundMoney } from '../../report/round-money.ts'
import { compareCodeUnits } from '../../steps/canonical-json.ts'
import type { NodeHour } from '../report-store.ts'
import { countSchema, type JsonSchema, objectSchema, reportRef, valueSchema } from './json-schema.ts'
import { timeSchema, toJsonTime } from './json-time.ts'

const FAILED: readonly string[] = ['reached_invalid', 'unreachable', 'timed_out']
const SKIPPED = 'skipped'

interface Sums {
  chains: number
  failedChains: number
  skippedChains: number
  calls: number
  retries: number
  latencyMs: number
  tokens: number
  costUsd: number
}

/** Writes what became of a node in an hour. */
export function toNodeHourRow(hour: NodeHour): Readonly<Record<string, unknown>> {
  return {
    hour: toJsonTime(hour.hourMs),
    node_name: hour.node,
    status: hour.status,
    chains: hour.chains,
    calls: hour.calls,
    retry_count: hour.retries,
    latency_ms: roundMs(hour.latencyMs),
    token_count: hour.tokens,
    estimated_cost_usd: roundMoney(hour.costUsd),
  }
}

/** Adds up what became of each node: those first that failed in most chains, then by name. */
export function sumNodes(hours: readonly NodeHour[]): readonly Readonly<Record<string, unknown>>[] {
  const byNode = new Map<string, Sums>()
  for (const hour of hours) {
    const sums = byNode.get(hour.node) ?? createSums()
    byNode.set(hour.node, sums)
    addHour(sums, hour)
  }
  return [...byNode]
    .toSorted(([a, x], [b, y]) => y.failedChains - x.failedChains || compareCodeUnits(a, b))
    .map(([node, sums]) => toTotalRow(node, sums))
}

function createSums(): Sums {
  return {
    chains: 0,
    failedChains: 0,
    skippedChains: 0,
    calls: 0,
    retries: 0,
    latencyMs: 0,
    tokens: 0,
    costUsd: 0,
  }
}

function addHour(sums: Sums, hour: NodeHour): void {
  sums.chains += hour.chains
  if (FAILED.includes(hour.status)) sums.failedChains += hour.chains
  if (hour.status === SKIPPED) sums.skippedChains += hour.chains
  sums.calls += hour.calls
  sums.retries += hour.retries
  sums.latencyMs += hour.latencyMs
  sums.tokens += hour.tokens
  sums.costUsd += hour.costUsd
}

function toTotalRow(node: string, sums: Sums): Readonly<Record<string, unknown>> {
  const tried = sums.chains - sums.skippedChains
  return {
    node_name: node,
    chains: sums.chains,
    failed_chains: sums.failedChains,
    skipped_chains: sums.skippedChains,
    failure_share: tried === 0 ? null : Math.round((sums.failedChains / tried) * 1e6) / 1e6,
    calls: sums.calls,
    retry_count: sums.retries,
    mean_latency_ms: sums.calls === 0 ? null : roundMs(sums.latencyMs / sums.calls),
    token_count: sums.tokens,
    estimated_cost_usd: roundMoney(sums.costUsd),
  }
}

function roundMs(ms: number): number {
  return Math.round(ms * 1_000) / 1_000
}

const shared: Readonly<Record<string, JsonSchema>> = {
  calls: countSchema('Calls of the node, further attempts not counted'),
  retry_count: countSchema('Further attempts of its calls'),
  token_count: countSchema('Tokens, each counted once'),
  estimated_cost_usd: {
    description: 'US dollars; what has no known price adds nothing',
    type: 'number',
    minimum: 0,
  },
}

/** What {@link toNodeHourRow} writes. */
export const nodeHourSchema: JsonSchema = objectSchema('What became of a node in an hour', {
  hour: timeSchema('Start of the hour in UTC in which the chains started'),
  node_name: valueSchema('Name of the node', 'string'),
  status: reportRef('NodeStatus'),
  chains: countSchema('Chains in which the node had this state'),
  latency_ms: { description: 'Milliseconds in all', type: 'number', minimum: 0 },
  ...shared,
})

/** What {@link sumNodes} makes of a node. */
export const nodeTotalSchema: JsonSchema = objectSchema('What became of a node', {
  node_name: valueSchema('Name of the node', 'string'),
  chains: countSchema('Chains in which the node is'),
  failed_chains: countSchema('Chains in which it is reached_invalid, unreachable or timed_out'),
  skipped_chains: countSchema('Chains in which it is skipped'),
  failure_share: {
    description: 'Failed chains of those in which it is not skipped, 0 to 1; null where it always is',
    type: ['number', 'null'],
    minimum: 0,
    maximum: 1,
  },
  mean_latency_ms: {
    description: 'Milliseconds of a call, its attempts together; null without calls',
    type: ['number', 'null'],
    minimum: 0,
  },
  ...shared,
})
