import type { EditEvent, SpanEdit } from '../otlp/span-edit.ts'
import type { EndedStep } from '../pipeline/ended-step.ts'
import type { JudgedChain } from '../pipeline/settle-trace.ts'
import { toSettledSteps } from '../pipeline/settled-steps.ts'
import { toAlertAttributes } from '../processors/alert-attributes.ts'
import { toEvaluationAttributes } from '../processors/evaluation-attributes.ts'
import type { MarkAttributes } from '../processors/live-span.ts'
import { raisesStatus } from '../processors/raises-status.ts'
import { toReportUrl } from '../processors/report-url.ts'
import { toRootAttributes } from '../processors/root-attributes.ts'
import { toReason, toStepAttributes } from '../processors/step-attributes.ts'
import type { Rules } from '../rules/rules.ts'
import {
  ATTR_AGENT_REACH_REPORT_URL,
  ATTR_AGENT_REACH_STATUS_SET,
  EVENT_AGENT_REACH_ALERT,
  outputKeys,
} from '../semconv/agent-reach.ts'
import { EVENT_GEN_AI_EVALUATION_RESULT } from '../semconv/evaluation-keys.ts'
import { protocolKeys } from '../semconv/protocol-keys.ts'

/** What is written on spans. */
export interface MarkOptions {
  /** By which the chains were judged. */
  readonly rules: Rules
  /**
   * Whether the status of a step that is `reached_invalid`, `unreachable` or `timed_out` is raised from UNSET to
   * ERROR. Never that of a root, of an HTTP or a database span, and never one that somebody set.
   *
   * @default 'unset'
   */
  readonly markStatus?: 'unset' | 'never'
  /**
   * Adds an event `gen_ai.evaluation.result` to every step of which something could be checked.
   *
   * @default false
   */
  readonly evaluationEvents?: boolean
  /**
   * The address of a report, written on the root; `{trace_id}`, `{chain_id}`, `{day}` and `{report_name}` are filled in.
   *
   * @default none is written
   */
  readonly reportUrl?: string | null
  /**
   * The trace is still open, and what is written is what is known so far.
   *
   * @default false
   */
  readonly provisional?: boolean
}

/**
 * What is written on the spans of a trace, by span id: what `AgentReachProcessor` writes in the process that records
 * them, with what only the whole trace tells. A span that is no step of an agent has no entry.
 */
export function markSpans(
  judged: readonly JudgedChain[],
  options: MarkOptions,
): ReadonlyMap<string, SpanEdit> {
  const edits = new Map<string, SpanEdit>()
  for (const { settled } of judged) {
    for (const step of toSettledSteps(settled, options.provisional ?? false)) {
      edits.set(step.record.spanId, toEdit(withMarksAsFound(step), options))
    }
  }
  return edits
}

/**
 * What was found in process, on content that the span does not record, is evidence for every later reader: it stays as
 * it was found, whatever became of it in this chain.
 */
function withMarksAsFound(step: EndedStep): EndedStep {
  const marks = step.record.findings.filter(({ source }) => source === 'mark')
  if (marks.length === 0) return step
  const findings = step.findings.map((finding) =>
    finding.source === 'mark' ? (marks.find(({ code }) => code === finding.code) ?? finding) : finding,
  )
  return { ...step, findings }
}

function toEdit(step: EndedStep, options: MarkOptions): SpanEdit {
  const attributes = { ...toStepAttributes(step), ...markRoot(step, options) }
  const isRaised = raisesStatus(step, options.markStatus ?? 'unset')
  return {
    attributes: pickOutputs(attributes),
    events: toEvents(step, options),
    error: isRaised
      ? {
          message: toReason(step),
          attributes: { [ATTR_AGENT_REACH_STATUS_SET]: true },
          unlessKeys: protocolKeys,
        }
      : null,
  }
}

function markRoot(step: EndedStep, { rules, reportUrl = null }: MarkOptions): MarkAttributes {
  if (step.root === null) return {}
  const attributes = toRootAttributes(step.root, rules.budget)
  if (reportUrl !== null) attributes[ATTR_AGENT_REACH_REPORT_URL] = toReportUrl(reportUrl, step)
  return attributes
}

/** What readers take as evidence is the span's own, and stays as it is. */
function pickOutputs(attributes: MarkAttributes): MarkAttributes {
  return Object.fromEntries(Object.entries(attributes).filter(([key]) => outputKeys.includes(key)))
}

function toEvents(step: EndedStep, { rules, evaluationEvents = false }: MarkOptions): readonly EditEvent[] {
  const timeNs = step.record.endNs
  const events = step.alerts.map((alert): EditEvent => ({
    name: EVENT_AGENT_REACH_ALERT,
    timeNs,
    attributes: toAlertAttributes(alert, rules.budget),
  }))
  if (!evaluationEvents || step.record.evidence === 'none') return events
  const attributes = toEvaluationAttributes(step)
  return [...events, { name: EVENT_GEN_AI_EVALUATION_RESULT, timeNs, attributes }]
}
