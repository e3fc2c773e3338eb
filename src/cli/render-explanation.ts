import type { SpanExplanation } from './explain-span.ts'

/** An explanation for people: what the span is, where each field came from, what was found. Ends in a newline. */
export function renderExplanation(explanation: SpanExplanation): string {
  const { span_id: spanId, trace_id: traceId, span_name: name, kind, evidence, findings } = explanation
  const lines = [
    `span    ${spanId}  ${name}`,
    `trace   ${traceId}`,
    `kind    ${kind}${kind === 'other' ? ', no step of an agent: no dialect knows its keys' : ''}`,
    `node    ${explanation.node_name}`,
    `input   ${evidence.input}`,
    `output  ${evidence.output}`,
    '',
    ...renderFields(explanation),
    '',
    ...(findings.length === 0 ? ['no findings'] : renderFindings(explanation)),
  ]
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}

function renderFields({ fields }: SpanExplanation): readonly string[] {
  if (fields.length === 0) return ['no field is recorded under a key that is known']
  const rows = fields.map(({ field, key, dialect, version }) => [field, key, dialect, version])
  return renderColumns([['field', 'key', 'dialect', 'version'], ...rows])
}

function renderFindings({ findings, span_id: spanId }: SpanExplanation): readonly string[] {
  const rows = findings.map((finding) => {
    const where = finding.span_id === spanId ? '' : ` (seen at ${finding.node_name}, span ${finding.span_id})`
    const recovered = finding.recovered ? ' (recovered)' : ''
    return [finding.severity, finding.code, `${finding.message}${recovered}${where}`]
  })
  return renderColumns([['severity', 'finding', 'what'], ...rows])
}

/** Columns as wide as their widest cell, two blanks apart. */
function renderColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '))
}
