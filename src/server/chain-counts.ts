import { chainStatuses, nodeStatuses } from '../chain/statuses.ts'
import type { ChainReport } from '../report/chain-report.ts'
import type { Rules } from '../rules/rules.ts'
import {
  AGENT_REACH_ALERT_TYPE_VALUE_BUDGET,
  AGENT_REACH_ALERT_TYPE_VALUE_LOOP,
} from '../semconv/agent-reach.ts'
import type { Metric, MetricSample, MetricSource } from './metric-source.ts'

/** What is counted of a chain: plain data. */
export interface CountedChain {
  readonly status: string
  readonly durationSeconds: number
  readonly tokens: number
  /** `null` where it is not known. */
  readonly costUsd: number | null
  readonly nodes: readonly { readonly name: string; readonly status: string }[]
  /** The type of each alert. */
  readonly alerts: readonly string[]
}

/** Takes from a report what is counted of it. */
export function toCountedChain(report: ChainReport): CountedChain {
  return {
    status: report.overall_status,
    durationSeconds: report.total_latency_ms / 1_000,
    tokens: report.token_count,
    costUsd: report.estimated_cost_usd,
    nodes: report.nodes.map(({ node_name, status }) => ({ name: node_name, status })),
    alerts: report.alerts.map(({ type }) => type),
  }
}

/** Upper bounds in seconds: an agent works for less than a second or for an hour. */
const DURATION_BOUNDS: readonly number[] = [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600]

/** What the guards tell. All that there can be is counted from the start: who watches a counter grow sees the first, too. */
const ALERT_TYPES: readonly string[] = [
  AGENT_REACH_ALERT_TYPE_VALUE_LOOP,
  AGENT_REACH_ALERT_TYPE_VALUE_BUDGET,
]

const NO_NAME = ''

/**
 * Counts what became of the chains, in the metrics that the processor records in a program. A chain is counted at its
 * first report, and not again when late spans amend it. Nodes are counted by name where the rules name them: other names
 * come from spans, and may be without number.
 */
export class ChainCounts implements MetricSource {
  readonly #namedNodes: ReadonlySet<string>
  readonly #durations = new Map<string, Duration>()
  readonly #nodes = new Map<string, NodeCount>()
  readonly #alerts = new Map<string, number>()
  #chains = 0
  #tokens = 0
  #costUsd = 0

  constructor({ nodes }: Pick<Rules, 'nodes'>) {
    this.#namedNodes = new Set(nodes.map(({ name }) => name))
    for (const status of chainStatuses) this.#durations.set(status, new Duration(status))
    for (const type of ALERT_TYPES) this.#alerts.set(type, 0)
    for (const name of [NO_NAME, ...this.#namedNodes]) {
      for (const status of nodeStatuses) this.#countNodes(name, status, 0)
    }
  }

  add({ status, durationSeconds, tokens, costUsd, nodes, alerts }: CountedChain): void {
    this.#chains++
    this.#tokens += tokens
    this.#costUsd += costUsd ?? 0
    const duration = this.#durations.get(status) ?? new Duration(status)
    this.#durations.set(status, duration)
    duration.add(durationSeconds)
    for (const node of nodes) {
      this.#countNodes(this.#namedNodes.has(node.name) ? node.name : NO_NAME, node.status, 1)
    }
    for (const type of alerts) this.#alerts.set(type, (this.#alerts.get(type) ?? 0) + 1)
  }

  #countNodes(name: string, status: string, more: number): void {
    const key = `${status} ${name}`
    this.#nodes.set(key, { name, status, chains: (this.#nodes.get(key)?.chains ?? 0) + more })
  }

  metrics(): readonly Metric[] {
    return [
      counter('chains', 'Chains that were reported', [{ value: this.#chains }]),
      {
        name: 'agent_reach_chain_duration_seconds',
        help: 'How long chains took, by what became of them',
        type: 'histogram',
        samples: [...this.#durations.values()].flatMap((duration) => duration.samples()),
      },
      counter(
        'nodes',
        'Nodes of chains, by what became of them; with the names that are in the rules',
        [...this.#nodes.values()].map(({ name, status, chains }) => ({
          labels: { node_status: status, ...(name !== NO_NAME && { node_name: name }) },
          value: chains,
        })),
      ),
      counter(
        'alerts',
        'Alerts in chains, by type',
        Array.from(this.#alerts, ([type, value]) => ({ labels: { alert_type: type }, value })),
      ),
      counter('chain_tokens', 'Tokens that chains used', [{ value: this.#tokens }]),
      counter('chain_cost_usd', 'Estimated cost of chains in US dollars', [{ value: this.#costUsd }]),
    ]
  }
}

interface NodeCount {
  readonly name: string
  readonly status: string
  readonly chains: number
}

class Duration {
  readonly #labels: { readonly chain_status: string }
  readonly #atMost: number[] = DURATION_BOUNDS.map(() => 0)
  #count = 0
  #sum = 0

  constructor(status: string) {
    this.#labels = { chain_status: status }
  }

  add(seconds: number): void {
    this.#count++
    this.#sum += seconds
    for (const [at, bound] of DURATION_BOUNDS.entries()) {
      if (seconds <= bound) this.#atMost[at] = (this.#atMost[at] ?? 0) + 1
    }
  }

  samples(): readonly MetricSample[] {
    const labels = this.#labels
    const bucket = (le: string, value: number): MetricSample => ({
      suffix: '_bucket',
      labels: { ...labels, le },
      value,
    })
    return [
      ...DURATION_BOUNDS.map((bound, at) => bucket(String(bound), this.#atMost[at] ?? 0)),
      bucket('+Inf', this.#count),
      { suffix: '_sum', labels, value: this.#sum },
      { suffix: '_count', labels, value: this.#count },
    ]
  }
}

function counter(name: string, help: string, samples: readonly MetricSample[]): Metric {
  return { name: `agent_reach_${name}_total`, help, type: 'counter', samples }
}
