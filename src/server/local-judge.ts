import type { ChainReport } from '../report/chain-report.ts'
import { type JudgeParts, judgeTrace, previewTrace, type TraceSource } from './judge-trace.ts'
import type { JudgeTask, TraceJudge, TraceVerdict } from './trace-judge.ts'

/** A slice in which requests can wait without anybody noticing. */
const SLICE_MS = 25

/** Judges in the thread of the service: for stores that are in memory, and rules with schemas in code. */
export class LocalJudge implements TraceJudge {
  readonly parallel = 1
  readonly sliceMillis: number = SLICE_MS
  readonly #source: TraceSource
  readonly #parts: JudgeParts

  constructor(source: TraceSource, parts: JudgeParts) {
    this.#source = source
    this.#parts = parts
  }

  async judge(task: JudgeTask): Promise<TraceVerdict | null> {
    return judgeTrace(this.#source, task, this.#parts)
  }

  async preview(traceId: string): Promise<readonly ChainReport[] | null> {
    return previewTrace(this.#source, traceId, this.#parts)
  }

  async close(): Promise<void> {
    // There is nothing to end.
  }
}
