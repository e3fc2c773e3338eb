import type { ChainReport } from '../report/chain-report.ts'
import type { CountedChain } from './chain-counts.ts'

/** What became of a node, in the columns of `chain_nodes`. */
export interface NodeCounts {
  readonly node: string
  readonly status: string
  readonly calls: number
  readonly retries: number
  readonly latencyMs: number
  readonly tokens: number
  readonly costUsd: number
}

/** A report as it is stored: plain data that another thread can have made. */
export interface PackedReport {
  readonly chainId: string
  readonly revision: number
  readonly digest: string
  readonly completeness: ChainReport['completeness']
  /** What is searched and listed of the chain, in the order of its columns. */
  readonly values: readonly (string | number | null | Uint8Array)[]
  readonly nodes: readonly NodeCounts[]
  /** Codes of findings, each once. */
  readonly findings: readonly string[]
  /** Types of alerts, each once. */
  readonly alerts: readonly string[]
  /** What is counted of it. */
  readonly counted: CountedChain
  /** The report as compressed JSON behind its checksum. */
  readonly blob: Uint8Array
}
