import type { CliIo } from './cli-io.ts'
import { reportChains } from './report-chains.ts'
import { reportOptionRows, readReportOptions, type ReportCommand } from './report-options.ts'
import { renderHelp } from './help-text.ts'
import { showExplanation } from './show-explanation.ts'
import { TextOutput } from './text-output.ts'

/** Remarks that hold for `report` and `check`. */
export const reportRemarks: readonly string[] = [
  'Inputs hold OTLP, as JSON (one document a line, or pretty-printed) or protobuf, plain, gzip or Zstandard, told',
  'by the bytes. A directory is searched for *.jsonl, *.json, *.binpb, *.pb and *.proto, also with .gz, and for',
  '*.zst. - is standard input.',
  '',
  'Exit codes: 0 all is well; 1 a chain fails the bar; 2 wrong use, an input that cannot be read, with --strict',
  'any line that cannot be read, with a bar no agent chain at all.',
]

/** `agent-reach report`: judges the chains in its inputs and shows them. */
export const reportCommand: ReportCommand = {
  table: {
    name: 'agent-reach report',
    usage: '<input…> [options]',
    summary: ['Reads spans, judges each run of an agent in them, and reports.'],
    options: reportOptionRows,
    remarks: reportRemarks,
  },
  defaultBar: null,
}

/**
 * Runs `report`, or another command that is `report` with other defaults.
 *
 * @returns the exit code
 * @throws {UsageError} where the arguments make no sense
 */
export async function runReportCommand(
  argv: readonly string[],
  io: CliIo,
  command: ReportCommand = reportCommand,
): Promise<number> {
  const options = readReportOptions(argv, command)
  if (options.help) {
    await new TextOutput(io.stdout).write(renderHelp(command.table))
    return 0
  }
  const { explain } = options
  return explain === null ? reportChains(options, io) : showExplanation(explain, options, io)
}
