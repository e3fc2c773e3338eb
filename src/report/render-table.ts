import type { ChainStatus } from '../chain/chain.ts'
import type { ChainSummaryRow } from './chain-summary-row.ts'
import { cutMiddle, displayWidth, padLeft, padRight } from './display-width.ts'
import { countNoun, formatCount, formatDuration, formatMoney, NOTHING } from './format-quantity.ts'
import { markChain } from './report-headline.ts'
import { wrapParts } from './wrap-text.ts'
import {
  createTextForm,
  markTones,
  plain,
  type Segment,
  type TextForm,
  type TextOptions,
} from './text-form.ts'

/** How a table of chains looks. */
export interface TableOptions extends TextOptions {
  /**
   * Rows that are shown at most, the worst first; totals are those of all.
   *
   * @default 200
   */
  readonly limit?: number
}

type Line = readonly Segment[]

/** From bad to good. */
const WORST_FIRST: readonly ChainStatus[] = ['failed', 'partial_failed', 'success']

interface Column {
  readonly title: string
  readonly read: (row: ChainSummaryRow) => string
  readonly align?: 'right'
}

interface FittedColumn extends Column {
  readonly cells: readonly string[]
  readonly width: number
}

const columns: readonly Column[] = [
  { title: 'task', read: (row) => row.task },
  { title: 'agent', read: (row) => row.agent ?? NOTHING },
  { title: 'steps', read: (row) => formatCount(row.stepCount), align: 'right' },
  { title: 'time', read: (row) => formatDuration(row.latencyMs), align: 'right' },
  {
    title: 'tokens',
    read: (row) => (row.tokenCount === 0 ? NOTHING : formatCount(row.tokenCount)),
    align: 'right',
  },
  { title: 'cost', read: (row) => formatMoney(row.costUsd), align: 'right' },
  { title: 'first problem', read: describeProblem },
]

/** How a table that is too wide becomes narrower: texts are cut down to so many columns, one after the other ... */
const CUTS: readonly (readonly [title: string, least: number])[] = [
  ['task', 18],
  ['agent', 8],
  ['first problem', 28],
  ['task', 12],
  ['first problem', 16],
]

/** ... and then columns are left out. Before all that goes an agent that all chains share; it is told below. */
const DROPS: readonly string[] = ['cost', 'tokens', 'steps', 'agent', 'time']

function describeProblem({ problem, partial }: ChainSummaryRow): string {
  return problem === null ? (partial ?? NOTHING) : `${problem.nodeName} · ${problem.code}`
}

/**
 * Renders many chains as a table, worst first and then by start, with totals below. Traces without any agent step
 * are no chains: they are counted and not shown.
 *
 * @returns lines that end in a line feed each; none is wider than `width` columns
 */
export function renderTable(rows: readonly ChainSummaryRow[], options: TableOptions): string {
  const form = createTextForm(options)
  const chains = rows.filter((row) => row.stepCount > 0).sort(compareRows)
  const shown = chains.slice(0, options.limit ?? 200)
  const hidden = chains.length - shown.length
  const shared = findSharedAgent(chains)
  const table = shown.length === 0 ? [] : layoutTable(shown, form, shared !== null)
  const more =
    hidden === 0
      ? []
      : [[{ text: `${form.glyphs.more} ${formatCount(hidden)} more`, tone: 'faint' } as const]]
  const totals = layoutTotals(chains, rows.length - chains.length, form)
  return [...table, ...more, ...(table.length === 0 ? [] : [[]]), ...totals]
    .map((line) => `${form.write(line)}\n`)
    .join('')
}

function compareRows(a: ChainSummaryRow, b: ChainSummaryRow): number {
  const byStatus = WORST_FIRST.indexOf(a.status) - WORST_FIRST.indexOf(b.status)
  return byStatus || compareText(a.startedAt, b.startedAt) || compareText(a.reportId, b.reportId)
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function layoutTable(
  rows: readonly ChainSummaryRow[],
  form: TextForm,
  isAgentTold: boolean,
): readonly Line[] {
  const { marks, more } = form.glyphs
  const statusWidth = Math.max(...rows.map((row) => row.status.length))
  const markWidth = Math.max(...Object.values(marks).map(displayWidth))
  const fitted = fitColumns(layoutCells(rows, form), form.width - markWidth - 1 - statusWidth, isAgentTold)
  const toLine = (head: Segment, texts: readonly string[]): Line => [
    head,
    ...fitted.map(({ align, width }, at) => {
      const text = cutMiddle(texts[at] ?? '', width, more)
      return plain(`  ${align === 'right' ? padLeft(text, width) : padRight(text, width)}`)
    }),
  ]
  const titles = toLine(
    plain(' '.repeat(markWidth + 1) + padRight('status', statusWidth)),
    fitted.map((column) => column.title),
  )
  return [
    titles.map(({ text }) => ({ text, tone: 'faint' })),
    ...rows.map((row, at) => {
      const mark = markChain(row.status)
      const status = `${padRight(marks[mark], markWidth)} ${padRight(row.status, statusWidth)}`
      return toLine(
        { text: status, tone: markTones[mark] },
        fitted.map((column) => column.cells[at] ?? ''),
      )
    }),
  ]
}

/** Columns as wide as their content. */
function layoutCells(rows: readonly ChainSummaryRow[], form: TextForm): readonly FittedColumn[] {
  return columns.map((column) => {
    const cells = rows.map((row) => form.clean(column.read(row)))
    const width = cells.reduce((most, cell) => Math.max(most, displayWidth(cell)), column.title.length)
    return { ...column, cells, width }
  })
}

/** Where the columns need too much room texts are cut, then columns are left out. */
function fitColumns(
  natural: readonly FittedColumn[],
  room: number,
  isAgentTold: boolean,
): readonly FittedColumn[] {
  let fitted = natural
  const needed = (): number => fitted.reduce((sum, { width }) => sum + 2 + width, 0)
  const drop = (title: string): void => {
    if (needed() > room) fitted = fitted.filter((column) => column.title !== title)
  }
  if (isAgentTold) drop('agent')
  for (const [title, least] of CUTS) {
    const excess = needed() - room
    if (excess <= 0) break
    fitted = fitted.map((column) =>
      column.title === title
        ? { ...column, width: Math.min(column.width, Math.max(least, column.width - excess)) }
        : column,
    )
  }
  for (const title of DROPS) drop(title)
  return fitted
}

/** The agent of all chains; `null` where they have several or none. */
function findSharedAgent(chains: readonly ChainSummaryRow[]): string | null {
  const agent = chains[0]?.agent ?? null
  return chains.every((row) => row.agent === agent) ? agent : null
}

function layoutTotals(chains: readonly ChainSummaryRow[], empty: number, form: TextForm): readonly Line[] {
  const sum = (read: (row: ChainSummaryRow) => number): number =>
    chains.reduce((total, row) => total + read(row), 0)
  const steps = sum((row) => row.stepCount)
  const tokens = sum((row) => row.tokenCount)
  const isCostKnown = chains.some(({ costUsd }) => costUsd !== null)
  const parts = [
    countChains(chains),
    ...(steps === 0 ? [] : [countNoun(steps, 'step', 'steps')]),
    ...(tokens === 0 ? [] : [countNoun(tokens, 'token', 'tokens')]),
    ...(isCostKnown ? [formatMoney(sum((row) => row.costUsd ?? 0))] : []),
  ]
  const without = `${countNoun(empty, 'trace', 'traces')} without agent steps not shown`
  return [
    ...wrapParts(parts.map(form.clean), form.width).map((text): Line => [{ text, tone: 'strong' }]),
    ...(empty === 0 ? [] : [[{ text: without, tone: 'faint' } as const]]),
  ]
}

/** As `3 chains of support-agent: 1 failed, 2 success`. */
function countChains(chains: readonly ChainSummaryRow[]): string {
  const agent = findSharedAgent(chains)
  const byStatus = WORST_FIRST.map((status) => {
    const count = chains.filter((row) => row.status === status).length
    return count === 0 ? null : `${formatCount(count)} ${status}`
  }).filter((part) => part !== null)
  const all = countNoun(chains.length, 'chain', 'chains') + (agent === null ? '' : ` of ${agent}`)
  return byStatus.length === 0 ? all : `${all}: ${byStatus.join(', ')}`
}
