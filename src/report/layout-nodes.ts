import { cutEnd, cutMiddle, displayWidth, padLeft, padRight } from './display-width.ts'
import { formatDuration, formatTokens } from './format-quantity.ts'
import { describeNode, type NodeView } from './node-view.ts'
import { markTones, plain, type Segment, type TextForm, type Tone } from './text-form.ts'

/** A remark behind the columns of a node. */
interface Remark {
  readonly text: string
  readonly tone: Tone
  /** Spaces before it; by default those between columns. */
  readonly gap?: number
  /** Where it is cut when it is too wide for a line. */
  readonly cut?: 'middle'
}

interface NodeRow {
  readonly mark: Segment
  readonly name: string
  readonly time: string
  readonly tokens: string
  readonly remarks: readonly Remark[]
  /** The remark that stays on the line of the node, whatever else must go below it. */
  readonly pinned: Remark | null
}

interface Columns {
  readonly mark: number
  readonly name: number
  readonly time: number
  readonly tokens: number
  /** Spaces between columns. */
  readonly gap: number
  /** Where remarks begin. */
  readonly remarks: number
  /** Too narrow for remarks beside the columns; they go below. */
  readonly stacked: boolean
}

const MARGIN = 2

/** Columns of a remark that must fit beside the name; where they do not, remarks go below. */
const LEAST_ROOM = 40

/** Columns down to which a name is cut. */
const LEAST_NAME = 6

/**
 * Lays out nodes in aligned columns: mark, name, time, tokens, and what is wrong. Columns are as narrow as their
 * content; a remark that does not fit goes below, aligned with the remarks.
 */
export function layoutNodes(views: readonly NodeView[], form: TextForm): readonly (readonly Segment[])[] {
  const rows = views.map((view) => toRow(view, form))
  const wide = measure(rows, form.width, 3)
  const fits = (row: NodeRow): boolean => flow(row, form, wide).length <= 1
  const columns = !wide.stacked && rows.every(fits) ? wide : measure(rows, form.width, 2)
  return rows.flatMap((row) => layoutRow(row, form, columns))
}

function toRow(view: NodeView, form: TextForm): NodeRow {
  const { node, mark } = view
  const ran = node.status !== 'skipped'
  return {
    mark: { text: form.glyphs.marks[mark], tone: markTones[mark] },
    name: form.clean(node.node_name),
    time: form.clean(formatDuration(ran ? node.latency_ms : null)),
    tokens: form.clean(formatTokens(node.token_count)),
    remarks: toRemarks(view, form),
    pinned: view.isRootCause ? { text: form.glyphs.rootCause, tone: 'bad' } : null,
  }
}

function toRemarks(view: NodeView, form: TextForm): readonly Remark[] {
  const { status } = view.node
  const tone = markTones[view.mark]
  const said = describeNode(view)
  const parts = [view.mark === 'failed' ? status : null, said?.text ?? null].filter((part) => part !== null)
  const path = said?.path ?? null
  return [
    ...(parts.length === 0 ? [] : [{ text: form.clean(parts.join(` ${form.glyphs.dot} `)), tone }]),
    ...(path === null ? [] : [{ text: form.clean(path), tone, gap: 1, cut: 'middle' } as const]),
    ...(view.attempts === null ? [] : [{ text: view.attempts, tone: 'plain' } as const]),
  ]
}

function measure(rows: readonly NodeRow[], width: number, gap: number): Columns {
  const widest = (read: (row: NodeRow) => number): number =>
    rows.reduce((most, row) => Math.max(most, read(row)), 0)
  const mark = widest((row) => displayWidth(row.mark.text))
  const time = widest((row) => displayWidth(row.time))
  const tokens = widest((row) => displayWidth(row.tokens))
  const beside = MARGIN + mark + 1 + gap + time + gap + tokens
  // Names give way to remarks, down to about a quarter of the line.
  const spare = width - beside - gap - widest((row) => measureRemarks([...row.remarks, row.pinned], gap))
  const natural = widest((row) => displayWidth(row.name))
  const name = Math.min(natural, Math.max(Math.floor(width * 0.24), spare))
  const remarks = beside + name + gap
  const least = Math.min(
    LEAST_ROOM,
    widest((row) => measureRemarks([row.remarks[0] ?? null, row.pinned], gap)),
  )
  if (width - remarks >= least) return { mark, name, time, tokens, gap, remarks, stacked: false }
  const alone = Math.min(natural, Math.max(LEAST_NAME, width - beside))
  return { mark, name: alone, time, tokens, gap, remarks: MARGIN + mark + 1 + gap, stacked: true }
}

function measureRemarks(remarks: readonly (Remark | null)[], gap: number): number {
  return remarks.reduce(
    (sum, remark) => (remark === null ? sum : sum + (remark.gap ?? gap) + displayWidth(remark.text)),
    -gap,
  )
}

function layoutRow(row: NodeRow, form: TextForm, columns: Columns): readonly (readonly Segment[])[] {
  const { mark, name, time, tokens, gap } = columns
  const between = ' '.repeat(gap)
  const cells: readonly Segment[] = [
    plain(' '.repeat(MARGIN)),
    { ...row.mark, text: padRight(row.mark.text, mark) },
    plain(` ${padRight(cutMiddle(row.name, name, form.glyphs.more), name)}${between}`),
    { text: padLeft(row.time, time) + between + padLeft(row.tokens, tokens), tone: 'faint' },
  ]
  const lines = flow(row, form, columns)
  const indent = plain(' '.repeat(columns.remarks))
  if (columns.stacked) return [cells, ...lines.map((line) => [indent, ...line])]
  const [first = [], ...below] = lines
  return [[...cells, plain(between), ...first], ...below.map((line) => [indent, ...line])]
}

/** Puts remarks on as few lines as they need. The pinned one ends the first line, so room is kept for it there. */
function flow(row: NodeRow, form: TextForm, columns: Columns): readonly (readonly Segment[])[] {
  const { gap } = columns
  const room = form.width - columns.remarks
  const kept = row.pinned === null ? 0 : gap + displayWidth(row.pinned.text)
  const lines: Segment[][] = [[]]
  let used = 0
  for (const remark of row.remarks) {
    const space = used === 0 ? 0 : (remark.gap ?? gap)
    const left = room - (lines.length === 1 ? kept : 0)
    const width = displayWidth(remark.text)
    if (used > 0 && used + space + width > left) {
      lines.push([toSegment(remark, room, form)])
      used = Math.min(width, room)
      continue
    }
    lines.at(-1)?.push(plain(' '.repeat(space)), toSegment(remark, left - used - space, form))
    used += space + Math.min(width, left - used - space)
  }
  if (row.pinned !== null) lines[0]?.push(plain(lines[0].length === 0 ? '' : ' '.repeat(gap)), row.pinned)
  return lines.filter((line) => line.length > 0)
}

function toSegment({ text, tone, cut }: Remark, columns: number, form: TextForm): Segment {
  const shorten = cut === 'middle' ? cutMiddle : cutEnd
  return { text: shorten(text, columns, form.glyphs.more), tone }
}
