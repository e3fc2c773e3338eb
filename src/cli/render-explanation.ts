import { displayWidth, padRight } from '../report/display-width.ts'
import { neutralizeText, toAscii } from '../report/neutralize-text.ts'
import type { SpanExplanation } from './explain-span.ts'

/** How an explanation looks. */
export interface ExplanationOptions {
  /** Uses ASCII only. */
  readonly ascii: boolean
}

type Row = readonly string[]

/** An explanation for people: what the span is, where each field came from, what was found. Ends in a newline. */
export function renderExplanation(explanation: SpanExplanation, { ascii }: ExplanationOptions): string {
  const { kind, evidence } = explanation
  const head: readonly Row[] = [
    ['span', explanation.span_id],
    ['name', explanation.span_name],
    ['trace', explanation.trace_id],
    ['kind', kind === 'other' ? 'other, no step of an agent: no dialect knows its keys' : kind],
    ['node', explanation.node_name],
    ['input', evidence.input],
    ['output', evidence.output],
  ]
  const tables = [head, listFields(explanation), listFindings(explanation)]
  return tables.map((rows) => renderColumns(rows, ascii)).join('\n')
}

function listFields({ fields }: SpanExplanation): readonly Row[] {
  if (fields.length === 0) return [['no field is recorded under a key that is known']]
  const rows = fields.map(({ field, key, dialect, version }) => [field, key, dialect, version || '-'])
  return [['field', 'key', 'dialect', 'version'], ...rows]
}

function listFindings({ findings, span_id: spanId }: SpanExplanation): readonly Row[] {
  if (findings.length === 0) return [['no findings']]
  const rows = findings.map((finding) => {
    const where = finding.span_id === spanId ? '' : ` (seen at ${finding.node_name}, span ${finding.span_id})`
    const recovered = finding.recovered ? ' (recovered)' : ''
    return [finding.severity, finding.code, `${finding.message}${recovered}${where}`]
  })
  return [['severity', 'finding', 'what'], ...rows]
}

/** Columns as wide as their widest cell, two blanks apart. Names and messages must not steer the terminal. */
function renderColumns(rows: readonly Row[], ascii: boolean): string {
  const clean = (text: string): string => (ascii ? toAscii(neutralizeText(text)) : neutralizeText(text))
  const cells = rows.map((row) => row.map(clean))
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((row) => displayWidth(row[at] ?? ''))))
  return cells
    .map((row) =>
      row
        .map((cell, at) => padRight(cell, widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}
