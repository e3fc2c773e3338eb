import type { CliIo } from './cli-io.ts'
import { SpanExplainer } from './explain-span.ts'
import { findInputs } from './find-inputs.ts'
import { renderExplanation } from './render-explanation.ts'
import type { ReportOptions } from './report-options.ts'
import { ReportReading } from './report-reading.ts'
import { TextOutput } from './text-output.ts'

/**
 * Shows how a span is read: as text, or with `--format json` one line of JSON for each trace that has a span of that
 * id. A bar is not judged.
 *
 * @param spanId in lower case
 * @returns the exit code: 2 where no span has the id or an input cannot be read, else 0
 */
export async function showExplanation(spanId: string, options: ReportOptions, io: CliIo): Promise<number> {
  const found = await findInputs(options.inputs, { cwd: io.cwd, stdin: io.stdin })
  const explainer = new SpanExplainer(spanId)
  const reading = new ReportReading(found, { ...options, onSpan: (span) => explainer.seeSpan(span) }, io)
  for await (const report of reading.reports()) explainer.seeReport(report)
  const explanations = explainer.explanations()
  const texts = explanations.map((explanation) =>
    options.format === 'json' ? `${JSON.stringify(explanation)}\n` : renderExplanation(explanation, options),
  )
  await new TextOutput(io.stdout).write(texts.join(options.format === 'json' ? '' : '\n'))
  if (explanations.length === 0) {
    const where = options.traceId === null ? 'the input' : `trace ${options.traceId}`
    await reading.messages.error(
      `Cannot explain span ${spanId}: expected a span of that id, found none in ${where}`,
    )
  }
  return explanations.length === 0 || reading.isUnreadable ? 2 : 0
}
