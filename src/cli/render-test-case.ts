import type { ChainReport, ReportAlert, ReportFailure, ReportFinding } from '../report/chain-report.ts'
import { countNoun } from '../report/format-quantity.ts'
import { describeCompleteness } from '../report/report-headline.ts'
import { escapeXml } from './escape-xml.ts'
import type { JudgedReport } from './report-presenter.ts'

/** As many findings and as many alerts are told; a failure is read by people. */
const MAX_LISTED = 50

/**
 * Renders a chain as a test case of JUnit XML: named by its task, else its trace, in the class `<service>/<agent>`. A
 * chain that is not well has a failure with its summary, root cause, findings and alerts.
 *
 * @returns lines that end in a line feed each
 */
export function renderTestCase({ report, breach }: JudgedReport): string {
  const name = `name="${escapeXml(report.task_id ?? report.trace_id)}"`
  const time = `time="${formatSeconds(report.total_latency_ms)}"`
  const lines = [
    `    <testcase classname="${escapeXml(nameClass(report))}" ${name} ${time}>`,
    '      <properties>',
    ...listProperties(report).map(
      ([key, value]) => `        <property name="${key}" value="${escapeXml(String(value))}"/>`,
    ),
    '      </properties>',
    ...(breach === null ? [] : renderFailure(report, breach)),
    '    </testcase>',
  ]
  return lines.map((line) => `${line}\n`).join('')
}

/** Milliseconds as seconds with three decimals, as JUnit XML has them. */
export function formatSeconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(3)
}

function nameClass({ service_name, agent_name }: ChainReport): string {
  const names = [service_name, agent_name].filter((name) => name !== null)
  return names.length === 0 ? 'agent' : names.join('/')
}

function listProperties(report: ChainReport): readonly (readonly [string, string | number])[] {
  const cost = report.estimated_cost_usd
  return [
    ['trace_id', report.trace_id],
    ['report_id', report.report_id],
    ['overall_status', report.overall_status],
    ['step_count', report.step_count],
    ['token_count', report.token_count],
    ...(cost === null ? [] : [['estimated_cost_usd', cost] as const]),
    ['digest', report.digest],
  ]
}

function renderFailure(report: ChainReport, breach: string): readonly string[] {
  const texts = [
    report.summary,
    ...(report.root_cause === null ? [] : describeFailure(report.root_cause)),
    ...limit(report.findings.map(describeFinding)),
    ...limit(report.alerts.map(describeAlert)),
    ...[describeCompleteness(report)].filter((text) => text !== null),
  ]
  return [
    `      <failure type="${breach}" message="${escapeXml(report.summary)}">`,
    ...texts.map(escapeXml),
    '      </failure>',
  ]
}

function describeFailure({ node_name, span_id, code, reason, suggestion }: ReportFailure): readonly string[] {
  return [`root cause: ${node_name} (span ${span_id}), ${code}: ${reason}`, `suggestion: ${suggestion}`]
}

function describeFinding({ severity, code, node_name, span_id, message, recovered }: ReportFinding): string {
  const remark = recovered ? ', recovered' : ''
  return `finding: ${severity} ${code}${remark}, ${node_name} (span ${span_id}): ${message}`
}

function describeAlert({ severity, type, node_name, span_id, message }: ReportAlert): string {
  return `alert: ${severity} ${type}, ${node_name} (span ${span_id}): ${message}`
}

function limit(lines: readonly string[]): readonly string[] {
  const more = lines.length - MAX_LISTED
  return more > 0 ? [...lines.slice(0, MAX_LISTED), `and ${countNoun(more, 'more', 'more')}`] : lines
}
