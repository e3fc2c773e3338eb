import type { ChainReport } from '../report/chain-report.ts'
import { collectEvidence } from './collect-evidence.ts'
import { toForwardBody } from './forward-body.ts'
import { packReport } from './pack-report.ts'
import type { ReportStore, StoredTrace } from './report-store.ts'
import type { ForwardBody, JudgeSettings, JudgeTask, TraceVerdict } from './trace-judge.ts'

/** Where traces are read. */
export type TraceSource = Pick<ReportStore, 'readTrace'>

/** By what traces are judged, with how spans go on. */
export interface JudgeParts extends Pick<JudgeSettings, 'rules' | 'spansPerTrace'> {
  /** `null` where nothing is forwarded. */
  readonly forwardBody: ForwardBody | null
}

/** The parts that settings ask for. */
export function toJudgeParts({ rules, spansPerTrace, marks }: JudgeSettings): JudgeParts {
  const forwardBody: ForwardBody | null =
    marks &&
    ((trace, judged, isOpen) => toForwardBody(trace, judged, { ...marks, rules, provisional: isOpen }))
  return { rules, spansPerTrace, forwardBody }
}

/** Does what is to be done with a stored trace; `null` as in `TraceJudge`. */
export function judgeTrace(source: TraceSource, task: JudgeTask, parts: JudgeParts): TraceVerdict | null {
  const stored = source.readTrace(task.traceId)
  if (stored === null) return null
  return task.purpose === 'forward' ? forward(stored, parts) : close(stored, task, parts)
}

/** The reports that a trace would have now; `null` where nothing of it is stored. */
export function previewTrace(
  source: TraceSource,
  traceId: string,
  { rules, spansPerTrace }: JudgeParts,
): readonly ChainReport[] | null {
  const stored = source.readTrace(traceId)
  if (stored === null) return null
  const { revision, rejectedSpans } = stored
  return collectEvidence(stored, rules, spansPerTrace).evidence.report({
    revision: revision + 1,
    rejectedSpans,
  })
}

function forward(
  stored: StoredTrace,
  { rules, spansPerTrace, forwardBody }: JudgeParts,
): TraceVerdict | null {
  const { lastChunk, forwardedChunk, rejectedSpans } = stored
  if (forwardBody === null || lastChunk <= forwardedChunk) return null
  const { evidence } = collectEvidence(stored, rules, spansPerTrace)
  const body = forwardBody(stored, evidence.settle(), true)
  return { reports: [], lastChunk, compacted: null, rejectedSpans, forward: body }
}

function close(stored: StoredTrace, { incomplete }: JudgeTask, parts: JudgeParts): TraceVerdict {
  const { lastChunk, forwardedChunk, rejectedSpans } = stored
  const { evidence, compacted } = collectEvidence(stored, parts.rules, parts.spansPerTrace)
  const judged = evidence.settle()
  const reports = evidence.report({ incomplete, revision: stored.revision + 1, rejectedSpans }, judged)
  return {
    // What is left of a trace whose old spans are gone must not take the place of its full report.
    reports: stored.wasCut === true ? [] : reports.map(packReport),
    lastChunk,
    compacted,
    rejectedSpans,
    forward: lastChunk > forwardedChunk ? (parts.forwardBody?.(stored, judged, false) ?? null) : null,
  }
}
