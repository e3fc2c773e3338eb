import type { ChainReport } from './chain-report.ts'
import {
  escapeMarkdown,
  escapeQuantity,
  type MarkdownColumn,
  toCodeSpan,
  toMarkdownTable,
} from './escape-markdown.ts'
import { formatCount, formatDuration, formatMoney, NOTHING } from './format-quantity.ts'
import { unicodeGlyphs } from './glyphs.ts'
import { writeSections } from './markdown-sections.ts'
import { describeHidden, describeNode, type NodeView, selectNodes } from './node-view.ts'
import {
  describeCompleteness,
  describeProducer,
  listTotals,
  markChain,
  nameAgent,
  nameChain,
} from './report-headline.ts'

const NODE_COLUMNS: readonly MarkdownColumn[] = [
  { title: ' ' },
  { title: 'node' },
  { title: 'status' },
  { title: 'time', align: 'right' },
  { title: 'tokens', align: 'right' },
  { title: 'cost', align: 'right' },
  { title: 'problem' },
]

/**
 * Renders a report as Markdown (GitHub's flavour), in the order of `renderText`: status, one sentence, totals, nodes,
 * what to do; then alerts, findings, checkpoints, time and tokens. Text from spans shows as it is and is never markup.
 *
 * @returns lines that end in a line feed each
 */
export function renderMarkdown(report: ChainReport): string {
  const lines = report.step_count === 0 ? writeEmpty(report) : writeReport(report)
  return lines.map((line) => `${line}\n`).join('')
}

function writeReport(report: ChainReport): readonly string[] {
  const selection = selectNodes(report)
  const mark = unicodeGlyphs.marks[markChain(report.overall_status)]
  const nodes = selection.shown.map(writeNode)
  return [
    `# ${mark} ${escapeMarkdown(report.overall_status)}: ${escapeMarkdown(nameChain(report))}`,
    '',
    escapeMarkdown(report.summary),
    '',
    writeTotals(report),
    ...(nodes.length === 0 ? [] : ['', ...toMarkdownTable(NODE_COLUMNS, nodes)]),
    ...(selection.hidden === 0 ? [] : ['', `… ${describeHidden(selection)}`]),
    ...writeAdvice(report),
    ...writeSections(report),
    ...writeOrigin(report),
  ]
}

function writeEmpty(report: ChainReport): readonly string[] {
  return [
    `# ${unicodeGlyphs.marks.skipped} no agent steps: ${escapeMarkdown(nameChain(report))}`,
    '',
    escapeMarkdown(report.summary),
    ...writeOrigin(report),
  ]
}

function writeTotals(report: ChainReport): string {
  const agent = nameAgent(report)
  const partial = describeCompleteness(report)
  return [
    ...(agent === null ? [] : [escapeMarkdown(agent)]),
    ...listTotals(report).map(escapeQuantity),
    ...(partial === null ? [] : [`**${escapeMarkdown(partial)}**`]),
  ].join(' · ')
}

function writeNode(view: NodeView): readonly string[] {
  const { node, mark, attempts, isRootCause } = view
  const ran = node.status !== 'skipped'
  const remark = describeNode(view)
  const problem = [
    ...(remark === null ? [] : [escapeMarkdown(`${remark.text} ${remark.path ?? ''}`)]),
    ...(attempts === null ? [] : [attempts]),
    ...(isRootCause ? [`**${unicodeGlyphs.rootCause}**`] : []),
  ]
  return [
    unicodeGlyphs.marks[mark],
    escapeMarkdown(node.node_name),
    escapeMarkdown(node.status),
    escapeQuantity(formatDuration(ran ? node.latency_ms : null)),
    node.token_count === 0 ? NOTHING : formatCount(node.token_count),
    escapeQuantity(formatMoney(node.estimated_cost_usd)),
    problem.join(', ') || NOTHING,
  ]
}

function writeAdvice(report: ChainReport): readonly string[] {
  const { root_cause: root } = report
  const producer = describeProducer(report)
  if (root === null) return []
  const docs = toCodeSpan(`findings#${root.code}`)
  return [
    '',
    `- **fix** ${escapeMarkdown(`${root.node_name}: ${root.suggestion}`)} (docs: ${docs})`,
    ...(producer === null ? [] : [`- **why** ${escapeMarkdown(producer)}`]),
  ]
}

function writeOrigin({ report_id, trace_id, started_at, generator }: ChainReport): readonly string[] {
  const made = `${escapeMarkdown(started_at)}, by ${escapeMarkdown(generator)}`
  return ['', `Report ${toCodeSpan(report_id)} of trace ${toCodeSpan(trace_id)}, started ${made}`]
}
