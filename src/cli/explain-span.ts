import type { ChainReport, ReportFinding } from '../report/chain-report.ts'
import type { FieldSource } from '../steps/field-reader.ts'
import type { ContentState } from '../steps/content.ts'
import { explainStep } from '../steps/read-step.ts'
import { type SpanView, toNanoseconds } from '../steps/span-view.ts'
import type { Step, StepKind } from '../steps/step.ts'

/** How a span is read, and what was found in it. The names are those of the JSON form. */
export interface SpanExplanation {
  readonly trace_id: string
  readonly span_id: string
  readonly span_name: string
  readonly kind: StepKind
  readonly node_name: string
  /** Which key of which dialect, in which version of it, gave each field. */
  readonly fields: readonly FieldSource[]
  /** What is known about the content of the step. */
  readonly evidence: { readonly input: ContentState; readonly output: ContentState }
  /** Of this span, and those of other spans that it is blamed for. */
  readonly findings: readonly ReportFinding[]
}

interface SeenSpan {
  readonly span: SpanView
  readonly explanation: Omit<SpanExplanation, 'findings'>
  readonly findings: ReportFinding[]
}

/** Explains the spans of one id: one for each trace that has it. */
export class SpanExplainer {
  readonly #spanId: string
  readonly #byTrace = new Map<string, SeenSpan>()

  /** @param spanId in lower case */
  constructor(spanId: string) {
    this.#spanId = spanId
  }

  /** Looks at a span while its content is there. Of two copies the later is explained, as it is judged. */
  seeSpan(span: SpanView): void {
    const { traceId, spanId } = span.spanContext()
    if (spanId !== this.#spanId) return
    const known = this.#byTrace.get(traceId)
    if (known !== undefined && !isLater(span, known.span)) return
    this.#byTrace.set(traceId, { span, explanation: describe(span), findings: [] })
  }

  /** Takes the findings of the span from the report of its chain. */
  seeReport(report: ChainReport): void {
    const seen = this.#byTrace.get(report.trace_id)
    const id = this.#spanId
    seen?.findings.push(
      ...report.findings.filter(({ span_id, blamed_span_id }) => span_id === id || blamed_span_id === id),
    )
  }

  /** What was seen, by trace id. */
  explanations(): readonly SpanExplanation[] {
    const ids = [...this.#byTrace.keys()].toSorted()
    return ids.flatMap((traceId) => {
      const seen = this.#byTrace.get(traceId)
      return seen === undefined ? [] : [{ ...seen.explanation, findings: seen.findings }]
    })
  }
}

function isLater(span: SpanView, known: SpanView): boolean {
  const end = toNanoseconds(span.endTime)
  const knownEnd = toNanoseconds(known.endTime)
  if (end !== knownEnd) return end > knownEnd
  return Object.keys(span.attributes).length > Object.keys(known.attributes).length
}

function describe(span: SpanView): Omit<SpanExplanation, 'findings'> {
  const { step, sources } = explainStep(span)
  return {
    trace_id: step.traceId,
    span_id: step.spanId,
    span_name: step.spanName,
    kind: step.kind,
    node_name: step.nodeName,
    fields: sources.toSorted((a, b) => (a.field < b.field ? -1 : 1)),
    evidence: { input: step.input.state, output: readOutputState(step) },
  }
}

/** The answer of a model may be spread over keys that are no content of their own. */
function readOutputState(step: Step): ContentState {
  return step.kind === 'model' ? step.readOutput().state : step.output.state
}
