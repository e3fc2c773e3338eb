import type { ChainReport } from '../report/chain-report.ts'
import { countNoun } from '../report/format-quantity.ts'
import type { BarBreach } from './judge-bar.ts'
import type { ReadCounts } from './read-reports.ts'

/** Counts chains by their status, and those that fail a bar by why they do. */
export class ChainTally {
  readonly #statuses = new Map<ChainReport['overall_status'], number>()
  readonly #breaches = new Map<BarBreach, number>()
  #chains = 0
  #plainTraces = 0

  /** @param breach why the chain fails the bar, or `null` */
  add(report: ChainReport, breach: BarBreach | null): void {
    this.#chains += 1
    increment(this.#statuses, report.overall_status)
    if (breach !== null) increment(this.#breaches, breach)
  }

  /** Counts a trace without an agent step, which is no chain. */
  addPlainTrace(): void {
    this.#plainTraces += 1
  }

  /** Chains with at least one agent step. */
  get chains(): number {
    return this.#chains
  }

  /** Whether any chain fails the bar. */
  get isBelowBar(): boolean {
    return this.#breaches.size > 0
  }

  /** One line: what was read, and what became of it. */
  describe(counts: ReadCounts, unreadDocuments: number): string {
    const parts = [
      countNoun(counts.inputs, 'input', 'inputs'),
      countNoun(counts.spans, 'span', 'spans'),
      `${countNoun(this.#chains, 'chain', 'chains')}${this.#describeStatuses()}`,
    ]
    const { rejectedSpans } = counts
    if (this.#plainTraces > 0) {
      parts.push(`${countNoun(this.#plainTraces, 'trace', 'traces')} without an agent step`)
    }
    if (unreadDocuments > 0) parts.push(`${countNoun(unreadDocuments, 'line', 'lines')} not read`)
    if (rejectedSpans > 0) parts.push(`${countNoun(rejectedSpans, 'span', 'spans')} left out`)
    return parts.join(', ')
  }

  /** One line: how many chains fail the bar, and why. */
  describeBreaches(): string {
    const parts = [...this.#breaches].map(([breach, count]) => `${count} ${breach}`)
    const total = [...this.#breaches.values()].reduce((sum, count) => sum + count, 0)
    return `${total} of ${countNoun(this.#chains, 'chain', 'chains')} below the bar: ${parts.join(', ')}`
  }

  #describeStatuses(): string {
    const order = ['failed', 'partial_failed', 'success'] as const
    const parts = order
      .map((status) => [status, this.#statuses.get(status) ?? 0] as const)
      .filter(([, count]) => count > 0)
      .map(([status, count]) => `${count} ${status}`)
    return parts.length === 0 ? '' : ` (${parts.join(', ')})`
  }
}

function increment<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
