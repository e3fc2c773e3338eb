import type { EndedStep } from '../pipeline/ended-step.ts'
import type { BudgetLimits } from '../rules/rules.ts'
import {
  ATTR_AGENT_REACH_REPORT_URL,
  ATTR_AGENT_REACH_STATUS_SET,
  EVENT_AGENT_REACH_ALERT,
  EVENT_AGENT_REACH_OPEN_SPAN,
} from '../semconv/agent-reach.ts'
import { EVENT_GEN_AI_EVALUATION_RESULT } from '../semconv/evaluation-keys.ts'
import { protocolKeys } from '../semconv/protocol-keys.ts'
import { toAlertAttributes } from './alert-attributes.ts'
import { emitLogRecord, type severityNumbers } from './alert-log.ts'
import { toEvaluationAttributes } from './evaluation-attributes.ts'
import type { HostGuard } from './host-guard.ts'
import type { LiveSpan, MarkAttributes } from './live-span.ts'
import type { ProcessorSettings } from './processor-options.ts'
import { raisesStatus } from './raises-status.ts'
import { toReportUrl } from './report-url.ts'
import { toOpenSpanAttributes, toRootAttributes } from './root-attributes.ts'
import { SpanWriter } from './span-writer.ts'
import { toReason, toStepAttributes } from './step-attributes.ts'

/** Writes on a span what was found when it ended: attributes, events, its status, and log records beside it. */
export class SpanMarker {
  readonly #settings: ProcessorSettings
  readonly #guard: HostGuard
  readonly #budget: BudgetLimits

  constructor(settings: ProcessorSettings, guard: HostGuard) {
    this.#settings = settings
    this.#guard = guard
    this.#budget = settings.rules.budget
  }

  /** @param hasEnded the span cannot be written any more by its own methods */
  mark(span: LiveSpan, step: EndedStep, hasEnded: boolean): void {
    const writer = new SpanWriter(span, hasEnded, step.record.attributeCount)
    writer.writeAttributes(toStepAttributes(step))
    if (step.root !== null) this.#markRoot(writer, span, step)
    if (this.#raisesStatus(span, step)) {
      writer.writeAttributes({ [ATTR_AGENT_REACH_STATUS_SET]: true })
      writer.writeError(toReason(step))
    }
    for (const alert of step.alerts) {
      const severity = alert.alert.severity
      const attributes = toAlertAttributes(alert, this.#budget)
      this.#tell(writer, span, { name: EVENT_AGENT_REACH_ALERT, severity, attributes })
    }
    if (this.#settings.evaluationEvents && step.record.evidence !== 'none') {
      const attributes = toEvaluationAttributes(step)
      this.#tell(writer, span, { name: EVENT_GEN_AI_EVALUATION_RESULT, severity: 'info', attributes })
    }
  }

  #markRoot(writer: SpanWriter, span: LiveSpan, step: EndedStep): void {
    const { root } = step
    if (root === null) return
    writer.writeAttributes(toRootAttributes(root, this.#budget))
    const { reportUrl } = this.#settings
    if (reportUrl !== null) {
      writer.writeAttributes({ [ATTR_AGENT_REACH_REPORT_URL]: toReportUrl(reportUrl, step) })
    }
    for (const open of root.openSpans) {
      const attributes = toOpenSpanAttributes(open)
      this.#tell(writer, span, { name: EVENT_AGENT_REACH_OPEN_SPAN, severity: 'warn', attributes })
    }
  }

  #raisesStatus(span: LiveSpan, step: EndedStep): boolean {
    if (!raisesStatus(step, this.#settings.markStatus)) return false
    const { code, message } = span.status
    if (code !== 0 || (message ?? '') !== '') return false
    return protocolKeys.every((key) => span.attributes[key] === undefined)
  }

  /** A logger of the program that throws costs no mark. */
  #tell(writer: SpanWriter, span: LiveSpan, { name, severity, attributes }: Told): void {
    writer.writeEvent(name, attributes)
    this.#guard.run('a log record', () => emitLogRecord(span, name, severity, attributes))
  }
}

interface Told {
  readonly name: string
  readonly severity: keyof typeof severityNumbers
  readonly attributes: MarkAttributes
}
