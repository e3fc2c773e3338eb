import type { Metric, MetricSource } from './metric-source.ts'
import type { ReportStore, StoreSize } from './report-store.ts'

/** Tells how large the store is and what waits in it. */
export class StoreGauges implements MetricSource {
  readonly #store: Pick<ReportStore, 'size' | 'pendingBytes'>
  #size: StoreSize | null = null

  constructor(store: Pick<ReportStore, 'size' | 'pendingBytes'>) {
    this.#store = store
  }

  /** A store that cannot be read says the last that was known: the other metrics are wanted then all the more. */
  metrics(): readonly Metric[] {
    try {
      this.#size = this.#store.size()
    } catch {
      // The answers of the API tell of it.
    }
    const known = this.#size === null ? [] : [this.#size]
    return [
      gauge(
        'bytes',
        'Bytes of the store on disk',
        known.map(({ bytes }) => bytes),
      ),
      gauge('pending_bytes', 'Bytes that wait to be written', [this.#store.pendingBytes]),
      gauge(
        'queued_forwards',
        'Bodies that wait to be forwarded',
        known.map(({ queuedForwards }) => queuedForwards),
      ),
    ]
  }
}

function gauge(name: string, help: string, values: readonly number[]): Metric {
  return {
    name: `agent_reach_store_${name}`,
    help,
    type: 'gauge',
    samples: values.map((value) => ({ value })),
  }
}
