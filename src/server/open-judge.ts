import { toJudgeParts } from './judge-trace.ts'
import { LocalJudge } from './local-judge.ts'
import type { ReportStore } from './report-store.ts'
import { ThreadJudge } from './thread-judge.ts'
import type { JudgeSettings, TraceJudge } from './trace-judge.ts'

/**
 * Opens the judge of a store: in a thread of its own where the store is a file and the settings are plain data, else
 * here.
 *
 * @param path the file of the store, or `:memory:`
 */
export function openJudge(store: ReportStore, path: string, settings: JudgeSettings): TraceJudge {
  const data = { store: path, settings }
  return ThreadJudge.isPossible(data) ? new ThreadJudge(data) : new LocalJudge(store, toJudgeParts(settings))
}
