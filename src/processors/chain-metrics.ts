import { createNoopMeter, metrics, type MeterProvider } from '@opentelemetry/api'
import { VERSION } from '../pipeline/version.ts'
import type { ChainReport } from '../report/chain-report.ts'
import {
  ATTR_AGENT_REACH_ALERT_TYPE,
  ATTR_AGENT_REACH_CHAIN_STATUS,
  ATTR_AGENT_REACH_NODE_NAME,
  ATTR_AGENT_REACH_NODE_STATUS,
  METRIC_AGENT_REACH_ALERTS,
  METRIC_AGENT_REACH_CHAIN_COST,
  METRIC_AGENT_REACH_CHAIN_DURATION,
  METRIC_AGENT_REACH_CHAIN_TOKENS,
  METRIC_AGENT_REACH_CHAINS,
  METRIC_AGENT_REACH_NODES,
} from '../semconv/agent-reach.ts'
import { ATTR_GEN_AI_AGENT_NAME } from '../semconv/evaluation-keys.ts'

type Instruments = ReturnType<typeof createInstruments>

/**
 * Counts chains, nodes, alerts, tokens and money through the meter provider that the program has registered; without
 * one nothing is counted. A chain is counted once, at its first report.
 */
export class ChainMetrics {
  readonly #namedNodes: ReadonlySet<string>
  #provider: MeterProvider | null = null
  #instruments: Instruments | null = null

  /** @param namedNodes the nodes that the rules name: only they are counted by name */
  constructor(namedNodes: ReadonlySet<string>) {
    this.#namedNodes = namedNodes
  }

  /** True where somebody counts: without a provider there is no need of a report. */
  get isRecording(): boolean {
    return this.#open() !== null
  }

  record(report: ChainReport): void {
    const instruments = report.revision > 1 ? null : this.#open()
    if (instruments === null) return
    const { chains, duration, nodes, alerts, cost, tokens } = instruments
    chains.add(1)
    duration.record(report.total_latency_ms / 1_000, {
      [ATTR_AGENT_REACH_CHAIN_STATUS]: report.overall_status,
      ...(report.agent_name !== null && { [ATTR_GEN_AI_AGENT_NAME]: report.agent_name }),
    })
    for (const { node_name: name, status } of report.nodes) {
      nodes.add(1, {
        [ATTR_AGENT_REACH_NODE_STATUS]: status,
        ...(this.#namedNodes.has(name) && { [ATTR_AGENT_REACH_NODE_NAME]: name }),
      })
    }
    for (const { type } of report.alerts) alerts.add(1, { [ATTR_AGENT_REACH_ALERT_TYPE]: type })
    if (report.estimated_cost_usd !== null) cost.add(report.estimated_cost_usd)
    tokens.add(report.token_count)
  }

  /** A provider may be registered after the processor: before, the API hands out instruments that do nothing. */
  #open(): Instruments | null {
    const provider = metrics.getMeterProvider()
    if (provider !== this.#provider) {
      const isNoop = provider.getMeter('agent-reach').constructor === createNoopMeter().constructor
      this.#instruments = isNoop ? null : createInstruments(provider)
      this.#provider = provider
    }
    return this.#instruments
  }
}

function createInstruments(provider: MeterProvider) {
  const meter = provider.getMeter('agent-reach', VERSION)
  return {
    chains: meter.createCounter(METRIC_AGENT_REACH_CHAINS, {
      unit: '{chain}',
      description: 'Number of chains.',
    }),
    duration: meter.createHistogram(METRIC_AGENT_REACH_CHAIN_DURATION, {
      unit: 's',
      description: 'Duration of a chain.',
    }),
    nodes: meter.createCounter(METRIC_AGENT_REACH_NODES, { unit: '{node}', description: 'Number of nodes.' }),
    alerts: meter.createCounter(METRIC_AGENT_REACH_ALERTS, {
      unit: '{alert}',
      description: 'Number of alerts.',
    }),
    cost: meter.createCounter(METRIC_AGENT_REACH_CHAIN_COST, {
      unit: '{USD}',
      description: 'Estimated cost of chains in US dollars.',
    }),
    tokens: meter.createCounter(METRIC_AGENT_REACH_CHAIN_TOKENS, {
      unit: '{token}',
      description: 'Number of tokens that chains used.',
    }),
  }
}
