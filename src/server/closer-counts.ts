import type { Metric } from './metric-source.ts'

/** What became of the traces since the start. */
export interface CloserCounts {
  /** Traces that were closed; one that is closed again counts again. */
  closed: number
  /** Of these, those that were not complete, and those that had been reported before. */
  partial: number
  amended: number
  /** Reports that were made of them. */
  reports: number
  /** Attempts that failed and are made again. */
  failures: number
}

/** Starts to count. */
export function createCloserCounts(): CloserCounts {
  return { closed: 0, partial: 0, amended: 0, reports: 0, failures: 0 }
}

/** Shows the counts as metrics. */
export function toCloserMetrics(counts: CloserCounts, open: number): readonly Metric[] {
  return [
    {
      name: 'agent_reach_open_traces',
      help: 'Traces with spans that no report has seen',
      type: 'gauge',
      samples: [{ value: open }],
    },
    counter('traces_closed', 'Traces that were closed', counts.closed),
    counter('traces_partial', 'Traces that were closed although something is missing', counts.partial),
    counter('traces_amended', 'Traces that were closed again, after late spans', counts.amended),
    counter('reports', 'Reports that were made', counts.reports),
    counter('closing_failures', 'Attempts to close a trace that failed', counts.failures),
  ]
}

function counter(name: string, help: string, value: number): Metric {
  return { name: `agent_reach_${name}_total`, help, type: 'counter', samples: [{ value }] }
}
