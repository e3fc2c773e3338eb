import type { ChainReport, ReportCheckpoint } from './chain-report.ts'
import {
  escapeMarkdown,
  escapeQuantity,
  type MarkdownColumn,
  toCodeSpan,
  toMarkdownTable,
} from './escape-markdown.ts'
import { formatCount, formatDuration, NOTHING } from './format-quantity.ts'

/** Rows of a section that are written at most; what is left out is counted. */
const ROW_LIMIT = 200

interface Section {
  readonly title: string
  readonly columns: readonly MarkdownColumn[]
  readonly rows: readonly (readonly string[])[]
  /** Lines below the table. */
  readonly notes?: readonly string[]
}

/** What a report says beyond one glance: alerts, findings, checkpoints, time and tokens; empty ones are left out. */
export function writeSections(report: ChainReport): readonly string[] {
  return [
    listAlerts(report),
    listFindings(report),
    listCheckpoints(report),
    breakDownTime(report),
    breakDownTokens(report),
  ].flatMap(writeSection)
}

function writeSection({ title, columns, rows, notes = [] }: Section): readonly string[] {
  if (rows.length === 0 && notes.length === 0) return []
  const more = rows.length - ROW_LIMIT
  const table = rows.length === 0 ? [] : ['', ...toMarkdownTable(columns, rows.slice(0, ROW_LIMIT))]
  return [
    '',
    `## ${title}`,
    ...table,
    ...(more > 0 ? ['', `… ${formatCount(more)} more`] : []),
    ...notes.flatMap((note) => ['', note]),
  ]
}

function listAlerts({ alerts }: ChainReport): Section {
  return {
    title: 'Alerts',
    columns: toColumns('severity', 'type', 'node', 'span', 'message'),
    rows: alerts.map((alert) => [
      escapeMarkdown(alert.severity),
      escapeMarkdown(alert.kind === null ? alert.type : `${alert.type} (${alert.kind})`),
      escapeMarkdown(alert.node_name),
      toCodeSpan(alert.span_id),
      escapeMarkdown(alert.message),
    ]),
  }
}

function listFindings({ findings }: ChainReport): Section {
  return {
    title: 'Findings',
    columns: toColumns('severity', 'code', 'node', 'span', 'produced by', 'message'),
    rows: findings.map((finding) => [
      escapeMarkdown(finding.recovered ? `${finding.severity}, recovered` : finding.severity),
      toCodeSpan(finding.code),
      escapeMarkdown(finding.node_name),
      toCodeSpan(finding.span_id),
      finding.blamed_span_id === null ? NOTHING : toCodeSpan(finding.blamed_span_id),
      escapeMarkdown(finding.message),
    ]),
  }
}

function listCheckpoints({ checkpoints }: ChainReport): Section {
  const missing = checkpoints.missing.map(escapeMarkdown).join(', ')
  const shown = checkpoints.records.filter((point) => !isOneOfMany(point))
  return {
    title: 'Checkpoints',
    columns: toColumns('checkpoint', 'name', 'status', 'node', 'span', 'at'),
    rows: shown.map((point) => [
      escapeMarkdown(point.id),
      escapeMarkdown(point.name),
      escapeMarkdown(point.source === 'derived' ? `${point.status}, derived` : point.status),
      escapeMarkdown(point.node_name),
      toCodeSpan(point.span_id),
      escapeMarkdown(point.at),
    ]),
    ...(missing === '' ? {} : { notes: [`Missing: ${missing}`] }),
  }
}

/** Start and end of each call stand for subtasks where nobody wrote any; the nodes above tell of them already. */
function isOneOfMany({ id, source, status }: ReportCheckpoint): boolean {
  return source === 'derived' && status === 'passed' && (id === 'CP-02' || id === 'CP-03')
}

function breakDownTime({ total_latency_ms, time }: ChainReport): Section {
  const rows: readonly (readonly [string, number | null])[] = [
    ['whole run', total_latency_ms],
    ['models', time.model_ms],
    ['until the first token', time.first_token_ms],
    ['tools', time.tool_ms],
    ['between steps', time.between_steps_ms],
    ['critical path', time.critical_path_ms],
  ]
  return {
    title: 'Time',
    columns: [{ title: 'part' }, { title: 'time', align: 'right' }],
    rows: rows.map(([part, ms]) => [part, escapeQuantity(formatDuration(ms))]),
    notes: [`Parts overlap. Parallelism: ${time.parallelism}.`],
  }
}

function breakDownTokens({ token_count, tokens }: ChainReport): Section {
  const rows: readonly (readonly [string, number])[] = [
    ['input', tokens.input],
    ['of these read from cache', tokens.cache_read],
    ['of these written to cache', tokens.cache_write],
    ['output', tokens.output],
    ['of these reasoning', tokens.reasoning],
    ['all', token_count],
  ]
  return {
    title: 'Tokens',
    columns: [{ title: 'kind' }, { title: 'tokens', align: 'right' }],
    rows: token_count === 0 ? [] : rows.map(([kind, count]) => [kind, formatCount(count)]),
  }
}

function toColumns(...titles: readonly string[]): readonly MarkdownColumn[] {
  return titles.map((title) => ({ title }))
}
