import { padLeft, padRight } from '../report/display-width.ts'
import type { ChainReport, ReportFinding, ReportNode, ReportStep } from '../report/chain-report.ts'
import { countNoun, formatDuration, formatTokens } from '../report/format-quantity.ts'
import { createTextForm, plain, type TextForm, type TextOptions, type Tone } from '../report/text-form.ts'
import { wrapText } from '../report/wrap-text.ts'
import type { ReportPresenter } from './report-presenter.ts'

/** Shows one node of each chain that has it: its state and reason, its steps, and what was found in each. */
export function createNodePresenter(nodeName: string, options: TextOptions): ReportPresenter {
  const form = createTextForm(options)
  let isFirst = true
  return {
    add({ report }) {
      const node = report.nodes.find(({ node_name }) => node_name === nodeName)
      if (node === undefined) return ''
      const separator = isFirst ? '' : '\n'
      isFirst = false
      return `${separator}${renderNode(report, node, form).join('\n')}\n`
    },
    end: () => '',
  }
}

/** So many steps are always shown; of the others only those that have something to tell. */
const SHOWN_STEPS = 20

function renderNode(report: ChainReport, node: ReportNode, form: TextForm): readonly string[] {
  const steps = report.steps.filter(({ node_name }) => node_name === node.node_name)
  const findings = new Map<string, ReportFinding[]>(steps.map(({ span_id }) => [span_id, []]))
  for (const finding of report.findings) findings.get(finding.span_id)?.push(finding)
  const hasMore = ({ status, span_id: id }: ReportStep): boolean =>
    status !== 'reached' || (findings.get(id) ?? []).length > 0
  const shown = steps.filter((step, at) => at < SHOWN_STEPS || hasMore(step))
  const hidden = steps.length - shown.length
  return [
    ...renderHead(report, node, form),
    ...shown.flatMap((step) => [
      renderStep(step, form),
      ...(findings.get(step.span_id) ?? []).flatMap((finding) => renderFinding(finding, form)),
    ]),
    ...(hidden === 0 ? [] : [renderHidden(hidden, form)]),
  ]
}

function renderHidden(hidden: number, form: TextForm): string {
  const steps = countNoun(hidden, 'more step', 'more steps')
  return form.write([{ text: `  ${form.glyphs.more} ${steps} reached`, tone: 'faint' }])
}

function renderHead(report: ChainReport, node: ReportNode, form: TextForm): readonly string[] {
  const amounts = [formatDuration(node.latency_ms), formatTokens(node.token_count)]
  if (node.retry_count > 0) {
    const calls = countNoun(node.calls, 'call', 'calls')
    amounts.push(`${countNoun(node.attempts, 'attempt', 'attempts')} in ${calls}`)
  }
  const lines = [
    form.write([
      { text: form.clean(node.node_name), tone: 'strong' },
      plain('  '),
      { text: node.status, tone: node.status === 'reached' ? 'good' : 'bad' },
      plain(amounts.map((amount) => `   ${form.clean(amount)}`).join('')),
    ]),
    form.write([plain(`  trace    ${report.trace_id}, ${report.overall_status}`)]),
  ]
  if (report.task_id !== null) lines.push(form.write([plain(`  task     ${form.clean(report.task_id)}`)]))
  if (node.reason !== null) lines.push(...wrapped('  reason   ', node.reason, form))
  return lines
}

function renderStep(step: ReportStep, form: TextForm): string {
  const cells = [
    `attempt ${step.attempt}`,
    padRight(step.status, 'reached_invalid'.length),
    padLeft(form.clean(formatDuration(step.latency_ms)), 9),
    padLeft(form.clean(formatTokens(step.token_count)), 9),
    `evidence ${step.evidence}`,
  ]
  return form.write([
    plain(`  step     ${step.span_id}  `),
    { text: cells.join('  '), tone: step.status === 'reached' ? 'plain' : 'bad' },
  ])
}

const SEVERITY_TONES: Readonly<Record<ReportFinding['severity'], Tone>> = {
  error: 'bad',
  warn: 'caution',
  info: 'faint',
}

function renderFinding(finding: ReportFinding, form: TextForm): readonly string[] {
  const { severity, code, blamed_span_id: blamed } = finding
  const remarks = [
    ...(finding.recovered ? [', recovered'] : []),
    ...(blamed === null || blamed === finding.span_id ? [] : [`, blamed on span ${blamed}`]),
  ]
  return [
    form.write([
      plain('    finding  '),
      { text: severity, tone: SEVERITY_TONES[severity] },
      plain(` ${code}${remarks.join('')}`),
    ]),
    ...wrapped('             ', finding.message, form),
  ]
}

/** A text that may need several lines, under a label on the first. */
function wrapped(label: string, text: string, form: TextForm): readonly string[] {
  const lines = wrapText(form.clean(text), form.width - label.length)
  return lines.map((line, at) => form.write([plain(`${at === 0 ? label : ' '.repeat(label.length)}${line}`)]))
}
