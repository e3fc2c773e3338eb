import type { Alert, NodeStatus } from '../chain/chain.ts'
import type { StepRecord } from '../chain/step-record.ts'
import type { Finding } from '../findings/finding.ts'
import type { OpenSpan } from '../steps/step.ts'
import type { ChainTotals } from './chain-totals.ts'

/** What is known of a step at its end: what its marks say. */
export interface EndedStep {
  readonly record: StepRecord
  /** Content was judged that the span does not record. */
  readonly captured: boolean
  readonly status: NodeStatus
  /** Of the step checks, of the guards, and `failed_below` in place of an error that is explained. */
  readonly findings: readonly Finding[]
  /** What the guards say at this step. */
  readonly alerts: readonly LiveAlert[]
  /** What it adds to its chain; `null` where it reports no usage of its own. */
  readonly tokenCount: number | null
  readonly costUsd: number | null
  readonly chainId: string
  /** On the root of a chain. */
  readonly root: EndedRoot | null
}

/** An alert with what only the guard knows. */
export interface LiveAlert {
  readonly alert: Alert
  readonly finding: Finding
  /** Of a loop: what the equal calls share. */
  readonly signature: string | null
}

/** What is known of a chain when a root of it ends. */
export interface EndedRoot {
  /** Steps below it that are still open. */
  readonly openSpans: readonly OpenSpan[]
  /** `null` where the trace has so many roots that its totals are not made for each. */
  readonly totals: ChainTotals | null
  /** Something of the chain is still open. */
  readonly provisional: boolean
}
