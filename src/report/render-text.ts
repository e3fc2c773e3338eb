import type { ChainReport } from './chain-report.ts'
import { cutMiddle, displayWidth } from './display-width.ts'
import { countNoun } from './format-quantity.ts'
import { layoutNodes } from './layout-nodes.ts'
import { describeHidden, selectNodes } from './node-view.ts'
import {
  describeCompleteness,
  describeProducer,
  listTotals,
  markChain,
  nameAgent,
  nameChain,
} from './report-headline.ts'
import { shareColumns } from './share-columns.ts'
import {
  createTextForm,
  markTones,
  plain,
  type Segment,
  type TextForm,
  type TextOptions,
} from './text-form.ts'
import { wrapParts, wrapText } from './wrap-text.ts'

/** How the text of one report looks. */
export interface ReportTextOptions extends TextOptions {
  /** Where the report is stored; told in the last line. By default there is no such line. */
  readonly file?: string
}

type Line = readonly Segment[]

/** Columns down to which a name on the status line is cut. */
const LEAST_NAME = 12

/**
 * Renders a report for one glance on a terminal: status and totals, one sentence, the nodes with problems marked
 * where they are, then what to do. A report without steps is one line.
 *
 * @returns lines that end in a line feed each; none is wider than `width` columns
 */
export function renderText(report: ChainReport, options: ReportTextOptions): string {
  const form = createTextForm(options)
  const lines =
    report.step_count === 0 ? [layoutEmpty(report, form)] : layoutReport(report, form, options.file)
  return lines.map((line) => `${form.write(line)}\n`).join('')
}

function layoutReport(report: ChainReport, form: TextForm, file: string | undefined): readonly Line[] {
  const selection = selectNodes(report)
  const hidden = `  ${form.glyphs.more} ${describeHidden(selection)}`
  const nodes: readonly Line[] = [
    ...layoutNodes(selection.shown, form),
    ...(selection.hidden === 0 ? [] : [[{ text: hidden, tone: 'faint' } as const]]),
  ]
  const advice = layoutAdvice(report, form, file)
  return [
    ...layoutStatus(report, form),
    ...wrapText(form.clean(report.summary), form.width - 2).map((line) => [plain(`  ${line}`)]),
    ...(nodes.length === 0 ? [] : [[], ...nodes]),
    ...(advice.length === 0 ? [] : [[], ...advice]),
  ]
}

function layoutEmpty(report: ChainReport, form: TextForm): Line {
  const { glyphs } = form
  const name = cutMiddle(form.clean(nameChain(report)), 24, glyphs.more)
  const spans = countNoun(report.span_count, 'span', 'spans')
  return [{ text: `${glyphs.marks.skipped} no agent steps  ${name}  in ${spans}`, tone: 'faint' }]
}

/**
 * Totals end at the right edge, at most at column 100, so that reports below each other read as a table. Where names
 * would have to be cut beyond recognition for that, totals go below.
 */
function layoutStatus(report: ChainReport, form: TextForm): readonly Line[] {
  const totals = listTotals(report).map((total) => form.clean(total))
  const edge = Math.min(form.width, 100)
  const joined = totals.join('   ')
  const left = layoutNames(report, form, edge - displayWidth(joined) - 3)
  if (left !== null) {
    const between = edge - measureLine(left) - displayWidth(joined)
    return [[...left, plain(' '.repeat(between) + joined)]]
  }
  const alone = layoutNames(report, form, form.width) ?? []
  return [alone, ...wrapParts(totals, form.width - 2).map((line) => [plain(`  ${line}`)])]
}

/** Status, names, and that the report is partial; `null` where less than the full width is not room enough. */
function layoutNames(report: ChainReport, form: TextForm, room: number): Line | null {
  const mark = markChain(report.overall_status)
  const status = `${form.glyphs.marks[mark]} ${report.overall_status}`
  const names = [nameChain(report), nameAgent(report) ?? ''].map(form.clean).filter((name) => name !== '')
  const partial = describeCompleteness(report)
  const fixed = displayWidth(status) + (partial === null ? 0 : 2 + partial.length) + 2 * names.length
  const least = names.reduce((sum, name) => sum + Math.min(displayWidth(name), LEAST_NAME), fixed)
  if (least > room && room < form.width) return null
  const shares = shareColumns(names.map(displayWidth), room - fixed)
  return [
    { text: status, tone: markTones[mark] },
    ...names.map((name, at): Segment => ({
      text: `  ${cutMiddle(name, shares[at] ?? 0, form.glyphs.more)}`,
      tone: 'strong',
    })),
    ...(partial === null ? [] : [{ text: `  ${partial}`, tone: 'caution' } as const]),
  ]
}

function measureLine(line: Line): number {
  return line.reduce((sum, { text }) => sum + displayWidth(text), 0)
}

function layoutAdvice(report: ChainReport, form: TextForm, file: string | undefined): readonly Line[] {
  const { root_cause: root } = report
  const producer = describeProducer(report)
  const lines: Line[] = []
  if (root !== null) {
    const advice = wrapText(form.clean(`${root.node_name}: ${root.suggestion}`), form.width - 8)
    const docs = `docs: findings#${form.clean(root.code)}`
    const last = `${advice.at(-1) ?? ''}   ${docs}`
    const joined = displayWidth(last) <= form.width - 8 ? [...advice.slice(0, -1), last] : [...advice, docs]
    lines.push(...labelled('fix', joined))
  }
  if (producer !== null) lines.push(...labelled('why', wrapText(form.clean(producer), form.width - 8)))
  if (file !== undefined) {
    lines.push(...labelled('file', [cutMiddle(form.clean(file), form.width - 8, form.glyphs.more)]))
  }
  return lines
}

function labelled(label: string, lines: readonly string[]): readonly Line[] {
  return lines.map((line, at) => [
    { text: `  ${(at === 0 ? label : '').padEnd(6)}`, tone: 'strong' },
    plain(line),
  ])
}
